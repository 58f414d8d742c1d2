"""Answer as JAX: run by an interpreter that has JAX, it prints what the programs it reads give, a line of JSON each.

It imports nothing of this repository, so that it runs where treadle is not installed.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from typing import Any

import numpy as np


def main() -> None:
    """Answer the questions on standard input until it ends."""
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
