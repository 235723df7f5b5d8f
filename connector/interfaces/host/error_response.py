"""Builds the problem+json response for the current request."""

from __future__ import annotations

import logging

from starlette.responses import Response

from connector.core.errors import KontorError, StoreDown
from connector.core.messages import say
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight, request_id
from connector.interfaces.host.problem import problem_response
from connector.runtime.refusals import is_refusal
from connector.store.outage import is_outage

log = logging.getLogger("kontor.host")


def error_response(error: KontorError) -> Response:
    """Return the error as problem+json, and note its kind for the request log."""
    in_flight = CURRENT_REQUEST.get() or InFlight(request_id(""))
    in_flight.kind = error.kind
    if is_refusal(error):
        in_flight.refusal = error.message.en
    return problem_response(error, lang=in_flight.lang, request_id=in_flight.request_id, secret=in_flight.secret)


def unexpected_error_response(error: Exception) -> Response:
    """Return a 500 for an exception that no code expected."""
    in_flight = CURRENT_REQUEST.get() or InFlight(request_id(""))
    return error_response(internal_error(error, in_flight.request_id))


def internal_error(error: Exception, id: str) -> KontorError:
    """Log the traceback, and return an error that shows callers only the request id.

    A lost database is logged once, where it is noticed.
    """
    if is_outage(error):
        return StoreDown(say("host_database_down"), remedy=say("host_database_down_remedy"))
    log.error("not foreseen: %s", type(error).__name__, exc_info=error)
    remedy = say("host_unexpected_remedy", id=id)
    return KontorError(say("host_unexpected"), remedy=remedy, outcome="unknown")
