"""Types that say themselves how `vmap` maps over their values, by functions of a library's.

To `vmap` such a value is a leaf, whatever it is made of. Where the batched function gets its arguments, `to_elt` makes
of a value what one batch element sees; where it returns, `from_elt` makes a value of what one batch element returned.
Both are given a function that does the same to a part of the value: to an array, or to another such value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeAlias, final

import numpy as np

from treadle_batching.batch import BatchTrace, BatchTracer
from treadle_batching.moving import with_dim
from treadle_ir import ArgumentError, Array, Operand, Operands, ShapeError, ops, type_of
from treadle_ir.calling import array_results, as_array, operand_or_none
from treadle_ir.errors import functions, refused
from treadle_ir.process import frozen
from treadle_ir.tracing import current_trace
from treadle_ir.tree import PyTreeDef, flatten_around, tree_unflatten

Value: TypeAlias = Any  # Any: of a class of a library's, what it is made of, and specs of its own


@final
@frozen
class _Mapping:
    """How values of one type are mapped over."""

    spec: type
    to_elt: Callable[..., Value]
    from_elt: Callable[..., Value]


@final
@frozen
class Assembled:
    """A result that `from_elt` made, with its batch elements in their places."""

    value: Value


VMAPPABLE: Final[dict[type, _Mapping]] = {}
"""By type of the values. Empty in most processes: `vmap` asks that first."""


def register_vmappable(
    data_type: type,
    spec_type: type,
    axis_size_type: type,
    to_elt: Callable[..., Value],
    from_elt: Callable[..., Value],
    make_iota: Callable[..., Value] | None,
) -> None:
    """Let a type say how `vmap` maps over its values; a second registration replaces the first.

    Args:
        data_type: the class of the values; instances of its subclasses are other values.
        spec_type: what in_axes and out_axes may hold for them, besides integers and None.
        axis_size_type: accepted, without effect: the number of batch elements is an integer.
        to_elt: called as `to_elt(to_elt_of_part, index, value, spec)`: what one batch element sees of a value, where
            `to_elt_of_part(part, spec)` does it to an array or another such value, and `index()` is the number of the
            batch element, a traced integer. Called with None, too, for a value that all batch elements share.
        from_elt: called as `from_elt(from_elt_of_part, size, value, spec)`: the value of all batch elements, of what
            the function returned, where `from_elt_of_part(size, part, spec)` does it to a part.
        make_iota: accepted, without effect.

    The number of batch elements is not taken from such values: another argument has it, or `axis_size`.

    Raises:
        TypeError: the first two are not classes, or an argument is not a function.

    Example:
        >>> import numpy as np
        >>> from treadle_batching import register_vmappable, unregister_vmappable, vmap
        >>> class Meters:
        ...     def __init__(self, number):
        ...         self.number = number
        >>> def to_elt(of_part, index, value, axis):
        ...     return Meters(of_part(value.number, axis))
        >>> def from_elt(of_part, size, value, axis):
        ...     return Meters(of_part(size, value.number, axis))
        >>> register_vmappable(Meters, int, int, to_elt, from_elt, None)
        >>> print(vmap(lambda x, y: Meters(x.number + y))(Meters(np.arange(3.0)), np.ones(3)).number)
        [1. 2. 3.]
        >>> unregister_vmappable(Meters)
    """
    for name, kind in (("data_type", data_type), ("spec_type", spec_type)):
        if not isinstance(kind, type):
            raise refused("register_vmappable", name, "a class", kind)
    functions("register_vmappable", to_elt=to_elt, from_elt=from_elt)
    VMAPPABLE[data_type] = _Mapping(spec_type, to_elt, from_elt)


def unregister_vmappable(data_type: type) -> None:
    """Undo `register_vmappable`; nothing happens if the type is not registered.

    Example:
        >>> from treadle_batching import unregister_vmappable
        >>> unregister_vmappable(int)
    """
    VMAPPABLE.pop(data_type, None)


def is_vmappable(x: object) -> bool:
    """Return whether `vmap` maps over a value by functions of its type, see `register_vmappable`.

    Example:
        >>> from treadle_batching import is_vmappable
        >>> is_vmappable(1.0)
        False
    """
    return type(x) in VMAPPABLE


def is_spec(x: object) -> bool:
    """Return whether in_axes and out_axes may hold a value because a registered type accepts it."""
    return any(isinstance(x, mapping.spec) for mapping in VMAPPABLE.values())


def elements(leaves: Operands, specs: Sequence[Value]) -> Operands:
    """Return what a batch element sees of the leaves of the arguments, called where the batched function runs."""
    return [
        _to_elt(leaf, spec) if is_vmappable(leaf) else leaf
        for leaf, spec in zip(leaves, specs, strict=True)
    ]


def whole_results(
    specs_of: Callable[[PyTreeDef], Sequence[Value]],
) -> Callable[[Value], tuple[list[Value], PyTreeDef]]:
    """For a function that returns arrays and values of registered types: these of all batch elements, and the rest.

    `specs_of` gives the out_axes of each leaf of a structure.
    """

    def results(tree: Value) -> tuple[list[Value], PyTreeDef]:
        leaves, structure = flatten_around(tree, is_vmappable)
        if not any(map(is_vmappable, leaves)):
            return [*array_results()(tree)[0]], structure
        others = [None if is_vmappable(leaf) else leaf for leaf in leaves]
        arrays = iter(array_results()(tree_unflatten(structure, others))[0])
        size = _trace().axis.size
        return [
            Assembled(_from_elt(size, leaf, spec)) if is_vmappable(leaf) else next(arrays)
            for leaf, spec in zip(leaves, specs_of(structure), strict=True)
        ], structure

    return results


def _trace() -> BatchTrace:
    trace = current_trace()
    assert isinstance(trace, BatchTrace)
    return trace


def _to_elt(value: Value, spec: Value) -> Value:
    mapping = VMAPPABLE.get(type(value))
    if mapping is not None:
        return mapping.to_elt(_to_elt, _index, value, spec)
    if operand_or_none(value) is None:
        _refuse("to_elt", value)
    if spec is None:
        return value
    trace = _trace()
    array = as_array(value)
    dim = _dim("to_elt", spec, type_of(array).ndim)
    shape = type_of(array).shape
    if shape[dim] != trace.axis.size:
        raise ShapeError(
            f"vmap: to_elt maps over axis {dim} of an array of shape {shape}, "
            f"but the number of batch elements is {trace.axis.size}",
            fix="the arrays in such a value must have as many batch elements as the other arguments",
        )
    return BatchTracer(trace, array, dim)


def _index() -> Array:
    """Return the index of the batch element, which differs between them."""
    trace = _trace()
    numbers = ops.iota(shape=(trace.axis.size,), dtype=np.dtype(np.int32), dimension=0)
    return BatchTracer(trace, numbers, 0)


def _from_elt(size: Value, value: Value, spec: Value) -> Value:
    mapping = VMAPPABLE.get(type(value))
    if mapping is not None:
        return mapping.from_elt(_from_elt, size, value, spec)
    if operand_or_none(value) is None:
        _refuse("from_elt", value)
    axis = _trace().axis
    operand: Operand
    if type(value) is BatchTracer and value.axis is axis:
        operand, dim = value.operand, value.dim
    else:
        operand, dim = value, None
    if spec is None:
        if dim is not None:
            raise ShapeError(
                "vmap: from_elt is asked for an array that all batch elements share, but it differs between them",
                fix="pass an axis to the function that from_elt is given",
            )
        return value
    rank = type_of(as_array(value)).ndim + 1
    return with_dim(as_array(operand), dim, _dim("from_elt", spec, rank), axis)


def _dim(name: str, spec: Value, rank: int) -> int:
    if not isinstance(spec, int) or not -rank <= spec < rank:
        raise ShapeError(
            f"vmap: {name} maps over axis {spec!r} of an array that has {rank} axes",
            fix=f"pass an axis from {-rank} to {rank - 1}, or None",
        )
    return spec % rank


def _refuse(name: str, part: object) -> NoReturn:
    raise ArgumentError(
        f"vmap: {name} gives {part!r:.200} of type {type(part)} to the function for parts, "
        "which is neither an array nor of a registered type",
        fix="call it for each array of the value",
    )
