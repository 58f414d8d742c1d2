"""The requested element type of `einsum` applies to each of its sums and products; diagonals are read alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArrayType, stage

SUBSCRIPTS = [
    "i->",
    "i->i",
    "i,i->i",
    "i,i->",
    "i,j->j",
    "i,->i",
    "i,j->ij",
    "i,i,i->i",
    "i,j,k->jk",
]


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_sums_and_products_do_not_overflow(
    subscripts: str, dtype: str, staged: Callable[..., Any]
) -> None:
    x = np.full(7, 1 if dtype == "bool" else 100).astype(dtype)
    operands = [
        x if letters else x[0] for letters in subscripts.split("->", maxsplit=1)[0].split(",")
    ]
    wanted = np.einsum(subscripts, *[np.asarray(each, np.int64) for each in operands])

    def function(*xs: Any) -> Any:
        return tnp.einsum(subscripts, *xs, preferred_element_type=np.int32)

    for found in (function(*operands), staged(function, *operands)):
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("subscripts", [*SUBSCRIPTS, "ij,jk,kl->il", "ii->i", "ii,ij,j->"])
def test_floats_of_few_bits(subscripts: str) -> None:
    draw = np.random.default_rng(0)
    operands = [
        draw.integers(1, 9, (3,) * len(letters)).astype(ml_dtypes.bfloat16)
        for letters in subscripts.split("->", maxsplit=1)[0].split(",")
    ]
    found = tnp.einsum(subscripts, *operands, preferred_element_type=np.float32)
    assert found.dtype == np.float32
    wanted = np.einsum(subscripts, *[each.astype(np.float64) for each in operands])
    np.testing.assert_array_equal(found, wanted)
    narrow = tnp.einsum(
        subscripts,
        *[each.astype(np.float32) for each in operands],
        preferred_element_type="bfloat16",
    )
    assert narrow.dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize(
    "subscripts", ["ii", "ii->i", "iij->j", "jii->ij", "ijij->ji", "iii->i", "ijji->ij", "ii,ij->j"]
)
def test_diagonals(subscripts: str, staged: Callable[..., Any]) -> None:
    sizes = {"i": 3, "j": 2} if "ij->j" not in subscripts[-4:] else {"i": 3, "j": 3}
    operands = [
        np.random.default_rng(1).normal(size=[sizes[c] for c in letters]).astype(np.float32)
        for letters in subscripts.split("->", maxsplit=1)[0].split(",")
    ]
    for found in (
        tnp.einsum(subscripts, *operands),
        staged(lambda *xs: tnp.einsum(subscripts, *xs), *operands),
    ):
        np.testing.assert_allclose(found, np.einsum(subscripts, *operands), rtol=1e-5, atol=1e-6)


def test_a_diagonal_is_not_a_sum_over_the_square() -> None:
    program = stage(lambda x: [tnp.einsum("ii->i", x)], ArrayType((9, 9), np.dtype("f4"))).program
    used = {type(each.primitive).__name__ for each in program.equations}
    assert used <= {"Transpose", "Slice", "Reshape"}
