"""Programs of the pool, exported, written down and read again: values and derivatives stay what they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from conformance.programs_pool import POOL, Layer, Pair, Pooled
from treadle import export
from treadle.tree_util import tree_leaves, tree_map

pytestmark = pytest.mark.xla

for _class in (Layer, Pair):
    export.register_namedtuple_serialization(_class, serialized_name=f"pool.{_class.__name__}")


def _arrays(pooled: Pooled) -> Any:
    return tree_map(lambda x: treadle.numpy.asarray(x, np.float64), pooled.arguments)


def _same(left: Any, right: Any) -> None:
    for one, other in zip(tree_leaves(left), tree_leaves(right), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("pooled", POOL.values(), ids=POOL)
def test_values(pooled: Pooled) -> None:
    """The same program for XLA, so the same bits."""
    arguments = _arrays(pooled)
    function = treadle.jit(pooled.program)
    exported = export.export(function)(*arguments)
    data = exported.serialize()
    again = export.deserialize(data)
    assert again.serialize() == data
    _same(again.call(*arguments), function(*arguments))


@pytest.mark.parametrize("pooled", [x for x in POOL.values() if x.reverse], ids=lambda x: x.name)
def test_derivatives(pooled: Pooled) -> None:
    """The vjp that travels, taken by `grad` of `call`, against `grad` of the function itself."""
    arguments = _arrays(pooled)
    data = export.export(treadle.jit(pooled.program))(*arguments).serialize(vjp_order=1)
    again = export.deserialize(data)

    def scalar(function: Any) -> Any:
        return lambda *xs: sum([x.sum() for x in tree_leaves(function(*xs))])

    numbers = tuple(range(len(arguments)))
    found = treadle.grad(scalar(again.call), argnums=numbers)(*arguments)
    wanted = treadle.grad(scalar(pooled.program), argnums=numbers)(*arguments)
    for one, other in zip(tree_leaves(found), tree_leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
