"""What an eager operation on a small array costs: `python benchmarks/eager.py`, microseconds, least of several.

The budget is three times NumPy plus 1 us (design.md, section 5).
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np

from treadle_ir import install, ops
from treadle_runtime import RuntimeEvaluator, from_host


def least(call: Callable[[], object], number: int = 20000) -> float:
    return min(timeit.repeat(call, number=number, repeat=7)) / number * 1e6


def main() -> None:
    install(RuntimeEvaluator())
    host = np.linspace(0.0, 1.0, 10, dtype=np.float32)
    x = from_host(host)
    cases: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("add", lambda: np.add(host, host), lambda: ops.add(x, x)),
        ("sine", lambda: np.sin(host), lambda: ops.sine(x)),
        ("sum", lambda: np.add.reduce(host), lambda: ops.reduce_add(x, axes=(0,))),
        ("reshape", lambda: host.reshape(5, 2), lambda: ops.reshape(x, shape=(5, 2))),
        ("cast", lambda: host.astype(np.int32), lambda: ops.convert(x, dtype=np.dtype(np.int32))),
        ("slice", lambda: host[1:5], lambda: ops.slice(x, start=(1,), limit=(5,), strides=(1,))),
        ("to NumPy", lambda: np.asarray(host), lambda: np.asarray(x)),
    ]
    print(f"{'':12}{'NumPy':>10}{'treadle':>10}{'budget':>10}")
    for name, numpy, treadle in cases:
        base, ours = least(numpy), least(treadle)
        print(f"{name:12}{base:10.2f}{ours:10.2f}{3 * base + 1:10.2f}")


if __name__ == "__main__":
    main()
