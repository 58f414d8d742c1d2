"""Values of a library's own types under vmap, within the other transformations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.interpreters import batching


class Box:
    """A value that holds an array."""

    def __init__(self, content: Any) -> None:
        self.content = content


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    batching.register_vmappable(
        Box,
        int,
        int,
        lambda of_part, index, box, axis: Box(of_part(box.content, axis) + index()),
        lambda of_part, size, box, axis: Box(of_part(size, box.content * 2, axis)),
        None,
    )
    yield
    batching.unregister_vmappable(Box)


def _sums(xs: treadle.Array) -> treadle.Array:
    def boxed(box: Box, x: treadle.Array) -> Box:
        return Box(box.content * x)

    result: treadle.Array = treadle.vmap(boxed)(Box(xs), xs).content
    return result


def test_under_jit_and_grad() -> None:
    xs = tnp.arange(3.0)
    assert _sums(xs).tolist() == [0.0, 4.0, 16.0]
    assert treadle.jit(_sums)(xs).tolist() == [0.0, 4.0, 16.0]
    assert treadle.grad(lambda xs: _sums(xs).sum())(xs).tolist() == [0.0, 6.0, 12.0]


def test_under_a_vmap_of_arrays() -> None:
    rows = tnp.arange(6.0).reshape(2, 3)
    assert treadle.vmap(_sums)(rows).tolist() == [_sums(row).tolist() for row in rows]


def test_leaves_no_tracer() -> None:
    with treadle.checking_leaks():
        assert _sums(tnp.arange(3.0)).tolist() == [0.0, 4.0, 16.0]


def test_together_with_a_mapped_reference() -> None:
    ref = treadle.new_ref(tnp.zeros(2))

    def noted(box: Box, ref: Any) -> Box:
        ref[...] = box.content
        return box

    found = treadle.vmap(noted)(Box(tnp.ones(2)), ref)
    assert ref[...].tolist() == [1.0, 2.0]
    assert found.content.tolist() == [2.0, 4.0]
