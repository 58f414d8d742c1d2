"""What a call of a jitted function costs: `python benchmarks/jit_call.py [--jax]`, microseconds, least of several.

With `--jax`, the same through jax.jit in the same process (it has to be installed), and the ratio.
"""

from __future__ import annotations

import importlib
import sys
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle_ir import install, ops
from treadle_runtime import RuntimeEvaluator, block_until_ready, device_put, jit


def least(call: Callable[[], object], number: int, repeat: int = 7) -> float:
    return min(timeit.repeat(call, number=number, repeat=repeat)) / number * 1e6


def parameters(leaves: int) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    return {
        f"layer{i:04}": {"w": np.full(4, i, np.float32), "b": np.full(2, i, np.float32)}
        for i in range(leaves // 2)
    }


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    return {name: {key: function(x) for key, x in layer.items()} for name, layer in tree.items()}


def add_all(add: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def total(*args: Any) -> Any:
        result = args[0]
        for x in args[1:]:
            result = add(result, x)
        return result

    return total


def main() -> None:
    install(RuntimeEvaluator())
    rows: list[tuple[str, float, float | None]] = []
    jax: Any = (
        importlib.import_module("jax") if "--jax" in sys.argv else None
    )  # only to compare with
    for count in (1, 10, 100):
        host = [np.full(10, i, np.float32) for i in range(count)]
        ours, given = jit(add_all(ops.add)), block_until_ready(device_put(host))
        ours(*given)
        number = max(500, 20000 // count)
        mine = least(lambda f=ours, x=given: f(*x), number)  # type: ignore[misc]
        other = None
        if jax is not None:
            theirs, xs = jax.jit(add_all(jax.lax.add)), [jax.device_put(x) for x in host]
            theirs(*xs)
            other = least(lambda f=theirs, x=xs: f(*x), number)  # type: ignore[misc]
        rows.append((f"{count} arrays to one", mine, other))
    for leaves in (100, 1000):
        tree = parameters(leaves)
        step = jit(lambda t: mapped(lambda x: ops.add(x, x), t))
        state = block_until_ready(device_put(tree))
        step(state)
        mine = least(lambda f=step, x=state: f(x), 50)  # type: ignore[misc]
        other = None
        if jax is not None:
            theirs, xs = (
                jax.jit(lambda t: mapped(lambda x: jax.lax.add(x, x), t)),
                jax.device_put(tree),
            )
            theirs(xs)
            other = least(lambda f=theirs, x=xs: f(x), 50)  # type: ignore[misc]
        rows.append((f"tree of {leaves} in and out", mine, other))
    for name, mine, other in rows:
        ratio = "" if other is None else f"{other:10.1f} {mine / other:8.2f}"
        print(f"{name:28} {mine:10.1f}{ratio}")


if __name__ == "__main__":
    main()
