"""The connector: the manifests loaded, the store opened when first needed, credentials opened on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from connector.clock import Clock
from connector.credential import Credential
from connector.errors import InputError
from connector.manifest import model
from connector.manifest.load import FOLDER, load
from connector.manifest.model import Action, Lookup, Manifest, Trigger
from connector.messages import say
from connector.runtime.lookups import LookupCache
from connector.runtime.tally import Tally

if TYPE_CHECKING:
    from connector.manifest.inputs import Inputs
    from connector.runtime.session import AsyncSession, Session
    from connector.store import Database

M = TypeVar("M", bound=Manifest)


class Connector:
    """All that Kontor can do. One of them serves any number of credentials."""

    def __init__(self, data: str | None = None) -> None:
        """`data`: a folder or the URL of a PostgreSQL database; by default what `KONTOR_DATA` says."""
        self._data = data
        self._trees = load()
        self._built: dict[tuple[str, str], Manifest] = {}
        self._inputs: dict[tuple[str, str], Inputs] = {}
        self._caches: dict[str, LookupCache] = {}
        self._lock = threading.Lock()
        self.tally = Tally(lambda: self.database)

    def open(
        self, credential: Credential | Mapping[str, Any] | None = None, *, flow: str = "", clock: Clock | None = None
    ) -> Opening:
        """Opens a credential: `with` gives a blocking session, `async with` an asynchronous one.

        Without a credential, the environment's is taken. `flow` names the flow for whose budget the session spends.
        """
        if credential is None:
            credential = Credential.from_env()
        elif isinstance(credential, Mapping):
            credential = Credential(**credential)
        return Opening(self, credential, flow, clock)

    @property
    def actions(self) -> Mapping[str, Action]:
        """Every action by id."""
        return {id: self.action(id) for id in self._trees["actions"]}

    @property
    def lookups(self) -> Mapping[str, Lookup]:
        """Every lookup by id."""
        return {id: self.lookup(id) for id in self._trees["lookups"]}

    @property
    def triggers(self) -> Mapping[str, Trigger]:
        """Every trigger by id."""
        return {id: self.trigger(id) for id in self._trees["triggers"]}

    def action(self, id: str) -> Action:
        """One action."""
        return self._manifest("actions", id, model.action, "action_unknown")

    def lookup(self, id: str) -> Lookup:
        """One lookup."""
        return self._manifest("lookups", id, model.lookup, "lookup_unknown")

    def trigger(self, id: str) -> Trigger:
        """One trigger."""
        return self._manifest("triggers", id, model.trigger, "trigger_unknown")

    def inputs(self, manifest: Manifest) -> Inputs:
        """The manifest's inputs, compiled once."""
        compiled = self._inputs.get((manifest.kind, manifest.id))
        if compiled is None:
            from connector.manifest.inputs import Inputs

            compiled = self._inputs[manifest.kind, manifest.id] = Inputs(manifest.inputs)
        return compiled

    @cached_property
    def about(self) -> dict[str, Any]:
        """The connector's own manifest."""
        import yaml

        about: dict[str, Any] = yaml.safe_load((Path(FOLDER) / "connector.yaml").read_text(encoding="utf-8"))
        return about

    @property
    def database(self) -> Database:
        """The store, opened when first asked for."""
        with self._lock:
            if not hasattr(self, "_database"):
                from connector.store import open_database

                self._database = open_database(self._data)
            return self._database

    def lookup_cache(self, credential: Credential) -> LookupCache:
        """The cached dropdowns of a credential, shared by all its sessions. A label of its own is a view of its own."""
        with self._lock:
            return self._caches.setdefault(f"{credential.fingerprint} {credential.quelle}", LookupCache())

    def close(self) -> None:
        """Writes down what was spent, and closes the store, if it was opened."""
        self.tally.write_down()
        with self._lock:
            if hasattr(self, "_database"):
                self._database.close()
                del self._database

    def _manifest(self, kind: str, id: str, read: Callable[[model.Tree], M], unknown: str) -> M:
        found: M | None = self._built.get((kind, id))  # type: ignore[assignment]  # each kind holds its own
        if found is None:
            tree = self._trees[kind].get(id)
            if tree is None:
                close = get_close_matches(str(id), self._trees[kind], n=1, cutoff=0.5)
                remedy = say("did_you_mean", close=close[0]) if close else say("list_them", kind=kind)
                raise InputError(say(unknown, id=id), remedy=remedy, field=kind.rstrip("s"))
            found = self._built[kind, id] = read(tree)
        return found


class Opening:
    """A credential about to be opened: blocking by `with`, asynchronous by `async with`."""

    def __init__(self, connector: Connector, credential: Credential, flow: str, clock: Clock | None) -> None:
        self._with = (connector, credential, flow, clock)
        self._blocking: Session | None = None
        self._asynchronous: AsyncSession | None = None

    def __enter__(self) -> Session:
        from connector.runtime.session import Session

        self._blocking = Session(*self._with)
        return self._blocking

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blocking is not None:
            self._blocking.close()

    async def __aenter__(self) -> AsyncSession:
        from connector.runtime.session import AsyncSession

        self._asynchronous = AsyncSession(*self._with)
        return self._asynchronous

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._asynchronous is not None:
            await self._asynchronous.aclose()
