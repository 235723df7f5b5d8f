"""The HTTP client of the service: rate limit, retries, timeouts and error mapping; asynchronous and blocking."""

from connector.client.call import Call, PreparedRequest, prepare
from connector.client.clients import AsyncClient, Client
from connector.client.exchange import Reply, Sender
from connector.client.key_states import KeyState, key_state

__all__ = ["AsyncClient", "Call", "Client", "KeyState", "PreparedRequest", "Reply", "Sender", "key_state", "prepare"]
