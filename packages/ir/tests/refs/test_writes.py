import numpy as np
import pytest

from treadle_ir.errors.kinds import IndexingError
from treadle_ir.refs.writes import check_positions, kind_of


@pytest.mark.parametrize(
    "entries",
    [
        (2,),
        (-3,),
        (0, 3),
        (..., 3),
        (..., -4, None),
        (None, np.int32(2)),
        (slice(None), 5),
        (np.array([[0, 1]]), 3),
    ],
)
def test_positions_beyond_the_ends_are_refused(entries):
    with pytest.raises(IndexingError, match=r"is out of bounds for axis \d of size [23]") as raised:
        check_positions((2, 3), entries)
    assert isinstance(raised.value, (ValueError, IndexError))


@pytest.mark.parametrize(
    "entries",
    [
        (),
        (1, -3),
        (..., 2),
        (None, ..., 2, None),
        (np.ones((2, 3), bool),),
        (..., np.ones((2, 3), bool)),
        (True, 1),
        (np.array([9]), 2),
        (0, 0, 7),  # too many, which arrays say
    ],
)
def test_others_are_left_to_arrays(entries):
    check_positions((2, 3), entries)


def test_python_numbers_go_up_only():
    kinds = [kind_of(np.dtype(name)) for name in ("bool", "i4", "f2", "f8", "c8")]
    assert kinds == [0, 0, 1, 1, 2]
