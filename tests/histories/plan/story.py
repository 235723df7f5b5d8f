"""Invents records of histories, true and false ones, to test the checker with."""

from __future__ import annotations

from typing import Any

from tests.histories.rules.reading import CASH_BOOK, PATHS, PAYMENT, PERSON

PARKED = {"id": "r1", "key": "k", "state": "unknown"}
"""A run in the list at the end."""
PATH_OF = {action: path for path, action in PATHS.items()}


class Story:
    """Told event by event; `lines` is the record."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self._operations = 0
        self._executions = 0

    def ask(
        self,
        at: float,
        key: str | None = "k",
        *,
        action: str = PAYMENT,
        mark: str = "m",
        amount: str = "12.5",
        again: bool = False,
        final: bool = False,
    ) -> int:
        self._operations += 1
        means = {"mark": mark, "amount": None if action == PERSON else amount}
        fields = {"action": action, "key": key, "again": again, "final": final, **means}
        self.lines.append({"event": "invoke", "op": self._operations, "at": at, "lane": "http-0-a", **fields})
        return self._operations

    def execute(
        self,
        at: float,
        key: str | None = "k",
        *,
        action: str = PAYMENT,
        mark: str = "m",
        amount: str = "12.5",
        executed: float | None = None,
    ) -> dict[str, Any]:
        """Let the service execute a write; returns the output that its caller should hear."""
        self._executions += 1
        output: dict[str, Any]
        if action == PAYMENT:
            body: dict[str, Any] = {"description": mark, "amount": amount, "custom_fields": {"kontor_key": key}}
            output = {"id": f"pay-{self._executions}", "amount": amount}
        elif action == CASH_BOOK:
            body = {"betrag": amount, "belegzeilen": [{"belegtext": mark}]}
            output = {"betrag": amount, "belegzeilen": [{"belegtext": mark}], "number": self._executions}
        else:
            body = {"firmenname": mark}
            output = {"eintraege": [{"firmenname": mark}], "number": self._executions}
        times = {"arrived": at, "executed": at if executed is None else executed}
        self.lines.append(
            {
                "event": "execution",
                "at": 0.0,
                "sequence": self._executions,
                "path": PATH_OF[action],
                "body": body,
                "result": {"data": output} if action == PAYMENT else output,
                **times,
            }
        )
        return output

    def hear(self, at: float, op: int, output: dict[str, Any], *, replayed: bool = False, **more: Any) -> None:
        document = {"ok": True, "output": output, "replayed": replayed}
        self._answer(at, op, "ok", document=document, **more)

    def hear_error(self, at: float, op: int, outcome: str | None, kind: str = "service_down", **more: Any) -> None:
        names = ("field", "details")
        error = {"outcome": outcome, "kind": kind, **{name: more.pop(name) for name in names if name in more}}
        self._answer(at, op, "error", document={"ok": False, "error": error}, **more)

    def hear_nothing(self, at: float, op: int, *, reached: bool = True) -> None:
        self._answer(at, op, "nothing", reached=reached)

    def _answer(self, at: float, op: int, heard: str, *, reached: bool = True, **more: Any) -> None:
        self.lines.append({"event": "answer", "op": op, "at": at, "heard": heard, "reached": reached, **more})

    def restore(self, backup: float, restored: float) -> None:
        self.lines += [{"event": "backup", "at": backup}, {"event": "restored", "at": restored}]

    def need_approval(self, at: float, mark: str = "m") -> None:
        self.lines += [{"event": "policy", "at": at}, {"event": "needs_approval", "at": at, "mark": mark}]

    def decide(self, at: float, what: str, mark: str = "m") -> None:
        self.lines.append({"event": "decision", "at": at, "mark": mark, "what": what})

    def hear_that_it_waits(self, at: float, op: int) -> None:
        self._answer(at, op, "ok", document={"ok": True, "state": "awaiting_approval", "run": "r1"}, status=202)

    def disturb(self, name: str, begins: float, ends: float) -> None:
        for phase, at in (("begins", begins), ("ends", ends)):
            self.lines.append({"event": "fault", "name": name, "phase": phase, "at": at})

    def set_list(self, at: float, *, lag: float = 0.0, hidden: bool = False) -> None:
        self.lines.append({"event": "list", "at": at, "lag": lag, "hidden": hidden})

    def end(self, *runs: dict[str, Any], over_http: bool = True) -> list[dict[str, Any]]:
        """End it with the list of runs, which a host shows as well."""
        unknown = [run["id"] for run in runs if run["state"] == "unknown" and over_http]
        self.lines += [
            {"event": "runs", "at": 0.0, "runs": list(runs)},
            {"event": "unknown_runs", "at": 0.0, "ids": unknown},
            {"event": "end", "at": 0.0},
        ]
        return self.lines


def pay(story: Story, at: float = 10, key: str | None = "k", **more: Any) -> dict[str, Any]:
    """Let a write be asked for, made and told."""
    op = story.ask(at, key, **more)
    output = story.execute(at + 1, key, **more)
    story.hear(at + 2, op, output)
    return output


def ask_at_the_end(story: Story, output: dict[str, Any], key: str = "k", **more: Any) -> None:
    """Let a key be asked for once more and answer with its result."""
    story.hear(101, story.ask(100, key, final=True, **more), output, replayed=True)
