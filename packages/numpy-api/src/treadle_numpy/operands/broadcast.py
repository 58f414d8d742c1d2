"""Operands of one shape, by NumPy's rule; elementwise primitives take scalars together with arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final, TypeAlias, overload

from treadle_ir import Array, Operand, Primitive, ShapeError, ops
from treadle_ir.errors import is_users, user_stacklevel
from treadle_ir.primitives.shape import BroadcastInDim
from treadle_ir.settings import current_context
from treadle_ir.tracing import current_trace
from treadle_numpy.operands.plans import remember
from treadle_numpy.operands.promote import promote
from treadle_numpy.settings import RANK_PROMOTION


def common_shape(function: str, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to.

    Raises:
        ShapeError: two sizes of an axis differ and neither is 1.
    """
    if len(shapes) == 2:  # the shortest way, as nearly always
        first, second = shapes
        if first == second:
            return first
        if len(first) == len(second):
            joint: tuple[int, ...] = ()  # of few axes, sooner there than by a list
            for x, y in zip(first, second):  # noqa: B905 - of one length
                if x == y or y == 1:
                    joint += (x,)
                elif x == 1:
                    joint += (y,)
                else:
                    break
            else:
                return joint
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for axis, size in enumerate(shape, ndim - len(shape)):
            if size != 1:
                if result[axis] not in (1, size):
                    listed = ", ".join(map(str, shapes))
                    # Words that people search for.
                    who = "I" if function.startswith("broadcast_") else f"{function} got i"
                    raise ShapeError(
                        f"{who}ncompatible shapes for broadcasting: {listed}",
                        fix="sizes of an axis, counted from the last one, must be equal or 1: reshape, or add axes "
                        "with `x[:, None]`",
                    )
                result[axis] = size
    return tuple(result)


def check_ranks(function: str, shapes: Sequence[tuple[int, ...]]) -> None:
    """Say that arrays with different numbers of axes are broadcast by the user's operation, if the user wants to know.

    Raises:
        ShapeError: the setting `numpy_rank_promotion` is "raise".
    """
    wanted = RANK_PROMOTION()
    if wanted == "allow" or not is_users():
        return
    listed = ", ".join(map(str, shapes))
    if wanted == "raise":
        raise ShapeError(
            f"{function}: operands could not be broadcast together, their shapes {listed} have different numbers of "
            "axes and numpy_rank_promotion is 'raise'",
            fix="add axes explicitly, as in `x[None, :]`, or set numpy_rank_promotion to 'allow'",
        )
    warnings.warn(
        f"{function} broadcasts shapes {listed}, which have different numbers of axes (numpy_rank_promotion is 'warn')",
        UserWarning,
        stacklevel=user_stacklevel(),
    )


def check_settings(function: str, *arguments: object, ranks: bool = False) -> None:
    """Refuse arguments that users' settings refuse, before a function hands them on to another one as its own.

    Raises:
        DTypeError: the setting `numpy_dtype_promotion` is "strict", and element types differ.
        ShapeError: if `ranks`, the setting `numpy_rank_promotion` is "raise", and numbers of axes differ.
    """
    if not current_context().of_users:
        return
    operands = promote(function, *arguments)
    if ranks and len({len(x.shape) for x in operands if x.shape}) > 1:
        check_ranks(function, [x.shape for x in operands])


def broadcast(function: str, operands: list[Operand], *, counted: bool = True) -> list[Operand]:
    """Coerced operands of one shape, scalars left alone; `counted` by the setting `numpy_rank_promotion`.

    Raises:
        ShapeError: NumPy's rule finds no common shape.
    """
    shapes = {shape for operand in operands if (shape := operand.shape)}
    if len(shapes) < 2:
        return operands
    if counted and len({len(shape) for shape in shapes if shape}) > 1:
        check_ranks(function, [operand.shape for operand in operands])
    shape = common_shape(function, [operand.shape for operand in operands])
    return [broadcast_to_shape(x, shape) if x.shape else x for x in operands]


def stretched(function: str, operands: list[Operand]) -> list[Operand]:
    """Repeat axes of size 1 of coerced operands; operands with a different number of axes are left alone.

    Raises:
        ShapeError: two sizes of an axis differ and neither is 1.
    """
    if len(operands) == 2 and operands[0].shape == operands[1].shape:
        return operands  # as nearly always
    shapes = [shape for operand in operands if (shape := operand.shape)]
    if len({*shapes}) < 2 or len({len(shape) for shape in shapes}) > 1:
        return operands
    shape = common_shape(function, shapes)
    return [broadcast_to_shape(x, shape) if x.shape else x for x in operands]


@overload
def broadcast_to_shape(x: Array, shape: tuple[int, ...]) -> Array: ...
@overload
def broadcast_to_shape(x: Operand, shape: tuple[int, ...]) -> Operand: ...
def broadcast_to_shape(x: Operand, shape: tuple[int, ...]) -> Operand:
    """Return an operand broadcast to a shape."""
    own = x.shape
    if own == shape:
        return x
    first = len(shape) - len(own)
    return ops.broadcast_in_dim(x, shape=shape, dimensions=tuple(range(first, len(shape))))


Shapes: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
_BROADCASTS: Final[dict[Shapes, tuple[Primitive | None, Primitive | None]]] = {}


def broadcast_pair(function: str, x: Array, y: Array) -> tuple[Operand, Operand]:
    """Return two arrays as operands of one shape, scalars left alone: `broadcast` for the operators, which are a hot
    path.

    Raises:
        ShapeError: NumPy's rule finds no common shape.
    """
    shapes = x.type.shape, y.type.shape
    if len(shapes[0]) != len(shapes[1]) and shapes[0] and shapes[1]:
        check_ranks(function, shapes)
    plan = _BROADCASTS.get(shapes)
    if plan is None:
        shape = common_shape(function, shapes)
        plan = _broadcasting(shapes[0], shape), _broadcasting(shapes[1], shape)
        remember(_BROADCASTS, shapes, plan)
    left, right = plan
    process = current_trace().process
    a: Operand = x if left is None else process(left, (x,))[0]
    b: Operand = y if right is None else process(right, (y,))[0]
    return a, b


def _broadcasting(own: tuple[int, ...], shape: tuple[int, ...]) -> Primitive | None:
    """Return the primitive that broadcasts to a shape; None for arrays that have the shape, and for scalars."""
    if not own or own == shape:
        return None
    return BroadcastInDim(shape, tuple(range(len(shape) - len(own), len(shape))))


def promote_shapes(function: str, *arguments: object, inexact: bool = False) -> list[Operand]:
    """Arguments as elementwise primitives take them: one element type, one shape or scalar."""
    return broadcast(function, promote(function, *arguments, inexact=inexact))
