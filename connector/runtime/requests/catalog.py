"""All manifests by kind and id, each built on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from connector.core.errors import InputError
from connector.core.manifest import model
from connector.core.manifest.files import FOLDER
from connector.core.manifest.library import Library
from connector.core.manifest.load import library, load
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.runtime.requests.declared import DeclaredCalls, DeclaredRules, WritablePaths

if TYPE_CHECKING:
    from connector.core.manifest.inputs import Inputs

M = TypeVar("M", bound=Manifest)


class Catalog:
    """All actions, lookups and triggers."""

    def __init__(self, further: str | None = None) -> None:
        """`further` is a folder of manifests beside the package's own, instead of that of `KONTOR_MANIFESTS`."""
        self._further = further
        self._trees = load(further)
        self._built: dict[tuple[str, str], Manifest] = {}
        self._inputs: dict[tuple[str, str], Inputs] = {}

    @cached_property
    def library(self) -> Library:
        """States, events, resources, labels and formats."""
        return Library(library(self._further))

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The ids of the actions and lookups that Kontor itself uses, by role."""
        kinds = ("actions", "lookups")
        return {tree["role"]: id for kind in kinds for id, tree in self._trees[kind].items() if "role" in tree}

    @cached_property
    def moving_paths(self) -> Mapping[str, str]:
        """What a write to a path moves, by the path of every action that declares it."""
        moving = [tree for tree in self._trees["actions"].values() if "moves" in tree and "path" in tree["request"]]
        return {tree["request"]["path"].casefold(): tree["moves"] for tree in moving}

    def action_for(self, role: str) -> Action:
        """The action that has this role."""
        return self.action(self.roles[role])

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
        return self._manifest("actions", id, self._build_action, "action_unknown")

    def _build_action(self, tree: model.Tree, library: Library) -> Action:
        found = model.action(tree, library)
        if not found.code or found.request is not None:
            return found
        return replace(
            found,
            declared=self._declared,
            check_declared=lambda *given: self._declared_rules.check(*given),
            check_written_path=lambda *given: self._writable_paths.check(*given),
        )

    @cached_property
    def _declared_rules(self) -> DeclaredRules:
        return DeclaredRules(self.library.formats)

    def _declared(self, method: str, path: str) -> Action | None:
        return self._declared_calls.find(method, path)

    @cached_property
    def _writable_paths(self) -> WritablePaths:
        return WritablePaths(self.actions.values(), self.moving_paths)

    @cached_property
    def _declared_calls(self) -> DeclaredCalls:
        return DeclaredCalls(self.actions.values())

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
            from connector.core.manifest.inputs import Inputs

            compiled = self._inputs[manifest.kind, manifest.id] = Inputs(
                manifest.inputs, manifest.rules, self.library.formats
            )
        return compiled

    @cached_property
    def about(self) -> dict[str, Any]:
        """The connector's own manifest."""
        import yaml

        about: dict[str, Any] = yaml.safe_load((Path(FOLDER) / "connector.yaml").read_text(encoding="utf-8"))
        return about

    def _manifest(self, kind: str, id: str, read: Callable[[model.Tree, Library], M], unknown: str) -> M:
        found: M | None = self._built.get((kind, id))  # type: ignore[assignment]  # each kind holds its own
        if found is None:
            tree = self._trees[kind].get(id)
            if tree is None:
                close = get_close_matches(str(id), self._trees[kind], n=1, cutoff=0.5)
                remedy = say("did_you_mean", close=close[0]) if close else say("list_them", kind=kind)
                raise InputError(say(unknown, id=id), remedy=remedy, field=kind.rstrip("s"))
            found = self._built[kind, id] = read(tree, self.library)
        return found
