"""The HTTP client of the service: rate limit, retries, timeouts and error mapping; asynchronous and blocking."""

from connector.core.client.aio import AsyncClient
from connector.core.client.blocking import Client
from connector.core.client.call import Call, PreparedRequest, prepare
from connector.core.client.exchange import Reply
from connector.core.client.key_states import KeyState, key_state

__all__ = ["AsyncClient", "Call", "Client", "KeyState", "PreparedRequest", "Reply", "key_state", "prepare"]
