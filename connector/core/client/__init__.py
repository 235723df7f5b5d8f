"""The client: talks to the service correctly under every condition, asynchronously or blocking."""

from connector.core.client.aio import AsyncClient
from connector.core.client.blocking import Client
from connector.core.client.call import Call, Prepared, prepare
from connector.core.client.exchange import Reply
from connector.core.client.shared import KeyState, key_state

__all__ = ["AsyncClient", "Call", "Client", "KeyState", "Prepared", "Reply", "key_state", "prepare"]
