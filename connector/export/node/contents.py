"""What a package with the TypeScript core can hold, in the order in which people read it, and what it cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.export.node import sources
from connector.export.node.pack import sendable
from connector.export.shape import Dropped, ExportOptions
from connector.export.unexpressed import says_end
from connector.runtime.connector import Connector

AREAS = ("ledger", "banking", "mobility", "any")
M = TypeVar("M", Action, Lookup, Trigger)


@dataclass(frozen=True, slots=True)
class Contents:
    """The manifests of a package, and what it had to leave out of all there are."""

    actions: tuple[Action, ...]
    lookups: tuple[Lookup, ...]
    triggers: tuple[Trigger, ...]
    dropped: tuple[Dropped, ...]

    @property
    def forms(self) -> tuple[Action | Trigger, ...]:
        """Those that people fill in."""
        return (*self.actions, *self.triggers)

    @property
    def all(self) -> tuple[Manifest, ...]:
        """Every manifest."""
        return (*self.actions, *self.lookups, *self.triggers)

    @property
    def ids(self) -> dict[str, frozenset[str]]:
        """The ids by kind, as a report tells them."""
        kinds = {"actions": self.actions, "lookups": self.lookups, "triggers": self.triggers}
        return {kind: frozenset(one.id for one in found) for kind, found in kinds.items()}


def contents_of(connector: Connector, options: ExportOptions) -> Contents:
    """All that the core can do by itself, or through a host."""
    dropped: list[Dropped] = []
    actions = _carried(connector.actions.values(), options, dropped)
    triggers = _carried(connector.triggers.values(), options, dropped)
    lookups = _carried(connector.lookups.values(), options, dropped)
    if options.via == "service":
        dropped += [Dropped("check", one.id, say("left_out_unknown_end")) for one in triggers if says_end(one)]
    dropped += _unsendable([*actions, *triggers], options)
    return Contents(tuple(actions), tuple(lookups), tuple(triggers), tuple(dropped))


def in_order(manifests: Iterable[M]) -> list[M]:
    """The manifests by their areas."""
    return sorted(manifests, key=lambda one: (AREAS.index(one.area), one.id))


def _carried(manifests: Iterable[M], options: ExportOptions, dropped: list[Dropped]) -> list[M]:
    """The manifests that the package can carry, in order; what it cannot is added to `dropped`."""
    found = []
    for manifest in in_order(manifests):
        why = _obstacle(manifest) if options.via == "service" else None
        if why is None:
            found.append(manifest)
        else:
            dropped.append(Dropped(manifest.kind, manifest.id, say(why)))  # type: ignore[arg-type]
    return found


def _obstacle(manifest: Manifest) -> str | None:
    """Why a package that talks to the service itself cannot carry it, by the name of the sentence."""
    if isinstance(manifest, Trigger) and (manifest.own or (manifest.source == "poll" and manifest.request is None)):
        return "export_host_only"
    return "export_no_code" if sources.lacks_code(manifest) else None


def _unsendable(manifests: Iterable[Manifest], options: ExportOptions) -> list[Dropped]:
    reason = say("export_unnamed")
    return [
        Dropped("field", f"{manifest.id}.{field.name}", reason)
        for manifest in manifests
        for field in manifest.inputs
        if not sendable(field, options.wire)
    ]
