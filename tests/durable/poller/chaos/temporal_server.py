"""A real server of Temporal, which can be killed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path


class Server:
    """A development server whose state survives in a file."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.address, self._file = f"127.0.0.1:{self.port}", folder / "temporal.db"
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        command = [str(Path(sys.executable).parent / "temporal"), "server", "start-dev", "--headless"]
        command += ["--port", str(self.port), "--db-filename", str(self._file), "--log-level", "never"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env={**os.environ, "HOME": str(self._file.parent)}, **quiet)  # type: ignore[call-overload]
        return self.process

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
