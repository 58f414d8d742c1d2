"""Parts of matrices, compared with NumPy's."""

import numpy as np
import pytest

from treadle_ir import ArrayType, stage
from treadle_ir.calling import matrices
from treadle_ir.symbolic import SymbolicScope, read_dimension


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (3, 3), (2, 4, 4), (2, 0, 3, 3)])
@pytest.mark.parametrize("kind", [np.float32, np.complex64, np.int32])
def test_diagonals(shape, kind):
    x = np.arange(np.prod(shape)).reshape(shape).astype(kind) - 3
    found = np.asarray(matrices.diagonal(x))
    expected = np.diagonal(x, axis1=-2, axis2=-1)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_diagonals_of_other_elements_infinite_or_nan():
    x = np.array([[-0.0, np.inf], [np.nan, 2.0]], np.float32)
    found = np.asarray(matrices.diagonal(x))
    np.testing.assert_array_equal(found, [0, 2])
    assert np.signbit(found[0])


def test_diagonals_of_sizes_left_open():
    n = read_dimension("n", SymbolicScope())
    program = stage(
        lambda x: [matrices.diagonal(x)], ArrayType((n, n), np.dtype(np.float32))
    ).program
    assert program.result_types[0].shape == (n,)
