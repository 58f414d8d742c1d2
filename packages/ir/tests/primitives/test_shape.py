from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from treadle_ir import ArrayType, DTypeError, ShapeError, TreadleError, ops
from treadle_ir.primitives.shape import BroadcastInDim, Concatenate, Pad, Reshape, Slice

X = np.arange(6, dtype=np.float32).reshape(2, 3)
F32 = np.dtype(np.float32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ops.broadcast_in_dim(X, shape=(2, 3), dimensions=(0,)),
            "with 1 entries, but the operand f32.2,3. has",
        ),
        (lambda: ops.broadcast_in_dim(X, shape=(3, 2), dimensions=(1, 0)), "must increase"),
        (
            lambda: ops.broadcast_in_dim(X, shape=(2, 4), dimensions=(0, 1)),
            "size 3 where the shape .2, 4. has 4",
        ),
        (lambda: ops.broadcast_in_dim(X[0, 0], shape=(-1,), dimensions=()), "cannot be negative"),
        (lambda: ops.reshape(X, shape=(-1,)), "cannot be negative"),
        (lambda: ops.reshape(X, shape=(4,)), "has 6 elements, but the shape .4,. has 4"),
        (lambda: ops.transpose(X, permutation=(0, 0)), "each axis of the operand f32.2,3. once"),
        (
            lambda: ops.reverse(X, dimensions=(2,)),
            "dimensions has 2, but the operand f32.2,3. has axes 0 to 1",
        ),
        (lambda: ops.reverse(X, dimensions=(-1,)), "dimensions has -1"),
        (lambda: ops.reverse(X, dimensions=(1, 1)), "names an axis twice"),
        (lambda: ops.reverse(X[0, 0], dimensions=(0,)), "has no axes"),
        (lambda: ops.concatenate([], dimension=0), "needs at least one"),
        (lambda: ops.concatenate([X, X[0]], dimension=0), "operands 0 and 1 are"),
        (lambda: ops.concatenate([X, X[:, :2]], dimension=0), "must be equal on all axes but 0"),
        (
            lambda: ops.pad(X, X, low=(0, 0), high=(0, 0)),
            "the value is f32.2,3., but must be a scalar",
        ),
        (lambda: ops.pad(X, F32.type(0), low=(0,), high=(0,)), "low is .0,., with 1 entries"),
        (
            lambda: ops.pad(X, F32.type(0), low=(0, 0), high=(0, 0), interior=(0, -1)),
            "must not be negative",
        ),
        (lambda: ops.pad(X, F32.type(0), low=(-3, 0), high=(0, 0)), "a size cannot be negative"),
        (lambda: ops.slice(X, start=(0, 0), limit=(2, 4)), "start 0 and limit 4 on axis 1"),
        (lambda: ops.slice(X, start=(1, 0), limit=(0, 3)), "start 1 and limit 0 on axis 0"),
        (
            lambda: ops.slice(X, start=(0, 0), limit=(2, 3), strides=(1, 0)),
            "strides are at least 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        call()


def test_element_types_must_agree() -> None:
    with pytest.raises(DTypeError, match="element types must be equal"):
        ops.concatenate([X, X.astype(np.int32)], dimension=0)
    with pytest.raises(DTypeError, match="scalar of the element type"):
        ops.pad(X, np.int32(0), low=(0, 0), high=(0, 0))


def test_messages_say_how_to_fix() -> None:
    with pytest.raises(TreadleError) as caught:
        ops.reshape(X, shape=(-1,))
    assert any("treadle.numpy.reshape" in note for note in caught.value.__notes__)


def test_weak_marks_are_kept() -> None:
    weak, strong = ArrayType((3,), F32, weak=True), ArrayType((3,), F32)
    scalar = ArrayType((), F32, weak=True)
    assert Reshape((3, 1)).infer(weak) == (ArrayType((3, 1), F32, weak=True),)
    assert BroadcastInDim((2, 3), (1,)).infer(weak)[0].weak  # type: ignore[attr-defined]
    assert Slice((0,), (2,), (1,)).infer(weak)[0].weak  # type: ignore[attr-defined]
    assert Concatenate(0).infer(weak, weak)[0].weak  # type: ignore[attr-defined]
    assert not Concatenate(0).infer(weak, strong)[0].weak  # type: ignore[attr-defined]
    assert Pad((0,), (1,), (0,)).infer(weak, scalar)[0].weak  # type: ignore[attr-defined]
    assert not Pad((0,), (1,), (0,)).infer(strong, scalar)[0].weak  # type: ignore[attr-defined]


def padded(x: list[int], low: int, high: int, interior: int) -> list[int]:
    """Padding written as lists: interior first, then the ends put on or cut off."""
    spaced = [y for value in x for y in [value, *[9] * interior]][
        : len(x) + max(len(x) - 1, 0) * interior
    ]
    spaced = [9] * low + spaced if low >= 0 else spaced
    spaced = spaced + [9] * high if high >= 0 else spaced
    return spaced[-low if low < 0 else 0 : len(spaced) + high if high < 0 else len(spaced)]


def test_pad_against_lists() -> None:
    compared = 0
    for n in range(4):
        for low in range(-4, 4):
            for high in range(-4, 4):
                for interior in range(3):
                    if low + n + max(n - 1, 0) * interior + high < 0:
                        continue
                    x = np.arange(n, dtype=np.int32)
                    y = ops.pad(x, np.int32(9), low=(low,), high=(high,), interior=(interior,))
                    assert y.tolist() == padded(x.tolist(), low, high, interior), (
                        n,
                        low,
                        high,
                        interior,
                    )
                    compared += 1
    assert compared > 400
