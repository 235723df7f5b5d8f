"""The client: talks to the service correctly under every condition, asynchronously or blocking."""

from connector.client.aio import AsyncClient
from connector.client.blocking import Client
from connector.client.call import Call, Prepared, prepare
from connector.client.exchange import Reply
from connector.client.shared import KeyState, key_state

__all__ = ["AsyncClient", "Call", "Client", "KeyState", "Prepared", "Reply", "key_state", "prepare"]
