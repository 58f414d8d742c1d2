"""Asks JAX what it makes of programs: as a module, for the questions; as a program, with JAX, for the answers.

As a program it reads sources, a line of JSON each, executes them, and writes their results, a line each. It imports
nothing of this repository, so that it runs where treadle is not installed.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from types import TracebackType
from typing import Any, final

import numpy as np


@final
class Peer:
    """A process with JAX."""

    def __init__(self, python: str, devices: int) -> None:
        count = f"--xla_force_host_platform_device_count={devices}"
        self._process = subprocess.Popen(
            [python, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tempfile.gettempdir(),
            env={**os.environ, "XLA_FLAGS": count, "JAX_PLATFORMS": "cpu"},
        )

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
        """The arrays that a program gives, or the text of its error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([source, x64]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process with JAX ended: {self._process.wait()}")
        answer = json.loads(line)
        return answer if isinstance(answer, str) else tuple(_read(*each) for each in answer)


def _read(dtype: str, shape: list[int], numbers: list[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    parts = [complex(x) for x in numbers] if dtype == "complex128" else numbers
    return np.array(parts, dtype).reshape(shape)


def main() -> None:
    """Answer until there are no more questions."""
    jax: Any = importlib.import_module("jax")  # only this process has it

    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # programs may print
    for line in sys.stdin:
        source, x64 = json.loads(line)
        with jax.enable_x64(x64):
            answers.write(json.dumps(_answer(jax, source)) + "\n")
        answers.flush()


def _answer(jax: Any, source: str) -> Any:
    names: dict[str, Any] = {}
    try:
        exec(source, names)
        results = names["program"](*names["arguments"])
        return [_written(jax, x) for x in results]
    except Exception as error:  # it is what JAX answers
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"


def _written(jax: Any, result: Any) -> Any:
    if jax.dtypes.issubdtype(result.dtype, jax.dtypes.prng_key):
        result = jax.random.key_data(result)
    found = np.asarray(result)
    if found.dtype.kind == "c":
        numbers = [repr(complex(y)) for y in found.reshape(-1)]
        return ["complex128", list(found.shape), numbers]
    if found.dtype.kind not in "biu":
        found = found.astype(np.float64)
    return [str(found.dtype), list(found.shape), found.reshape(-1).tolist()]


if __name__ == "__main__":
    main()
