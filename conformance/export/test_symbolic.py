"""The law of symbolic sizes: a function exported for open sizes is the function, at every size, value and derivative.

Artefacts with known sizes of the same function are not used: the truth is the function itself, called directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from conformance.export.symbolic_pool import POOL, Open, Sizes
from treadle import export
from treadle.tree_util import tree_leaves

pytestmark = pytest.mark.xla


def _specs(item: Open) -> list[Any]:
    scope = export.SymbolicScope(item.constraints)
    return [
        treadle.ShapeDtypeStruct(export.symbolic_shape(each, scope=scope), item.dtype)
        for each in item.shapes
    ]


def _arrays(item: Open, sizes: Sizes) -> list[Any]:
    """Arguments of known sizes; the shapes are read by Python's own rules."""
    made = []
    for number, text in enumerate(item.shapes):
        shape = eval(f"({text},)", {}, dict(sizes))
        random = np.random.default_rng([number, *sizes.values()])
        made.append(treadle.numpy.asarray(random.standard_normal(shape), item.dtype))
    return made


def _scalar(function: Any) -> Any:
    def scalar(*xs: Any) -> Any:
        return sum(
            [
                (leaf * treadle.numpy.cos(1.0 + leaf)).sum()
                for leaf in tree_leaves(function(*xs))
                if treadle.numpy.issubdtype(leaf.dtype, np.floating)
            ]
        )

    return scalar


@pytest.mark.parametrize("item", POOL.values(), ids=POOL)
def test_values(item: Open) -> None:
    data = export.export(treadle.jit(item.function))(*_specs(item)).serialize()
    again = export.deserialize(data)
    assert again.serialize() == data
    for sizes in item.sizes:
        arguments = _arrays(item, sizes)
        found, wanted = again.call(*arguments), treadle.jit(item.function)(*arguments)
        for one, other in zip(tree_leaves(found), tree_leaves(wanted), strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("item", [x for x in POOL.values() if x.grad], ids=lambda x: x.name)
def test_derivatives(item: Open) -> None:
    exported = export.export(treadle.jit(item.function))(*_specs(item))
    again = export.deserialize(exported.serialize(vjp_order=1))
    numbers = tuple(range(len(item.shapes)))
    for sizes in item.sizes[:2]:
        arguments = _arrays(item, sizes)
        wanted = treadle.grad(_scalar(item.function), argnums=numbers)(*arguments)
        found = treadle.grad(_scalar(again.call), argnums=numbers)(*arguments)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
