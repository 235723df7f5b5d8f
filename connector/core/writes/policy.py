"""The policy of a workspace: what it allows without a question, what needs an approval, and what it refuses. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Literal

from connector.core.data import localize
from connector.core.errors import InputError, KontorError, RightMissing
from connector.core.manifest.converters import TRUTH
from connector.core.manifest.formats import check_iban
from connector.core.messages import Text, say
from connector.core.problems import Problem
from connector.core.values.written_numbers import read_number

CURRENCY = "EUR"
"""The currency of all limits; whatever is paid in another needs approval where a limit is set."""
DEFAULT_APPROVAL_HOURS = 72
USUAL_REPEAT_MINUTES = 10
MAX_LIST = 1000
MAX_DAYS = 36500
Reason = Literal["amount", "sum", "currency", "payee", "agent", "equal"]
"""Why something needs approval."""


@dataclass(frozen=True, slots=True)
class Money:
    """What a request would pay to whom, as it stands in the request itself."""

    amount: Decimal
    currency: str
    payee: str
    payee_name: str = ""


@dataclass(frozen=True, slots=True)
class PaidBefore:
    """What is known of whom a request would pay."""

    total: Decimal = Decimal(0)
    """What others have paid to the payee on this day, in EUR."""
    unapproved: Decimal = Decimal(0)
    """Of it, what nobody else has approved."""
    is_changed: bool = False
    """Whether a known payee has another IBAN now, or a known IBAN another name."""
    is_altered: bool = False
    """Whether somebody has changed what was paid on this day, so that the sums are not known."""


NOTHING_BEFORE = PaidBefore()


@dataclass(frozen=True, slots=True)
class Policy:
    """What a workspace allows. Everything is off unless set."""

    most_each: Decimal | None = None
    most_per_day: Decimal | None = None
    payees: Literal["any", "known"] = "any"
    known_payees: tuple[str, ...] = ()
    """IBANs that an admin has entered; others are known once a payment to them was settled."""
    most_per_payee: Decimal | None = None
    """The most for one payee in a day."""
    changed_payees: Literal["warn", "approve"] = "warn"
    """What follows where a known payee has another IBAN, or a known IBAN another name."""
    approve_above: Decimal | None = None
    """Of one payment, and of all that goes to one payee in a day without an approval."""
    approval_hours: int = DEFAULT_APPROVAL_HOURS
    key_required: bool = False
    agents: tuple[str, ...] = ()
    """The actions that an agent may run unattended."""
    undeclared_paths: bool = False
    """Whether a call to a freely chosen path may write where no action declares it."""
    repeat_minutes: int = USUAL_REPEAT_MINUTES
    """For how long an equal write without a key is held back."""
    keep_writes_days: int = 3650
    keep_reads_days: int = 30
    loosen: Literal["alone", "approve"] = "alone"
    """Whether an admin may loosen this policy alone, or a second person has to approve it."""

    @property
    def has_limit(self) -> bool:
        """Whether amounts matter."""
        limits = (self.most_each, self.most_per_day, self.most_per_payee, self.approve_above)
        return any(limit is not None for limit in limits)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._items()}

    def changed(self, given: Mapping[str, Any], actions: Collection[str]) -> Policy:
        """Return the policy with these values, as a person wrote them; None or an empty text takes the default."""
        values = dict(self._items())
        for name, value in given.items():
            read = _READERS.get(name)
            if read is None:
                raise InputError(say("policy_unknown", name=name[:64], names=", ".join(_READERS)), field=name[:64])
            values[name] = _DEFAULTS[name] if value is None or value == "" else read(name, value)
        unknown = [action for action in values["agents"] if action not in actions]
        if unknown:
            raise InputError(say("policy_action_unknown", name=unknown[0][:64]), field="agents")
        return Policy(**values)

    def refusal(
        self, money: Money | None, payee_is_known: bool, keyed: bool, before: PaidBefore = NOTHING_BEFORE
    ) -> KontorError | None:
        """Return why a write is not allowed at all, whoever approves it; None when it may be."""
        if self.key_required and not keyed:
            remedy = say("policy_key_required_remedy")
            return InputError(say("policy_key_required"), remedy=remedy, field="key", reason="policy_key_required")
        if money is None:
            return None
        if self.most_each is not None and money.currency == CURRENCY and money.amount > self.most_each:
            return over_limit("policy_most_each", money.amount, self.most_each)
        sums = (self.most_per_day, self.most_per_payee, self.approve_above)
        if before.is_altered and any(limit is not None for limit in sums):
            return _refused(say("payments_unverified"), say("payments_unverified_remedy"), "payments_unverified")
        to_payee = before.total + money.amount
        if self.most_per_payee is not None and money.currency == CURRENCY and to_payee > self.most_per_payee:
            return over_limit("policy_most_per_payee", to_payee, self.most_per_payee)
        if self.payees == "known" and not payee_is_known:
            remedy = say("policy_payee_remedy", name="known_payees")
            return _refused(say("policy_payee_unknown"), remedy, "policy_payee_unknown")
        return None

    def approval_reasons(
        self, money: Money | None, *, unattended_agent: str | None, before: PaidBefore = NOTHING_BEFORE
    ) -> tuple[Reason, ...]:
        """Return why another person must approve a write first; empty when nobody needs to.

        `unattended_agent` is the action's id where an agent runs it and its person was not asked.
        """
        reasons: list[Reason] = []
        if money is not None and self.has_limit and money.currency != CURRENCY:
            reasons.append("currency")
        elif money is not None and self.approve_above is not None:
            if money.amount > self.approve_above:
                reasons.append("amount")
            elif before.unapproved + money.amount > self.approve_above:
                reasons.append("sum")
        if before.is_changed and self.changed_payees == "approve":
            reasons.append("payee")
        if unattended_agent is not None and unattended_agent not in self.agents:
            reasons.append("agent")
        return tuple(reasons)

    def _items(self) -> list[tuple[str, Any]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]


@dataclass(frozen=True, slots=True)
class ClosedPolicy(Policy):
    """Stands for a policy that is not as an admin has set it: nothing is paid until one is set anew."""

    most_each: Decimal | None = Decimal(0)
    most_per_day: Decimal | None = Decimal(0)
    payees: Literal["any", "known"] = "known"
    approve_above: Decimal | None = Decimal(0)
    keep_writes_days: int = MAX_DAYS
    keep_reads_days: int = MAX_DAYS

    def refusal(
        self, money: Money | None, payee_is_known: bool, keyed: bool, before: PaidBefore = NOTHING_BEFORE
    ) -> KontorError | None:
        """Refuse whatever moves money."""
        if money is None:
            return None
        return _refused(say("policy_unverified"), say("policy_unverified_remedy"), "policy_unverified")


def over_limit(reason: str, amount: Decimal, limit: Decimal) -> RightMissing:
    """Return the refusal of an amount beyond a limit."""
    message = say(reason, amount=_euros(amount), limit=_euros(limit))
    return _refused(message, say("policy_limit_remedy", name=reason.removeprefix("policy_")), reason)


def _euros(amount: Decimal) -> Text:
    return say("euros", amount=Text(localize.amount(amount, "en"), localize.amount(amount, "de")))


def _refused(message: Text, remedy: Text, reason: str) -> RightMissing:
    return RightMissing(message, remedy=remedy, outcome="not_sent", reason=reason)


Kind = Literal["amount", "number", "flag", "choice", "payees", "actions", "list", "text"]
"""What a setting is, so that a form can ask for it without knowing the setting."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a setting as a person writes it."""

    kind: Kind
    read: Callable[[str, Any], Any]
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    def __call__(self, name: str, value: Any) -> Any:
        """Return the value, or raise `InputError` that names the setting."""
        return self.read(name, value)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the policy: what it is, and what it may be."""

    name: str
    kind: Kind
    default: Any
    read: Callable[[str, Any], Any]
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    def value_of(self, written: Any) -> Any:
        """Return what a person wrote as the policy holds it; nothing is the default."""
        return self.default if written is None or written == "" else self.read(self.name, written)


def _read_amount(name: str, value: Any) -> Decimal:
    try:
        number, unit = read_number(value)
    except Problem:
        number, unit = Decimal(-1), ""
    if isinstance(value, bool) or unit not in {"", CURRENCY} or number < 0 or number != round(number, 2):
        raise InputError(say("policy_amount_invalid", name=name), field=name)
    return number


_amount = Reader("amount", _read_amount)


def _whole(least: int, most: int) -> Reader:
    def read(name: str, value: Any) -> int:
        text = str(value).strip()
        if isinstance(value, bool) or not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= most:
            raise InputError(say("policy_number_invalid", name=name, least=least, most=most), field=name)
        return int(text)

    return Reader("number", read, least=least, most=most)


def _read_flag(name: str, value: Any) -> bool:
    flag = TRUTH.get(str(value).strip().casefold())
    if flag is None:
        raise InputError(say("policy_flag_invalid", name=name), field=name)
    return flag


_flag = Reader("flag", _read_flag)


def _one_of(*allowed: str) -> Reader:
    def read(name: str, value: Any) -> str:
        if value not in allowed:
            raise InputError(say(f"policy_{name}_invalid"), field=name)
        return str(value)

    return Reader("choice", read, choices=allowed)


def _read_list(name: str, value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise InputError(say("policy_list_invalid", name=name), field=name)
    listed = dict.fromkeys(part.strip() for part in parts if part.strip())
    if len(listed) > MAX_LIST:
        raise InputError(say("policy_list_long", name=name, most=MAX_LIST), field=name)
    return tuple(listed)


_actions = Reader("actions", _read_list)


def _read_ibans(name: str, value: Any) -> tuple[str, ...]:
    ibans = tuple(plain_payee(iban) for iban in _read_list(name, value))
    for position, iban in enumerate(ibans, 1):
        try:
            check_iban(iban)
        except Problem:
            raise InputError(say("policy_iban_invalid", position=position), field=name) from None
    return ibans


_ibans = Reader("payees", _read_ibans)


def plain_payee(text: str) -> str:
    """Return an IBAN as it is compared: in capitals, without blanks."""
    return "".join(text.split()).upper()


_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(Policy)}
_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "most_each": _amount,
    "most_per_day": _amount,
    "most_per_payee": _amount,
    "payees": _one_of("any", "known"),
    "changed_payees": _one_of("warn", "approve"),
    "known_payees": _ibans,
    "approve_above": _amount,
    "approval_hours": _whole(1, 8760),
    "key_required": _flag,
    "agents": _actions,
    "undeclared_paths": _flag,
    "repeat_minutes": _whole(0, 1440),
    "keep_writes_days": _whole(30, MAX_DAYS),
    "keep_reads_days": _whole(1, MAX_DAYS),
    "loosen": _one_of("alone", "approve"),
}
GROUPS: Mapping[str, tuple[str, ...]] = {
    "approval": ("approve_above", "approval_hours", "loosen"),
    "limits": ("most_each", "most_per_day", "most_per_payee"),
    "payees": ("payees", "known_payees", "changed_payees"),
    "automation": ("agents", "key_required", "repeat_minutes", "undeclared_paths"),
    "keeping": ("keep_writes_days", "keep_reads_days"),
}
"""Which settings a form shows together; what stands in none of them follows at the end."""


def _kind_of(default: Any) -> Kind:
    """What a setting is whose reader does not say it."""
    if isinstance(default, bool):
        return "flag"
    return "list" if isinstance(default, tuple) else "text"


def _setting(name: str, read: Callable[[str, Any], Any]) -> Setting:
    default = _DEFAULTS[name]
    if not isinstance(read, Reader):
        return Setting(name, _kind_of(default), default, read)
    return Setting(name, read.kind, default, read, read.choices, read.least, read.most)


SETTINGS: Mapping[str, Setting] = {name: _setting(name, read) for name, read in _READERS.items()}
"""Every setting of the policy by its name."""
