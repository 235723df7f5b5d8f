"""What routes of the host do themselves: stateless calls of the service, its events coming in, and signs of life.

They answer in forms of their own (202 and a callback, the polling protocol of a platform, text for Prometheus), so
they stand here without a function. Everything else that is known of an operation is said here as of all others.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, WithJsonSchema

from connector.core.problems import KINDS
from connector.core.service_facts import CHARGED, EXPIRED, RESERVED
from connector.operations.catalog import InBothLanguages
from connector.operations.operation import LEFT_OUT, Amount, Answer, Count, Ok, Operation
from connector.runtime.result import WAITS

Kind = Annotated[str, WithJsonSchema({"enum": list(KINDS)})]


class Credits(Answer):
    """What a call has cost, and what is left."""

    cost: Amount
    balance: Amount | None
    state: Annotated[str, WithJsonSchema({"enum": [RESERVED, CHARGED, EXPIRED]})] = Field(
        default=LEFT_OUT, description="Of the credits of a payment."
    )


class ErrorFields(Answer):
    """What a flow needs in order to decide what to do next."""

    kind: Kind
    message: str
    remedy: InBothLanguages
    field: str | None
    outcome: Annotated[
        Literal["not_sent", "refused", "unknown"],
        Field(description="Whether the service acted: certainly not, no, or nobody knows."),
    ]
    proof: Annotated[
        Literal["described", "assumed"] | None,
        Field(description="Of a refused write: whether the service's description says that nothing was done."),
    ]
    retryable: bool
    retry_at: datetime | None
    reconnect_url: str | None
    details: Annotated[Any, Field(description="What else is known; its form depends on the kind.")]


class Problem(ErrorFields):
    """RFC 9457, with what a flow needs in order to decide what to do next."""

    type: Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]
    title: str
    status: int
    detail: str
    request_id: str


class RunFailed(Answer):
    """What became of a run that failed, as its callback tells."""

    ok: Literal[False]
    error: ErrorFields


class CallbackPromised(Ok):
    """The result will be posted to the callback."""

    accepted: Literal[True]
    id: str
    callback_secret: str


class ApprovalAwaited(Ok):
    """The run waits for the approval of another person."""

    action: str
    state: Annotated[str, WithJsonSchema({"const": WAITS})]
    run: str
    expires_at: datetime
    warnings: list[str] = LEFT_OUT
    callback_secret: str | None = LEFT_OUT


class RunAccepted(RootModel[CallbackPromised | ApprovalAwaited]):
    """The run is not done yet."""


class Option(Answer):
    """An entry of a dropdown."""

    value: str
    label: str
    hint: str | None


class OptionsAnswer(Ok):
    """The entries of a dropdown."""

    options: list[Option]
    cached: bool
    next: Annotated[str, Field(description="The value behind which further options follow.")] = LEFT_OUT


PolledItem = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "properties": {"_id": {"type": "string"}}, "required": ["_id"]}),
]


class PollAnswer(Ok):
    """What is new, and where the next poll goes on."""

    items: list[PolledItem]
    cursor: str
    credits: Credits
    more: Annotated[bool, Field(description="The answer looks cut off: asking at once may bring more.")]
    watched: Annotated[
        list[Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]],
        Field(description="What was watched because no input named one."),
    ] = LEFT_OUT


class TestAnswer(Ok):
    """The credential works."""

    accounts: Count
    quelle: str


class HealthAnswer(Ok):
    """The process answers."""

    version: str


class ReadyAnswer(Answer):
    """Whether the host can work, and if not, what is missing."""

    ok: bool
    database: Literal["writable", "unwritable", "refused"]
    engine: Literal["running", "stopped"]
    hub: Literal["active", "drifted", "none", "unknown"]
    closing: bool
    stalled: Annotated[
        list[Literal["polls", "events", "deliveries"]], Field(description="Overdue work that no host takes.")
    ]
    reason: InBothLanguages | None


run_action = Operation[...](
    "POST /v1/actions/{id}/run", "operator", None, "run_action", "Runs an action", needs_key=True
)
list_options = Operation[...](
    "POST /v1/lookups/{id}", "operator", OptionsAnswer, "list_options", "A dropdown's options", needs_key=True
)
list_options_by_query = Operation[...](
    "GET /v1/lookups/{id}",
    "operator",
    OptionsAnswer,
    "list_options_by_query",
    "The same for platforms whose dropdowns can only GET",
    needs_key=True,
)
poll_trigger = Operation[...](
    "POST /v1/triggers/{id}/poll", "operator", PollAnswer, "poll_trigger", "Asks once what is new", needs_key=True
)
poll_trigger_by_query = Operation[...](
    "GET /v1/triggers/{id}/poll",
    "operator",
    PollAnswer,
    "poll_trigger_by_query",
    "The same for platforms whose triggers can only GET",
    needs_key=True,
)
test_credential = Operation[...](
    "POST /v1/credential/test", "operator", TestAnswer, "test_credential", "Tests the credential, free", needs_key=True
)
receive_event = Operation[...]("POST /hooks/{token}", None, None, "receive_event", "Takes an event of the service in")
show_health = Operation[...]("GET /healthz", None, HealthAnswer, "show_health", "Whether the process answers")
show_readiness = Operation[...]("GET /readyz", None, ReadyAnswer, "show_readiness", "Whether the host can do its work")
show_metrics = Operation[...]("GET /metrics", "viewer", None, "show_metrics", "Metrics for Prometheus", host_wide=True)
show_openapi = Operation[...]("GET /openapi.json", "viewer", None, "show_openapi", "This description")
show_start = Operation[...]("GET /", "viewer", None, "show_start", "Where things are")
