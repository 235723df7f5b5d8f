"""A bare NiceGUI page with a table, for comparison: `python -m bench.servers.bare_page ROWS` prints its URL."""

from __future__ import annotations

import json
import socket
import sys

import uvicorn
from fastapi import FastAPI
from nicegui import ui


def main(given: str) -> None:
    heads, rows = json.loads(given)
    columns = [{"name": str(at), "label": head, "field": str(at)} for at, head in enumerate(heads)]
    cells = [{str(at): cell for at, cell in enumerate(row)} | {"key": key} for key, row in enumerate(rows)]

    @ui.page("/")
    def page() -> None:
        ui.label("Trial balance")
        ui.table(columns=columns, rows=cells, row_key="key", pagination=0)

    app = FastAPI()
    ui.run_with(app, title="bare")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])


if __name__ == "__main__":
    main(sys.argv[1])
