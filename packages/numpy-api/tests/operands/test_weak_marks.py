"""Weak marks of what combines an array with numbers beside it: those of the array, as on JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArrayType, stage
from treadle_numpy.arrays.table import install

install()
STRONG = np.float32(2)
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "set": lambda x: x.at[0, 0].set(2.0),
    "set strong": lambda x: x.at[0].set(STRONG),
    "set by a vector": lambda x: x.at[np.array([0, 1])].set(STRONG),
    "set within": lambda x: x.at[0, :2].set(STRONG),
    "add": lambda x: x.at[0].add(STRONG),
    "min": lambda x: x.at[0, 0].min(STRONG),
    "pad": lambda x: tnp.pad(x, 1),
    "pad strong": lambda x: tnp.pad(x, 1, constant_values=STRONG),
    "pad unequal": lambda x: tnp.pad(x, 1, constant_values=(1, STRONG)),
    "pad edge": lambda x: tnp.pad(x, 1, mode="edge"),
    "pad mean": lambda x: tnp.pad(x, 1, mode="mean"),
    "tril": lambda x: tnp.tril(x),
    "triu": lambda x: tnp.triu(x, 1),
    "diag": lambda x: tnp.diag(x),
    "diag of a vector": lambda x: tnp.diag(x[0]),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
@pytest.mark.parametrize("weak", [False, True])
def test_the_mark_is_that_of_the_array(operation: Callable[[Any], Any], weak: bool) -> None:
    type = ArrayType((2, 3), np.dtype(np.float32), weak)
    (made,) = stage(lambda x: [operation(x)], type).program.result_types
    assert isinstance(made, ArrayType)
    assert (made.dtype, made.weak) == (type.dtype, weak)
