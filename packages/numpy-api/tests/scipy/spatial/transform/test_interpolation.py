"""SciPy's interpolation, and the motion that goes on outside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import transform as scipys

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.scipy.spatial.transform import Rotation, Slerp

QUATERNIONS = np.random.default_rng(0).normal(size=(4, 4))
TIMES = np.array([0.0, 1.0, 3.0, 3.5])
pytestmark = pytest.mark.usefixtures("wide")


def test_values() -> None:
    at = np.linspace(0, 3.5, 9)
    found = Slerp.init(TIMES, Rotation.from_quat(QUATERNIONS))
    expected = scipys.Slerp(TIMES, scipys.Rotation.from_quat(QUATERNIONS))
    np.testing.assert_allclose(found(at).as_matrix(), expected(at).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(found(2.0).as_matrix(), expected(2.0).as_matrix(), atol=1e-14)


def test_outside() -> None:
    turns = Rotation.from_rotvec(np.array([[0, 0, 0.0], [0, 0, 1.0]]))
    moves = Slerp.init(np.array([0.0, 2.0]), turns)
    for at in (-1.0, 5.0):
        np.testing.assert_allclose(moves(at).as_rotvec(), [0, 0, at / 2], atol=1e-14)


def test_refused() -> None:
    turns = Rotation.from_quat(QUATERNIONS)
    for arguments in ((TIMES[:2], turns), (TIMES[:1], turns[:1]), (TIMES, turns[0])):
        with pytest.raises(ShapeError):
            Slerp.init(*arguments)
    with pytest.raises(ArgumentError):
        Slerp.init(TIMES, QUATERNIONS)  # type: ignore[arg-type]
    with pytest.raises(ShapeError):
        Slerp.init(TIMES, turns)(np.ones((2, 2)))
