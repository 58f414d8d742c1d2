"""Rotations of space as unit quaternions.

Formulas: Shuster, J. Astronaut. Sci. 41 (1993) 439; quaternions of matrices after Shepperd, J. Guid. Control 1 (1978)
223; means after Markley and others, J. Guid. Control Dyn. 30 (2007) 1193.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, integer_or_none, refused, sequence
from treadle_ir.process import frozen
from treadle_ir.tree import register_pytree_node_class
from treadle_numpy.numpy.creation.constant import ones
from treadle_numpy.numpy.linalg.eigenvalues import eigh
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate, stack
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.reductions.positions import argmax
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.numpy.ufuncs.trigonometry import arctan2, cos, sin
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.random.distributions.normal import normal
from treadle_numpy.scipy.spatial.transform.euler_angles import angles, axes_of, product, quaternions

__all__ = ["Rotation"]


@register_pytree_node_class
@frozen(eq=False)
class Rotation:
    """A rotation of space, or a row of them: unit quaternions (x, y, z, w), a tree of one array.

    Rotations are made by `from_quat`, `from_matrix`, `from_rotvec`, `from_mrp`, `from_euler`, `identity` and `random`.

    Example:
        >>> quarter = Rotation.from_euler("z", 90.0, degrees=True)
        >>> print(quarter.apply(np.array([1.0, 0.0, 0.0])).round(3))
        [0. 1. 0.]
    """

    quat: Array

    def tree_flatten(self) -> tuple[tuple[Array], None]:
        """Return the quaternions, of which its tree is made."""
        return (self.quat,), None

    @classmethod
    def tree_unflatten(cls, _: None, children: Sequence[Array]) -> Rotation:
        """Return the rotation of what its tree was made of."""
        return cls(*children)

    @classmethod
    def from_quat(cls, quat: ArrayLike) -> Rotation:
        """Make rotations of quaternions [..., 4], which are normalised; NaN where all is zero."""
        return cls(_unit(_vectors("from_quat", quat, 4)))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Rotation:
        """Make rotations of orthogonal matrices [..., 3, 3] with determinant 1."""
        m = _real("from_matrix", matrix)
        if m.ndim not in (2, 3) or m.shape[-2:] != (3, 3):
            raise ShapeError(f"Rotation.from_matrix: matrices are [..., 3, 3], got {m.shape}")
        e = [[m[..., i, j] for j in range(3)] for i in range(3)]
        trace = e[0][0] + e[1][1] + e[2][2]
        rows = []
        for i in range(3):  # each is exact but where its own element is near zero
            j, k = (i + 1) % 3, (i + 2) % 3
            row = [trace] * 4
            row[i] = 1 - trace + 2 * e[i][i]
            row[j], row[k] = e[j][i] + e[i][j], e[k][i] + e[i][k]
            row[3] = e[k][j] - e[j][k]
            rows.append(stack(row, -1))
        last = [e[2][1] - e[1][2], e[0][2] - e[2][0], e[1][0] - e[0][1], 1 + trace]
        rows.append(stack(last, -1))
        best = expand_dims(argmax(stack([e[0][0], e[1][1], e[2][2], trace], -1), -1), -1)
        found = rows[3]
        for i in range(3):
            found = where(best == i, rows[i], found)
        return cls(_unit(found))

    @classmethod
    def from_rotvec(cls, rotvec: ArrayLike, degrees: bool = False) -> Rotation:
        """Make rotations of vectors [..., 3] along the axis, as long as the angle."""
        flags("Rotation.from_rotvec", degrees=degrees)
        v = _vectors("from_rotvec", rotvec, 3) * (np.pi / 180 if degrees else 1)
        square = sum(v * v, -1, keepdims=True)
        small = square < 1e-6
        angle = sqrt(where(small, 1, square))
        share = where(small, 0.5 - square / 48, sin(angle / 2) / angle)
        last = where(small, 1 - square / 8 + square * square / 384, cos(angle / 2))
        return cls(concatenate([v * share, last], -1))

    @classmethod
    def from_mrp(cls, mrp: ArrayLike) -> Rotation:
        """Of modified Rodrigues parameters [..., 3]: the axis times the tangent of a quarter of the angle."""
        v = _vectors("from_mrp", mrp, 3)
        square = sum(v * v, -1, keepdims=True)
        return cls(concatenate([2 * v, 1 - square], -1) / (1 + square))

    @classmethod
    def from_euler(cls, seq: str, angles: ArrayLike, degrees: bool = False) -> Rotation:
        """Of angles about axes: of space ("xyz"), or of the body ("XYZ").

        One angle, or [n] for n axes; [m, n] makes m rotations, and for one axis so does [m, 1].
        """
        axes, intrinsic = axes_of("Rotation.from_euler", seq, False)
        flags("Rotation.from_euler", degrees=degrees)
        given = _real("from_euler", angles) * (np.pi / 180 if degrees else 1)
        given = given if given.ndim else given[None]
        if given.ndim > 2 or given.shape[-1] != len(axes):
            raise ShapeError(
                f"Rotation.from_euler: {len(axes)} axes go with angles [..., {len(axes)}], got {given.shape}"
            )
        return cls(quaternions(given, axes, intrinsic))

    @classmethod
    def identity(cls, num: int | None = None, dtype: Any = float) -> Rotation:
        """Return the rotation that moves nothing, or so many of it."""
        count = integer_or_none("Rotation.identity", "num", num)
        one = converted(array_from("Rotation.identity", [0, 0, 0, 1], None), ones((), dtype).dtype)
        return cls(one if count is None else broadcast_to(one, (count, 4)))

    @classmethod
    def random(cls, random_key: Any, num: int | None = None) -> Rotation:
        """Uniformly drawn: directions in four dimensions."""
        count = integer_or_none("Rotation.random", "num", num)
        return cls(_unit(normal(random_key, (4,) if count is None else (count, 4))))

    @classmethod
    def concatenate(cls, rotations: Sequence[Rotation]) -> Rotation:
        """Return all rotations of a list in one row."""
        given = sequence("Rotation.concatenate", "rotations", rotations)
        if not given or not all([isinstance(each, Rotation) for each in given]):
            raise refused("Rotation.concatenate", "rotations", "a list of rotations", rotations)
        return cls(concatenate([x.quat[None] if x.single else x.quat for x in given]))

    @property
    def single(self) -> bool:
        """One rotation, not a row."""
        return self.quat.ndim == 1

    def as_quat(self, canonical: bool = False, scalar_first: bool = False) -> Array:
        """Quaternions [..., 4]; `canonical` makes w positive, `scalar_first` puts it first."""
        flags("Rotation.as_quat", canonical=canonical, scalar_first=scalar_first)
        q = _canonical(self.quat) if canonical else self.quat
        return concatenate([q[..., 3:], q[..., :3]], -1) if scalar_first else q

    def as_matrix(self) -> Array:
        """Matrices [..., 3, 3]."""
        return stack([self.apply(row) for row in np.eye(3, dtype=self.quat.dtype)], -1)

    def as_rotvec(self, degrees: bool = False) -> Array:
        """Vectors [..., 3] along the axis, as long as the angle, which is at most pi."""
        flags("Rotation.as_rotvec", degrees=degrees)
        q = _canonical(self.quat)
        square = sum(q[..., :3] ** 2, -1, keepdims=True)
        small = square < 1e-6
        length = sqrt(where(small, 1, square))
        share = where(small, 2 + square / 3, 2 * arctan2(length, q[..., 3:]) / length)
        return q[..., :3] * share * (180 / np.pi if degrees else 1)

    def as_mrp(self) -> Array:
        """Modified Rodrigues parameters [..., 3], at most of length 1."""
        q = _canonical(self.quat)
        return q[..., :3] / (1 + q[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False) -> Array:
        """Angles [..., 3] about three axes: of space ("xyz"), or of the body ("XYZ")."""
        axes, intrinsic = axes_of("Rotation.as_euler", seq, True)
        flags("Rotation.as_euler", degrees=degrees)
        return angles(self.quat, axes, intrinsic) * (180 / np.pi if degrees else 1)

    def apply(self, vectors: ArrayLike, inverse: bool = False) -> Array:
        """Vectors [3] or [n, 3], rotated."""
        flags("Rotation.apply", inverse=inverse)
        v = _vectors("apply", vectors, 3)
        q = self.inv().quat if inverse else self.quat
        if v.ndim == 2 and not self.single and len(v) != len(q) and 1 not in (len(v), len(q)):
            raise ShapeError(f"Rotation.apply: {len(q)} rotations do not go with {len(v)} vectors")
        pure = concatenate([v, v[..., :1] * 0], -1)
        back = q * np.array([-1, -1, -1, 1], q.dtype)
        return product(product(q, pure), back)[..., :3]

    def inv(self) -> Rotation:
        """Return the rotation back."""
        return Rotation(self.quat * np.array([-1, -1, -1, 1], self.quat.dtype))

    def magnitude(self) -> Array:
        """Return the angle, from 0 to pi."""
        q = _canonical(self.quat)
        return 2 * arctan2(sqrt(sum(q[..., :3] ** 2, -1)), q[..., 3])

    def mean(self, weights: ArrayLike | None = None) -> Rotation:
        """Return the rotation that is nearest to all of a row, which may have weights."""
        q = self.quat[None] if self.single else self.quat
        w = ones(q.shape[:1], q.dtype) if weights is None else _real("mean", weights)
        if w.shape != q.shape[:1]:
            raise ShapeError(f"Rotation.mean: {len(q)} rotations do not go with weights {w.shape}")
        return Rotation(eigh((q * w[:, None]).T @ q)[1][:, -1])

    def __mul__(self, other: object) -> Rotation:
        """`(p * q).apply(v)` is `p.apply(q.apply(v))`."""
        if not isinstance(other, Rotation):
            return NotImplemented
        return Rotation(product(self.quat, other.quat))

    def __getitem__(self, indexer: Any) -> Rotation:
        """Return some of a row."""
        if self.single:
            raise ArgumentError("Rotation: a single rotation has no elements")
        return Rotation(self.quat[indexer])

    def __len__(self) -> int:
        """Return how many there are in a row."""
        if self.single:
            raise ArgumentError("Rotation: a single rotation has no length")
        return int(self.quat.shape[0])


def _real(name: str, given: ArrayLike) -> Array:
    """Real numbers, as floats."""
    x = array_of(
        promote(f"Rotation.{name}", array_from(f"Rotation.{name}", given, None), inexact=True)[0]
    )
    if is_complex(x.dtype):
        raise DTypeError(f"Rotation.{name}: numbers must be real, got {x.dtype}")
    return x


def _vectors(name: str, given: ArrayLike, size: int) -> Array:
    """Return one vector, or a row of vectors."""
    x = _real(name, given)
    if x.ndim not in (1, 2) or x.shape[-1] != size:
        raise ShapeError(f"Rotation.{name}: shapes are [{size}] or [n, {size}], got {x.shape}")
    return x


def _unit(q: Array) -> Array:
    return q / sqrt(sum(q * q, -1, keepdims=True))


def _canonical(q: Array) -> Array:
    return where(q[..., 3:] < 0, -q, q)
