"""Arrays joined, where one array stands for its parts along the first axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArgumentError, ArrayType, ShapeError, stage
from treadle_ir.core.dtypes import BY_NAME
from treadle_numpy import lax, numpy as tnp

F32 = BY_NAME["f32"]
SHAPES = st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple)
JOINERS = st.sampled_from(
    [
        ("concatenate", {}),
        ("concatenate", {"axis": 1}),
        ("concatenate", {"axis": -1}),
        ("concatenate", {"axis": None}),
        ("concatenate", {"dtype": "float16"}),
        ("stack", {}),
        ("stack", {"axis": 1}),
        ("stack", {"axis": -1}),
        ("vstack", {}),
        ("hstack", {}),
        ("dstack", {}),
        ("column_stack", {}),
    ]
)


@given(SHAPES, JOINERS, st.booleans())
def test_an_array_is_joined_as_its_parts_are(
    shape: tuple[int, ...], joiner: tuple[str, dict[str, Any]], ours: bool
) -> None:
    name, options = joiner
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    given = tnp.asarray(x) if ours else x
    try:
        expected = getattr(np, name)(x, **options)
    except ValueError:
        with pytest.raises((ShapeError, ValueError)):
            getattr(tnp, name)(given, **options)
        return
    got = getattr(tnp, name)(given, **options)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["concatenate", "stack", "vstack", "hstack", "dstack"])
def test_of_many_parts_none_is_cut_out(name: str) -> None:
    program = stage(lambda x: [getattr(tnp, name)(x)], ArrayType((1000, 2, 3), F32)).program
    assert len(program.equations) <= 3


def test_lax_stack_of_an_array() -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(lax.stack(tnp.asarray(x), 1), x.T)


@pytest.mark.parametrize("name", ["concatenate", "stack", "vstack", "hstack", "dstack"])
def test_there_have_to_be_parts(name: str) -> None:
    with pytest.raises(ArgumentError, match="at least one array"):
        getattr(tnp, name)(tnp.zeros((0, 3)))
