"""Asks the person behind an agent whether a write is meant, by elicitation; the agent itself cannot confirm.

Clients of the protocol before 2026-07-28 are asked by a request of the server. Later ones get the question as the
result of the call, and repeat the call with the answer; a state that only this server can make binds that answer to
exactly this call.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import NoBackChannelError
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from connector.core.messages import Text, say

FIELD = "confirm"
FIRST_WITH_INPUT_REQUIRED = "2026-07-28"
_SECRET = secrets.token_bytes(32)
"""Of this process: after a restart the person is asked again."""


class Unconfirmed(Exception):
    """The person said no, or the client cannot ask."""

    def __init__(self, *, asked: bool) -> None:
        super().__init__()
        self.asked = asked


class AskFirst(Exception):
    """The client asks the person, and then calls again."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__()
        self.result = result


class Confirmation:
    """The way to ask the person about one call."""

    def __init__(
        self, context: ServerRequestContext[Any, Any] | None, params: CallToolRequestParams | None, lang: str
    ) -> None:
        self._context, self._params, self._lang = context, params, lang

    async def ask(self, question: Text, shown: str) -> None:
        """Return when the person confirms; raise `Unconfirmed`, or `AskFirst` if the client has to call again."""
        capabilities = self._context.session.client_capabilities if self._context is not None else None
        if self._context is None or capabilities is None or capabilities.elicitation is None:
            raise Unconfirmed(asked=False)
        message = f"{question.in_(self._lang)}\n{shown}"
        if self._context.protocol_version >= FIRST_WITH_INPUT_REQUIRED:
            answer = self._answer_to(message)
        else:
            answer = await self._ask_now(message)
        if answer.action != "accept" or (answer.content or {}).get(FIELD) is not True:
            raise Unconfirmed(asked=True)

    async def _ask_now(self, message: str) -> ElicitResult:
        assert self._context is not None
        try:
            return await self._context.session.elicit_form(message, self._form(), self._context.request_id)
        except NoBackChannelError:
            raise Unconfirmed(asked=False) from None
        except MCPError:  # whatever was answered, it is no yes
            raise Unconfirmed(asked=True) from None

    @property
    def lang(self) -> str:
        """The language in which the person is asked."""
        return self._lang

    def _answer_to(self, message: str) -> ElicitResult:
        state = _sign(message)
        params = self._params
        given = (params.input_responses or {}).get(FIELD) if params is not None else None
        bound = params is not None and hmac.compare_digest(params.request_state or "", state)
        if isinstance(given, ElicitResult) and bound:
            return given
        asking = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=self._form()))
        raise AskFirst(InputRequiredResult(input_requests={FIELD: asking}, request_state=state))

    def _form(self) -> dict[str, Any]:
        words = say("mcp_confirm_label").in_(self._lang)
        return {
            "type": "object",
            "properties": {FIELD: {"type": "boolean", "title": words, "default": False}},
            "required": [FIELD],
        }


def _sign(message: str) -> str:
    return hmac.new(_SECRET, message.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
