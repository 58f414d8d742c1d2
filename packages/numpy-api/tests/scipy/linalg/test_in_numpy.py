"""Counterparts of matrices made of vectors give what the operations give, to the last bit."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, strategies as st

from treadle_ir import ArrayType
from treadle_ir.calling import host_functions
from treadle_ir.settings import X64
from treadle_numpy import scipy as tsp
from treadle_numpy.scipy.linalg import in_numpy

TYPES = "?bHiqfdFD"


def drawn(letter, *shape):
    """Random numbers of a type."""
    numbers = np.random.default_rng(len(shape)).standard_normal((2, *shape)) * 5
    return (numbers[0] + 1j * numbers[1] if letter in "FD" else numbers[0]).astype(letter)


def check(function, name, *operands):
    """Compare a counterpart with the operations, and with SciPy."""
    (found,) = getattr(in_numpy, name)([ArrayType(x.shape, x.dtype) for x in operands])(*operands)
    with X64.override(True):
        expected = np.asarray(function.__wrapped__(*operands))
    np.testing.assert_array_equal(found, expected, strict=True)
    numbers = [x.astype("d") if x.dtype == np.bool_ else x for x in operands]  # as SciPy wants them
    np.testing.assert_array_equal(found, getattr(scipy.linalg, name)(*numbers))
    assert found.base is None


@pytest.mark.parametrize("letter", TYPES)
@given(m=st.integers(1, 9), n=st.integers(1, 9))
def test_toeplitz_is_that_of_the_operations(letter, m, n):
    check(tsp.linalg.toeplitz, "toeplitz", drawn(letter, m))
    check(tsp.linalg.toeplitz, "toeplitz", drawn(letter, m), drawn(letter, n))


@pytest.mark.parametrize("letter", TYPES)
@given(shapes=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4))
def test_block_diag_is_that_of_the_operations(letter, shapes):
    check(tsp.linalg.block_diag, "block_diag", *[drawn(letter, *shape) for shape in shapes])


@pytest.mark.parametrize("name", ["toeplitz", "block_diag"])
def test_types_that_are_not_served_have_no_counterpart(name):
    maker = getattr(in_numpy, name)
    bf16 = np.dtype("bfloat16") if "bfloat16" in np.sctypeDict else None
    for x in (np.ones(()), np.ones(0), np.ones((0, 2)), np.ones((2, 2, 2))):
        assert maker([ArrayType(x.shape, x.dtype)]) is None
    assert maker([]) is None
    shape = (2,) if name == "toeplitz" else (2, 2)
    two = [ArrayType(shape, np.dtype(letter)) for letter in "fd"]
    assert maker(two) is None
    assert bf16 is None or maker([ArrayType(shape, bf16)]) is None


def test_the_functions_have_them():
    for name in ("toeplitz", "block_diag"):
        function = getattr(tsp.linalg, name)
        assert host_functions[function.__wrapped__] is getattr(in_numpy, name)
