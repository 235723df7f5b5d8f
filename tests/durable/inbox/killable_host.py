"""A host that only receives events, as a process that a test can kill. Prints its base URL."""

from __future__ import annotations

import sys
import threading

from connector.durable.inbox.ingest import Intake
from connector.store import open_database
from tests.durable.inbox.hub_host import on_socket


def main(folder: str) -> None:
    with on_socket(Intake(open_database(folder))) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
