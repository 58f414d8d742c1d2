"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, overload

from treadle_ir import Array, ShapeError, ops
from treadle_ir.calling import composed, operand_or_none
from treadle_ir.errors import functions, sequence
from treadle_ir.tree import tree_unflatten
from treadle_numpy.lax.control.staging import flatten_operands
from treadle_numpy.lax.folding import Fold, TreeComputation
from treadle_numpy.lax.monoids import MONOIDS, Computation, Reduction, monoid_of
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axes, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import as_dtype_of
from treadle_numpy.operands.shapes import size_of
from treadle_numpy.operands.trees import Container, Tree

__all__ = [
    "argmax",
    "argmin",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_xor",
]


class ReductionFunction(Protocol):
    """A reduction along axes, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(
        self, operand: ArrayLike, axes: Sequence[int], *, out_sharding: Device = None
    ) -> Array:
        """Return the elements along the axes combined."""
        ...


class _Instruction(Reduction, Protocol):
    __name__: str


_NUMBERS: Final = "[[1, 2], [3, 4]]"
_BOOLEANS: Final = "[[True, False], [True, True]]"


def _reduction(
    name: str, instruction: _Instruction, what: str, empty: str, shown: str, example: str = _NUMBERS
) -> ReductionFunction:
    def function(operand: ArrayLike, axes: Sequence[int], *, out_sharding: Device = None) -> Array:
        if out_sharding is not None:
            return with_out_sharding(function, out_sharding, operand, axes)
        x = coerce_array(name, 0, operand)
        named = tuple(sorted(as_axis(name, axis, x.ndim) for axis in sequence(name, "axes", axes)))
        return instruction(x, axes=named)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {what} of the elements along some axes, which are gone from the result.

    Negative axes count from the last. Where there are no elements, the result is {empty}.

    Raises:
        AxisError: there is no such axis; ShapeError: one is named twice.
        DTypeError: the element type has no such operation.

    Example:
        >>> import numpy as np
        >>> print({name}(np.array({example}), (1,)))
        {shown}
    """
    return function


reduce_sum = _reduction("reduce_sum", ops.reduce_add, "sum", "0", "[3 7]")
reduce_prod = _reduction("reduce_prod", ops.reduce_multiply, "product", "1", "[ 2 12]")
reduce_max = _reduction(
    "reduce_max", ops.reduce_maximum, "greatest", "the least value of the element type", "[2 4]"
)
reduce_min = _reduction(
    "reduce_min", ops.reduce_minimum, "least", "the greatest value of the element type", "[1 3]"
)
reduce_and = _reduction(
    "reduce_and", ops.reduce_and, "bitwise and", "every bit set", "[False  True]", _BOOLEANS
)
reduce_or = _reduction(
    "reduce_or", ops.reduce_or, "bitwise or", "no bit set", "[ True  True]", _BOOLEANS
)
reduce_xor = _reduction(
    "reduce_xor", ops.reduce_xor, "bitwise exclusive or", "no bit set", "[ True False]", _BOOLEANS
)


def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """Return the index of the greatest element along an axis: of the first NaN, else of the first maximum.

    maximum.

    Args:
        operand: an array.
        axis: the axis.
        index_dtype: the integer dtype of the result.

    Returns:
        An array without the axis.

    Raises:
        AxisError: there is no such axis; ShapeError: it has no elements.
        DTypeError: the elements are complex, or `index_dtype` is not an integer type.

    Example:
        >>> import numpy as np
        >>> print(argmax(np.array([[1, 5, 5], [7, 2, 0]]), 1, np.int32))
        [1 0]
    """
    x = coerce_array("argmax", 0, operand)
    return ops.argmax(
        x, axis=as_axis("argmax", axis, x.ndim), dtype=as_dtype("argmax", index_dtype)
    )


def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """Return the position of the least element along an axis, which is gone: of the first NaN, else of the first
    minimum.

    Raises:
        AxisError: there is no such axis; ShapeError: it has no elements.
        DTypeError: the elements are complex, or `index_dtype` is not an integer type.

    Example:
        >>> import numpy as np
        >>> print(argmin(np.array([[1, 5, 5], [7, 2, 0]]), 1, np.int32))
        [0 2]
    """
    x = coerce_array("argmin", 0, operand)
    return ops.argmin(
        x, axis=as_axis("argmin", axis, x.ndim), dtype=as_dtype("argmin", index_dtype)
    )


@overload
def reduce(
    operands: ArrayLike,
    init_values: ArrayLike,
    computation: Computation,
    dimensions: Sequence[int],
    out_sharding: Device = None,
) -> Array: ...
@overload
def reduce(
    operands: Container,
    init_values: Container,
    computation: TreeComputation,
    dimensions: Sequence[int],
    out_sharding: Device = None,
) -> Container: ...
def reduce(
    operands: Tree,
    init_values: Tree,
    computation: Callable[..., Tree],
    dimensions: Sequence[int],
    out_sharding: Device = None,
) -> Tree:
    """Combine the elements along axes by an associative function of two elements.

    Sums, products, extremes and bitwise functions are recognised and are single instructions; others combine
    neighbours in a logarithmic number of steps, in the elements' order.

    Args:
        operands: an array, or a tree of arrays of one shape.
        init_values: the identity of the function, a scalar for each array; it is combined with every result, once.
        computation: an associative function of two scalars, or of two trees of scalars, that returns such a scalar or
            tree.
        dimensions: the axes.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Returns:
        An array or a tree of arrays, without the axes.

    Raises:
        AxisError: there is no such axis.
        ShapeError: arrays have unequal shapes, or an initial value is not a scalar.
        StructureError, DTypeError: the function returns something else than it takes.

    Example:
        >>> import numpy as np
        >>> x = np.array([3.0, -4.0, 12.0], np.float32)
        >>> print(reduce(x, 0.0, lambda a, b: (a * a + b * b) ** 0.5, (0,)))
        13.0
    """
    if out_sharding is not None:
        return with_out_sharding(
            reduce, out_sharding, operands, init_values, computation, dimensions
        )
    dimensions = sequence("reduce", "dimensions", dimensions)
    functions("reduce", computation=computation)
    if operand_or_none(operands) is None:
        return _folded(operands, init_values, computation, dimensions)
    x = coerce_array("reduce", 0, operands)
    monoid = monoid_of(computation, x.dtype)
    if monoid is None:
        return _folded(x, init_values, computation, dimensions)
    axes = tuple(sorted(as_axis("reduce", i, x.ndim) for i in dimensions))
    return _combined(x, init_values, monoid.name, axes)


@composed(numbers=["start"])
def _combined(x: Array, start: Tree, name: str, axes: tuple[int, ...]) -> Array:
    """Return a reduction by a monoid of this name."""
    monoid = MONOIDS[name]
    initial = as_dtype_of(coerce("reduce", 1, start), x)
    if initial.shape:
        raise ShapeError(
            f"reduce: the initial value must be a scalar, got shape {initial.shape}",
            fix="combine the result with the array afterwards",
        )
    return monoid.combine(monoid.reduce(x, axes=axes), initial)


def _folded(
    operands: Tree,
    init_values: Tree,
    computation: Callable[..., Tree],
    dimensions: Sequence[int],
) -> Tree:
    """Return the reduced axes in front, made one."""
    leaves, structure = flatten_operands("reduce", "operands", operands)
    moved: list[Array] = []
    for leaf in leaves:
        x = array_of(leaf)
        axes = as_axes("reduce", tuple(dimensions), x.ndim)
        order = (*sorted(axes), *[i for i in range(x.ndim) if i not in axes])
        x = ops.transpose(x, permutation=order)
        count = size_of(x.shape[: len(axes)])
        moved.append(ops.reshape(x, shape=(count, *x.shape[len(axes) :])))
    return Fold("reduce", tree_unflatten(structure, moved), init_values, computation).along_first()
