"""Credentials: what is refused before anything is sent, and what never shows."""

import pickle

import pytest

from connector.core.errors import InputError
from connector.core.service.credential import Credential

KEY = "sk_live_4711_do_not_show"


def test_the_key_shows_in_no_representation():
    credential = Credential("https://service.example", KEY)
    assert KEY not in repr(credential)
    assert KEY not in str(credential)
    assert KEY not in f"{credential.fingerprint}"


@pytest.mark.conforms("service.base_url", "versioning.one_server")
def test_the_environment_gives_a_credential(tmp_path):
    wire = tmp_path / "wire.json"
    wire.write_text('{"susa": {"account": "konto"}}')
    credential = Credential.from_env(
        {
            "KONTOR_BASE_URL": "https://service.example/",
            "KONTOR_API_KEY": f" {KEY}\n",
            "KONTOR_QUELLE": "n8n",
            "KONTOR_WIRE": str(wire),
        }
    )
    assert credential.base_url == "https://service.example"
    assert credential.api_key == KEY
    assert credential.quelle == "n8n"
    assert credential.wire["susa.account"] == "konto"


@pytest.mark.conforms("service.base_url")
@pytest.mark.parametrize(
    ("base_url", "key", "field"),
    [
        ("", KEY, "base_url"),
        ("service.example", KEY, "base_url"),
        ("ftp://service.example", KEY, "base_url"),
        ("https://user:pw@service.example", KEY, "base_url"),
        ("https://service.example/?a=b", KEY, "base_url"),
        ("https://service.example:99999", KEY, "base_url"),
        ("http://service.example", KEY, "base_url"),
        ("http://127.0.0.1.evil.example", KEY, "base_url"),
        ("https://service.example", "", "api_key"),
        ("https://service.example", "two words", "api_key"),
        ("https://service.example", "schlüssel", "api_key"),
        ("https://service.example", "a\r\nx-evil: 1", "api_key"),
    ],
)
def test_bad_credentials_are_refused_with_the_field_and_without_the_key(base_url, key, field):
    with pytest.raises(InputError) as caught:
        Credential(base_url, key)
    assert caught.value.field == field
    assert caught.value.remedy.de
    assert KEY not in str(caught.value.as_dict())


@pytest.mark.parametrize("base_url", ["http://localhost:8320", "http://127.0.0.1:1", "http://[::1]:8320"])
def test_plain_http_is_for_this_machine_only(base_url):
    assert Credential(base_url, KEY).base_url == base_url


def test_a_credential_survives_a_process_boundary():
    credential = Credential("https://service.example", KEY)
    assert pickle.loads(pickle.dumps(credential)).api_key == KEY
