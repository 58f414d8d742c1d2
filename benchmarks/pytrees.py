"""Time flattening and building trees, and hashing and comparing their structures.

Prints microseconds per call, the best of several repeats; with jaxlib installed, also for its C++ pytree code,
measured in turn with ours in the same process.

    python benchmarks/pytrees.py
"""

from __future__ import annotations

import timeit
from typing import TYPE_CHECKING, Any

from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_flatten, tree_map

if TYPE_CHECKING:
    from collections.abc import Callable

try:
    from jaxlib import _jax  # type: ignore[attr-defined]
except ImportError:
    jaxlib_registry = None
else:
    jaxlib_registry = _jax.pytree.PyTreeRegistry(
        enable_none=True,
        enable_tuple=True,
        enable_namedtuple=True,
        enable_list=True,
        enable_dict=True,
    )


class Array:
    """A leaf."""


def trees() -> dict[str, Any]:
    """Make the trees to measure."""
    return {
        "leaf": Array(),
        "tuple 10": tuple(Array() for _ in range(10)),
        "list 100": [Array() for _ in range(100)],
        "dict 50x2": {f"layer{i:02}": {"w": Array(), "b": Array()} for i in range(50)},
        "dict 1000": {f"p{i:04}": Array() for i in range(1000)},
        "(params, x)": ({f"layer{i}": {"w": Array(), "b": Array()} for i in range(3)}, Array()),
    }


def best(function: Callable[[], object]) -> float:
    """Return microseconds per call."""
    number, _ = timeit.Timer(function).autorange()
    number = max(1, number // 10)
    return min(timeit.repeat(function, number=number, repeat=15)) / number * 1e6


def measure(flatten: Callable[[Any], tuple[list[Any], Any]], tree: Any) -> list[float]:
    """Time one implementation on one tree."""
    leaves, structure = flatten(tree)
    _, twin = flatten(tree)
    if isinstance(structure, PyTreeDef):
        # Ours caches its hash: the first one is what a call with a new structure pays.
        first_hash = best(lambda: hash(structure.code))
    else:
        first_hash = best(lambda: hash(structure))
    return [
        best(lambda: flatten(tree)),
        best(lambda: structure.unflatten(leaves)),
        first_hash,
        best(lambda: hash(structure)),
        best(lambda: structure == twin),
    ]


def main() -> None:
    """Print the table."""
    columns = ["flatten", "unflatten", "hash 1st", "hash", "eq"]
    print(f"{'us per call':24}" + "".join(f"{name:>10}" for name in columns))
    for name, tree in trees().items():
        rows = {"treadle": measure(flatten_leaves_and_structure, tree)}
        if jaxlib_registry is not None:
            rows["jaxlib"] = measure(jaxlib_registry.flatten, tree)
        for who, times in rows.items():
            print(f"{name:14}{who:10}" + "".join(f"{time:10.2f}" for time in times))
    tree = trees()["dict 1000"]
    print(f"tree_flatten, leaf: {best(lambda: tree_flatten(0.0)):.2f}")
    print(f"tree_map over 1000 leaves: {best(lambda: tree_map(id, tree)):.0f}")
    both = best(lambda: tree_map(lambda x, _: x, tree, tree))
    print(f"tree_map over 2 x 1000 leaves: {both:.0f}")


if __name__ == "__main__":
    main()
