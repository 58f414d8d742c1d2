"""SciPy's rotations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Theirs

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.tree import tree_flatten, tree_unflatten
from treadle_numpy import random
from treadle_numpy.scipy.spatial.transform import Rotation

QUATERNIONS = np.random.default_rng(0).normal(size=(6, 4))
SEQUENCES = [
    "".join(each)
    for letters in ("xyz", "XYZ")
    for each in itertools.product(letters, repeat=3)
    if each[0] != each[1] != each[2]
]
pytestmark = pytest.mark.usefixtures("wide")


def test_forms() -> None:
    for q in (QUATERNIONS, QUATERNIONS[0], np.array([0.0, 0, 0, 1]), np.array([1.0, 0, 0, 0])):
        ours, theirs = Rotation.from_quat(q), Theirs.from_quat(q)
        for name in ("as_quat", "as_matrix", "as_rotvec", "as_mrp", "magnitude"):
            found, expected = getattr(ours, name)(), getattr(theirs, name)()
            np.testing.assert_allclose(found, expected, atol=1e-14, err_msg=name)
            if name in ("as_matrix", "as_rotvec", "as_mrp"):
                back = getattr(Rotation, name.replace("as", "from"))(found)
                np.testing.assert_allclose(back.as_matrix(), theirs.as_matrix(), atol=1e-14)
    found = Rotation.from_quat(QUATERNIONS).as_quat(True, True)
    np.testing.assert_allclose(
        found, Theirs.from_quat(QUATERNIONS).as_quat(canonical=True, scalar_first=True)
    )


@pytest.mark.parametrize("seq", SEQUENCES)
def test_euler_angles(seq: str) -> None:
    theirs = Theirs.from_quat(QUATERNIONS)
    found = Rotation.from_quat(QUATERNIONS).as_euler(seq, degrees=True)
    np.testing.assert_allclose(found, theirs.as_euler(seq, degrees=True), atol=1e-10)
    back = Rotation.from_euler(seq, found, degrees=True)
    np.testing.assert_allclose(back.as_matrix(), theirs.as_matrix(), atol=1e-14)


def test_operations() -> None:
    ours, theirs = Rotation.from_quat(QUATERNIONS), Theirs.from_quat(QUATERNIONS)
    v = np.random.default_rng(1).normal(size=(6, 3))
    np.testing.assert_allclose(ours.apply(v), theirs.apply(v))
    np.testing.assert_allclose(ours.apply(v[0], inverse=True), theirs.apply(v[0], inverse=True))
    np.testing.assert_allclose((ours * ours[1]).as_matrix(), (theirs * theirs[1]).as_matrix())
    np.testing.assert_allclose(ours.inv().as_matrix(), theirs.inv().as_matrix())
    w = np.arange(6.0) + 1
    np.testing.assert_allclose(ours.mean(w).as_matrix(), theirs.mean(w).as_matrix())
    assert len(Rotation.concatenate([ours, ours[0]])) == 7
    assert Rotation.random(random.key(0), 3).quat.shape == (3, 4)
    np.testing.assert_array_equal(Rotation.identity(2).as_matrix(), np.stack([np.eye(3)] * 2))


def test_refused() -> None:
    one = Rotation.identity()
    call: Any
    for call in (
        lambda: Rotation.from_quat(np.ones(3)),
        lambda: Rotation.from_matrix(np.ones((2, 3))),
        lambda: Rotation.from_euler("xy", np.ones(3)),
        lambda: one.apply(np.ones(4)),
    ):
        with pytest.raises(ShapeError):
            call()
    for seq in ("", "xY", "ab", "xxz", "xyzx"):
        with pytest.raises(ArgumentError):
            Rotation.from_euler(seq, 1.0)
    for call in (lambda: len(one), lambda: one[0], lambda: one.as_euler("xy")):
        with pytest.raises(ArgumentError):
            call()


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize("seq", SEQUENCES)
def test_gimbal_lock(seq: str) -> None:
    """Angles that are not unique, but of the same rotation; the third is 0."""
    for middle in (0.0, 180.0) if seq[0] == seq[2] else (90.0, -90.0):
        q = Theirs.from_euler(seq, [20.0, middle, 30.0], degrees=True)
        found = Rotation.from_quat(q.as_quat()).as_euler(seq)
        assert np.asarray(found)[2] == 0
        np.testing.assert_allclose(
            Rotation.from_euler(seq, found).as_matrix(), q.as_matrix(), atol=1e-7
        )


def test_trees() -> None:
    ours = Rotation.from_quat(QUATERNIONS[:2])
    for each in (ours, ours[0]):
        leaves, structure = tree_flatten(each)
        assert len(leaves) == 1
        assert isinstance(tree_unflatten(structure, leaves), Rotation)
