"""A process with JAX, which answers questions."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from conformance import ran_on
from conformance.parity.asked import unpacked
from conformance.waiting import next_line

LIMIT: Final = 600.0  # seconds for one question; on a busy machine a compilation takes minutes


@final
class Jax:
    """A process with JAX, which keeps what it compiled from one test to the next."""

    def __init__(self, command: Sequence[str], x64: bool, limit: float = LIMIT) -> None:
        """Start the process.

        Args:
            command: the program that answers, and its arguments.
            x64: whether JAX has 64-bit types.
            limit: the seconds of the clock after which a question without an answer is an error.
        """
        self._limit = limit
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "JAX_ENABLE_X64")}
        environment = {**clean, "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": str(int(x64))}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __call__(self, questions: list[dict[str, Any]]) -> list[Any]:
        """Return the answers to questions.

        What JAX prints about an error is in the captured stderr of the test.

        Raises:
            RuntimeError: the process has ended, or has not answered a question in time.
        """
        assert self._process.stdin is not None
        ran_on.used("cpu")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "questions.json").write_text(json.dumps(questions))
            self._process.stdin.write(f"{folder}\n")
            self._process.stdin.flush()
            for question in questions:
                self._wait_for("answered\n", str(question))
            self._wait_for("written\n", "(the answers are being written)")
            with np.load(Path(folder) / "arrays.npz") as arrays:
                answers = json.loads((Path(folder) / "answers.json").read_text())
                found: list[Any] = unpacked(answers, dict(arrays))
                return found

    def _wait_for(self, line: str, question: str) -> None:
        """Read one line; end the process if the line does not come in time."""
        try:
            found = next_line(self._process, self._limit)
        except TimeoutError:
            raise RuntimeError(
                f"JAX took more than {self._limit:g} seconds for {question}"
            ) from None
        if found == line:
            return
        self._process.kill()
        self._process.wait()
        raise RuntimeError(
            f"the process with JAX ended, or printed {found!r} instead of {line!r}, at {question}"
        )

    @property
    def ended(self) -> bool:
        """Whether the process can answer no more questions."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ask for the end of the process, and wait for it."""
        self._process.communicate()
