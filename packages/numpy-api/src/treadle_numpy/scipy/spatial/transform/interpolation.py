"""Rotations between rotations: along the shortest way, with constant speed.

Method: Shoemake, SIGGRAPH Comput. Graph. 19 (1985) 245.
"""

from __future__ import annotations

from typing import NamedTuple

from treadle_ir import Array, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import refused
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.searching.sorted_vectors import searchsorted
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.scipy.spatial.transform.rotations import Rotation

__all__ = ["Slerp"]


class Slerp(NamedTuple):
    """Rotations at ascending times, and between them; `Slerp.init` makes it.

    Before the first time and after the last, the nearest motion goes on.

    Example:
        >>> import numpy as np
        >>> turns = Rotation.from_euler("z", np.array([[0.0], [90.0]]), degrees=True)
        >>> print(Slerp.init(np.array([0.0, 1.0]), turns)(0.5).as_rotvec(degrees=True).round(3))
        [ 0.  0. 45.]
    """

    times: Array
    timedelta: Array
    rotations: Rotation
    rotvecs: Array

    @classmethod
    def init(cls, times: ArrayLike, rotations: Rotation) -> Slerp:
        """From n >= 2 times, which must ascend, and a row of n rotations."""
        if not isinstance(rotations, Rotation):
            raise refused("Slerp.init", "rotations", "a row of rotations", rotations)
        known = _real(times)
        if rotations.single or len(rotations) < 2:
            raise ShapeError("Slerp.init: rotations must be a row of two or more")
        if known.shape != (len(rotations),):
            raise ShapeError(
                f"Slerp.init: {len(rotations)} rotations do not go with times of shape {known.shape}"
            )
        between = rotations[:-1].inv() * rotations[1:]
        return cls(known, known[1:] - known[:-1], rotations[:-1], between.as_rotvec())

    def __call__(self, times: ArrayLike) -> Rotation:
        """Return the rotation at a time, or a row of them at a vector of times."""
        at = _real(times)
        if at.ndim > 1:
            raise ShapeError(f"Slerp: times must be a number or a vector, got shape {at.shape}")
        index = clip(searchsorted(self.times, at, "right") - 1, 0, self.timedelta.size - 1)
        share = (at - take(self.times, index)) / take(self.timedelta, index)
        turned = Rotation.from_rotvec(take(self.rotvecs, index, 0) * expand_dims(share, -1))
        return Rotation(take(self.rotations.quat, index, 0)) * turned


def _real(times: ArrayLike) -> Array:
    found = array_of(promote("Slerp", array_from("Slerp", times, None), inexact=True)[0])
    if is_complex(found.dtype):
        raise refused("Slerp", "times", "real numbers", times)
    return found
