"""Calls whose arguments and results are instances of registered classes: the fast path decides like the slow path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir.tree import register_pytree_node
from treadle_runtime import from_host, jit

ops: Any = treadle_ir.ops


class Box:
    """Children and metadata that a test may change."""

    def __init__(self, children: tuple[Any, ...], meta: Any) -> None:
        self.children = children
        self.meta = meta


class Awkward:
    """Metadata that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("no comparison")

    def __hash__(self) -> int:
        return 0


register_pytree_node(Box, lambda b: (b.children, b.meta), lambda meta, c: Box(tuple(c), meta))


def counted() -> tuple[Any, list[Any]]:
    seen: list[Any] = []

    def f(box: Box) -> Box:
        seen.append(box.meta)
        return Box(tuple([ops.add(x, x) for x in box.children]), ("made of", box.meta))

    return jit(f), seen


def array(value: float) -> Any:
    return from_host(np.array([value], "f4"))


@pytest.mark.parametrize("count", [2, 100, 200])
def test_results_are_those_of_the_first_call(count: int) -> None:
    f, seen = counted()
    for call in range(5):
        made = f(Box(tuple([array(call + i) for i in range(count)]), "one"))
        assert type(made) is Box
        assert made.meta == ("made of", "one")
        assert [x.tolist() for x in made.children] == [[2.0 * (call + i)] for i in range(count)]
    assert seen == ["one"]


def test_other_metadata_are_another_call() -> None:
    f, seen = counted()
    for meta in (
        "one",
        "one",
        "one",
        "two",
        "one",
        ["no hash"],
        ["no hash"],
        ["no hash"],
        ["other"],
    ):
        assert f(Box((array(1),), meta)).meta == ("made of", meta)
    assert seen == ["one", "two", ["no hash"], ["other"]]


def test_other_numbers_of_children_are_another_call() -> None:
    f, seen = counted()
    for count in (1, 1, 1, 2, 2, 0, 0, 1):
        assert len(f(Box((array(1),) * count, "m")).children) == count
    assert len(seen) == 3


def test_nodes_in_nodes() -> None:
    f = jit(lambda pair: Box((pair[0].children[0].children[0], pair[1]["x"]), "out"))
    for call in range(4):
        made = f((Box((Box((array(call),), 1),), 2), {"x": array(-call)}))
        assert [x.tolist() for x in made.children] == [[call], [-call]]


def test_errors_in_comparing_metadata_are_raised() -> None:
    f, _ = counted()
    first = Awkward()
    for _ in range(3):
        f(Box((array(1),), first))
    with pytest.raises(ValueError, match="no comparison"):
        f(Box((array(1),), Awkward()))
