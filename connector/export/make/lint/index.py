"""Rules about a Make app's index: everything that is named exists, and everything that exists is named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from connector.export.make.lint.app import INDEX, OUTSIDE, MakeApp
from connector.export.shape import Finding

ID = re.compile(r"[A-Za-z][A-Za-z0-9]{2,47}")
RESERVED_WORDS = (
    "abstract arguments await boolean break case catch class const continue debugger default delete do double "
    "else enum eval export extends false final finally float for function goto if implements import in "
    "instanceof int interface let long native new null package private protected public return short static "
    "super switch synchronized this throw throws transient true try typeof var void volatile while with yield "
)
KINDS = ("connection", "webhook", "module", "rpc", "function", "endpoint")
MODULE_FILES = ("communication", "interface", "samples")


def kinds_are_complete(app: MakeApp) -> Iterator[Finding]:
    """Every kind of component has its key, even when it is empty."""
    for kind in KINDS:
        if kind not in app.index["components"]:
            yield Finding(INDEX, f"components has no key {kind}")


def ids_are_legal(app: MakeApp) -> Iterator[Finding]:
    """Letters and digits, 3 to 48, no reserved word."""
    for component in app.components:
        if not ID.fullmatch(component.id) or component.id in RESERVED_WORDS.split():
            yield Finding(component.where, "the id must be 3 to 48 letters and digits and no reserved word")


def files_exist(app: MakeApp) -> Iterator[Finding]:
    """Every path in the index is a file of the package."""
    named = [(INDEX, path) for path in app.general.values()]
    named += [(component.where, path) for component in app.components for path in component.files.values()]
    for where, path in named:
        if path not in app.files:
            yield Finding(where, f"names the file {path}, which is not there")


def files_are_named(app: MakeApp) -> Iterator[Finding]:
    """No file lies around that Make would not load."""
    named = {INDEX, *OUTSIDE, *app.general.values()}
    named |= {path for component in app.components for path in component.files.values()}
    for path in sorted(app.files - named):
        yield Finding(path, "is in no entry of the index")


def modules_are_complete(app: MakeApp) -> Iterator[Finding]:
    """Every module has a label, a communication, an interface and samples."""
    for module in app.of_kind("module"):
        for code in MODULE_FILES:
            if code not in module.files:
                yield Finding(module.where, f"has no {code}")
        for code in ("interface", "samples"):
            if code in module.files and not app.code(module, code):
                yield Finding(module.where, f"has an empty {code}")


def references_resolve(app: MakeApp) -> Iterator[Finding]:
    """Connections and webhooks that a component names exist."""
    known = {kind: {component.id for component in app.of_kind(kind)} for kind in ("connection", "webhook")}
    for component in app.components:
        for kind in known:
            target = component.entry.get(kind)
            if target and target not in known[kind]:
                yield Finding(component.where, f"names the {kind} {target}, which is not there")
        if component.entry.get("moduleType") == "instant_trigger" and not component.entry.get("webhook"):
            yield Finding(component.where, "is an instant trigger without a webhook")


def groups_are_complete(app: MakeApp) -> Iterator[Finding]:
    """Every module is in exactly one group, and every group names modules only."""
    groups = app.contents.get(app.general.get("groups", ""))
    named = [id for group in groups or () for id in group.get("modules", ())]
    modules = [module.id for module in app.of_kind("module")]
    for id in modules:
        if named.count(id) != 1:
            yield Finding(f"module {id}", f"is in {named.count(id)} groups instead of one")
    for id in named:
        if id not in modules:
            yield Finding("groups", f"names the module {id}, which is not there")


RULES = (
    kinds_are_complete,
    ids_are_legal,
    files_exist,
    files_are_named,
    modules_are_complete,
    references_resolve,
    groups_are_complete,
)
