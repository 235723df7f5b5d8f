"""Authentication: the fields of an account, its test, its label, and what stands around every request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.messages import say, template
from connector.export.shape import ExportOptions
from connector.export.zapier.requests import QUELLE
from connector.export.zapier.sources import function, part
from connector.export.zapier.titles import headline

TEST = {
    "service": "const { data: answer } = await z.request({ url: TEST_PATH });\n"
    "const accounts = rows(z, answer, UNREADABLE);\n"
    "const holder = accounts.find((account) => account.extra?.holder_name)?.extra.holder_name;\n"
    "const place = new URL(address).host;\n"
    "return { label: `${holder ?? place} (${fill(ACCOUNTS, { count: accounts.length })})` };",
    "host": "const { data: answer } = await z.request({ method: 'POST', url: '/v1/credential/test', body: {} });\n"
    "return { label: `${new URL(address).host} (${fill(ACCOUNTS, { count: answer.accounts ?? 0 })})` };",
}
SECURE = (
    "const address = text(bundle.authData.{field}) ?? '';\n"
    "if (!/^https:\\/\\/|^http:\\/\\/(localhost|127\\.|\\[::1\\])/.test(address)) refuse(z, NOT_HTTPS);"
)
KINDS = {
    "reconnect_needed": ("reconnect_needed", "reconnect_needed_remedy"),
    "service_not_booked": ("service_not_booked", "service_not_booked_remedy"),
    "service_not_booked_has": ("service_not_booked", "service_not_booked_has"),
    "right_missing": ("right_missing", "right_missing_remedy"),
    "key_refused": ("key_refused", "key_refused_remedy"),
    "service_down": ("service_failed", "service_down_remedy"),
    "credits_exhausted": ("credits_exhausted", "credits_exhausted_remedy"),
    "not_found": ("not_found", "not_found_remedy"),
    "refused": ("refused", "refused_remedy"),
}


def constants(options: ExportOptions, test_path: str) -> dict[str, Any]:
    """What the package's functions may use by name."""
    lang = options.lang
    sentences = {
        kind: [template(message).in_(lang), template(remedy).in_(lang)] for kind, (message, remedy) in KINDS.items()
    }
    sentences["outcome_unknown"] = [template("write_failed").in_(lang), template("outcome_unknown_remedy").in_(lang)]
    sentences["rate_limited"] = [say("zapier_rate_limited").in_(lang), template("rate_limited_remedy").in_(lang)]
    sentences["bad_reply"] = [say("zapier_unreadable").in_(lang), template("bad_reply_remedy").in_(lang)]
    return {
        "QUELLE": QUELLE,
        "LANGUAGE": lang,
        "SENTENCES": sentences,
        "NOTHING_SAID": say("nothing_said").in_(lang),
        "UNREADABLE": say("zapier_unreadable").in_(lang),
        "URL_TAKEN": template("zapier_url_taken").in_(lang),
        "NOT_HTTPS": say("zapier_not_https").in_(lang),
        "ACCOUNTS": template("zapier_accounts").in_(lang),
        "TEST_PATH": test_path,
    }


def authentication(options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    """The account that a user connects."""
    lang = options.lang
    key = _field("api_key", lang, "password")
    if options.via == "host":
        address = "host_url"
        fields = [
            _field(address, lang, "string", options.host_url),
            _field("host_token", lang, "password"),
            key,
        ]
    else:
        address = "base_url"
        fields = [
            _field(address, lang, "string", options.base_url),
            key,
        ]
    test = f"{SECURE.replace('{field}', address)}\n{TEST[options.via]}"
    return {
        "type": "custom",
        "fields": fields,
        "test": function(test, constants),
        "connectionLabel": "{{label}}",
    }


def middleware(options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    """What is done to every request and to every answer."""
    before, after = (part("middleware", f"{name}_{options.via}") or "" for name in ("before", "after"))
    return {
        "beforeRequest": [function(before, constants, ("request", "z", "bundle"))],
        "afterResponse": [function(after, constants, ("response", "z", "bundle"))],
    }


def _field(key: str, lang: str, kind: str, default: str = "") -> dict[str, Any]:
    label, help = headline(say(f"export_{key}"), lang), say(f"export_{key}_help").in_(lang)
    field = {"key": key, "label": label, "helpText": help, "type": kind, "required": True}
    return {**field, "default": default} if default else field
