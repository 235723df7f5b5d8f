"""What stands beside the manifests: states, events, resources, their labels and words, formats, kinds of files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from connector.core.data.events import UNCONFIRMED
from connector.core.data.row_parts import Balance, RowParts, declared_parts
from connector.core.manifest.formats import Format
from connector.core.manifest.resource_schema import fields_of
from connector.core.polls.progress import States


class Library:
    """Read once; a user's folder of manifests may add to it."""

    def __init__(self, trees: Mapping[str, Any]) -> None:
        events: Mapping[str, Mapping[str, Any]] = trees["events"]
        self.events = {name: event for name, event in events.items() if "own" not in event}
        """The events of the service."""
        self.own_events = frozenset(events) - frozenset(self.events)
        """The events that a Kontor host tells of itself."""
        self.resources: Mapping[str, Mapping[str, Any]] = trees["resources"]
        self.labels: Mapping[str, Mapping[str, str]] = trees["labels"]
        self.words: Mapping[str, Mapping[str, Mapping[str, str]]] = trees["words"]
        """What known values are called, by the name of their set."""
        self.declared_formats: Mapping[str, Mapping[str, Any]] = trees["formats"]
        self.file_kinds: Mapping[str, Mapping[str, Any]] = trees["file_kinds"]
        self.provider: Mapping[str, Any] = trees["provider"]
        self.proofs: Mapping[str, Any] = trees["proofs"]
        self.declared_states: Mapping[str, Any] = trees["states"]

    @cached_property
    def told(self) -> Mapping[str, Mapping[str, Any]]:
        """The resources as flows get them: what only events say stands apart, under `_unconfirmed`."""
        resources = {
            name: {**resource, "fields": dict(resource["fields"])} for name, resource in self.resources.items()
        }
        for event in self.events.values():
            if claims := event.get("claims"):
                inside = {path.rpartition(".")[2]: self._taken(resources, event["data"], path) for path in claims}
                resources[f"{event['data']}Claims"] = {"about": "What only the event says.", "fields": inside}
                resources[event["data"]]["fields"][UNCONFIRMED] = f"{event['data']}Claims"
        return resources

    def _taken(self, resources: Mapping[str, Mapping[str, Any]], resource: str, path: str) -> Any:
        """Take the declaration of a field out of the resource in which it stands."""
        *way, name = path.split(".")
        for part in way:
            resource = fields_of(resource, self.resources)[part].name
        return resources[resource]["fields"].pop(name)

    def row_parts(self, resource: str, rows: str = "") -> RowParts:
        """Return what the fields of a resource's rows mean; with `rows` (`a[].b[]`) of the rows that it holds there."""
        return RowParts(declared_parts(self.resources, resource, rows))

    @cached_property
    def _balances(self) -> tuple[RowParts, ...]:
        """The resources that are an amount on one side of an account."""
        parts = (self.row_parts(name) for name in self.resources)
        return tuple(parts for parts in parts if "side" in parts)

    def balance(self, value: Any) -> Balance | None:
        """Return a value as an amount on one side of an account; None where it is none."""
        if not isinstance(value, Mapping):
            return None
        return next((balance for parts in self._balances if (balance := parts.balance(value)) is not None), None)

    @cached_property
    def formats(self) -> Mapping[str, Format]:
        """Every format of texts."""
        return {name: Format(declared) for name, declared in self.declared_formats.items()}

    @cached_property
    def states(self) -> Mapping[str, States]:
        """Every series of states."""
        return {name: States(declared) for name, declared in self.declared_states.items()}
