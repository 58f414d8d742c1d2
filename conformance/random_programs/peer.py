"""Ask JAX what it makes of programs: a process of its own answers, see `peer_script`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

import numpy as np

from conformance.waiting import next_line

SCRIPT: Final = Path(__file__).with_name("peer_script.py")
LIMIT: Final = 300.0  # seconds for one program; JAX compiles some for minutes


@final
class Peer:
    """A process with JAX, which is started again where a program ends it or takes too long."""

    def __init__(self, command: Sequence[str], devices: int, limit: float = LIMIT) -> None:
        """Start the process.

        Args:
            command: the program that answers, and its arguments.
            devices: the number of devices that JAX makes of the CPU.
            limit: the seconds of the clock after which a program is given up.
        """
        self._command = command
        self._devices = devices
        self.limit = limit
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        count = f"--xla_force_host_platform_device_count={self._devices}"
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tempfile.gettempdir(),
            env={**os.environ, "XLA_FLAGS": count, "JAX_PLATFORMS": "cpu"},
        )

    def _start_again(self) -> int:
        """Replace a process that has ended, and return the code with which it ended."""
        before, self._process = self._process, self._started()
        before.communicate()  # closes the pipes
        return before.wait()

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def answer(self, source: str, x64: bool) -> tuple[Any, ...] | str:
        """Return the arrays that a program gives, or the text of its error; a program may also end JAX's process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([source, x64]) + "\n")
        self._process.stdin.flush()
        try:
            line = next_line(self._process, self.limit)
        except TimeoutError as error:
            self._start_again()
            return f"{type(error).__name__}: {error}"
        if not line:
            return f"the process ended: {self._start_again()}"
        answer = json.loads(line)
        return answer if isinstance(answer, str) else tuple(_read(*each) for each in answer)


def _read(dtype: str, shape: list[int], numbers: list[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    parts = [complex(x) for x in numbers] if dtype == "complex128" else numbers
    return np.array(parts, dtype).reshape(shape)
