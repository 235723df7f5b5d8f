"""A process that runs actions through the Python API: a question per line in, an answer per line out."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from traceback import extract_tb
from typing import Any

from connector import Connector, Credential, KontorError


def answer(session: Any, question: dict[str, Any]) -> dict[str, Any]:
    more = {"again": True} if question["again"] else {}
    try:
        result = session.invoke(question["action"], question["inputs"], key=question["key"], **more)
    except KontorError as error:
        return {"ok": False, "error": error.as_dict()}
    except Exception as error:
        places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
        return {"ok": False, "raised": f"{type(error).__name__}: {error}"[:2000], "places": places}
    shown: dict[str, Any] = result.as_dict()
    return shown


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


def main() -> None:
    connector = Connector()
    with connector.open(Credential.from_env()) as session:
        for line in sys.stdin:
            print(json.dumps(answer(session, json.loads(line)), default=_plain), flush=True)


if __name__ == "__main__":
    main()
