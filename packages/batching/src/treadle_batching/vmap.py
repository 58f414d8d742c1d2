"""vmap: vectorise a function over an axis of its arguments, with in_axes and out_axes over pytrees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, ParamSpec, TypeVar

import numpy as np

from treadle_batching.axis import Axis, Dim, divided_by
from treadle_batching.batch import batch_tree
from treadle_batching.mapped_refs import map_over_refs, mapped_places
from treadle_batching.moving import with_dim
from treadle_batching.vmappable import (
    VMAPPABLE,
    Assembled,
    elements,
    is_spec,
    is_vmappable,
    whole_results,
)
from treadle_ir import ArgumentError, Operand, Operands, ShapeError, type_of
from treadle_ir.calling import TreeFunction, array_results, as_array, canonical_elements
from treadle_ir.errors import flags, wraps
from treadle_ir.refs import Cell
from treadle_ir.tracing import over_mesh_of, positional_names
from treadle_ir.tree import (
    Dims,
    MappingSpec,
    PyTreeDef,
    SequenceKey,
    flatten_around,
    flatten_leaves_and_structure,
    forms,
    keystr,
    leaf_paths,
    spread_prefix,
    tree_unflatten,
)

P = ParamSpec("P")
R = TypeVar("R", bound=Any)  # the bound is what parameters of a lambda get from pyright


def _is_entry(x: object) -> bool:
    return x is None or (bool(VMAPPABLE) and is_spec(x))


def vmap(
    fun: Callable[P, R],
    in_axes: int | Sequence[Any] | None = 0,  # Any: trees of axes
    out_axes: Any = 0,
    axis_name: Hashable | None = None,
    axis_size: int | None = None,
    spmd_axis_name: Hashable | None = None,
    sum_match: bool = False,
) -> Callable[P, R]:
    """Return a function that applies `fun` to all batch elements of its arguments at once.

    Args:
        fun: the function of one batch element.
        in_axes: for each positional argument the axis that holds the batch elements (an int), None for an argument that
            all batch elements share, or a tree of these that is a prefix of the argument. One int stands for all.
            Keyword arguments are mapped over axis 0. A mutable reference with an axis is one for each batch element.
        out_axes: where the batch elements go in each result; None for results that are the same for all batch elements.
        axis_name: a name for collectives (`psum`, `axis_index`) inside.
        axis_size: the number of batch elements; needed only when no argument has them.
        spmd_axis_name: accepted; it has no meaning on one device.
        sum_match: accepted, without effect.

    Returns:
        A function of the arguments of `fun`, with a batch axis of one size in each mapped argument. Its results have
        the structure of the results of `fun`, with a batch axis at `out_axes`.

    Raises:
        ValueError: in_axes or out_axes do not fit, or sizes differ.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_batching import vmap
        >>> print(vmap(ops.add, in_axes=(0, None))(np.arange(3.0), np.float64(1.0)))
        [1. 2. 3.]
    """
    if not callable(fun):
        raise ArgumentError(
            f"vmap: the first argument must be a function, but it is {type(fun).__name__}",
            fix="write vmap(f)(x), not vmap(f(x))",
        )
    flags("vmap", sum_match=sum_match)
    name = getattr(fun, "__name__", type(fun).__name__)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if not (in_axes is None or isinstance(in_axes, (int, tuple, MappingSpec)) or is_spec(in_axes)):
        raise ArgumentError(
            f"vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
            f"passed to the function, but got {in_axes!r}.",
            fix="write in_axes=(0, None) for two arguments; a dict goes inside the tuple",
        )

    @wraps(fun)
    def vectorised(*args: P.args, **kwargs: P.kwargs) -> R:
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise ShapeError(
                "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional "
                f"arguments passed to the function, but got {len(in_axes)=}, {len(args)=}",
                fix="give one entry per positional argument: an axis, or None for an argument that "
                "all batch elements share",
            )
        given: tuple[Any, Any] = (args, kwargs)
        if VMAPPABLE:
            leaves, structure = flatten_around(given, is_vmappable)
            given = tree_unflatten(
                structure, [... if is_vmappable(leaf) else leaf for leaf in leaves]
            )
        else:
            leaves, structure = flatten_leaves_and_structure(given)
        prefix = (in_axes, 0) if kwargs else (in_axes, None)
        try:
            dims = spread_prefix("vmap: in_axes and arguments", prefix, given, _is_entry)
        except ValueError as error:
            raise ShapeError(
                f"vmap in_axes {in_axes!r} is not a prefix of the arguments: {error}",
                fix="in_axes must have the structure of the positional arguments, or stop short of it",
            ) from None
        places = mapped_places(leaves, dims)
        if places:

            def mapping(pure: Callable[..., Any], inner: Any, outer: Any) -> Callable[..., Any]:
                return vmap(pure, inner, outer, axis_name, axis_size)

            output: R = map_over_refs(fun, mapping, leaves, structure, dims, places, out_axes)
            return output
        for first, count, form in forms(structure):
            spec = dims[first] if count else None
            known = _known_size(leaves, dims, axis_size)
            dims[first : first + count] = _dims_of_parts("in_axes", spec, count, form.mapped, known)
        path = partial(_path, fun, given)
        checked = [
            None if type(leaf) in VMAPPABLE else _checked_dim(leaf, dim, index, path)
            for index, (leaf, dim) in enumerate(zip(leaves, dims, strict=True))
        ]
        size = _axis_size(leaves, checked, axis_size, path, name)
        if VMAPPABLE:
            function = TreeFunction(
                fun,
                lambda operands: tree_unflatten(structure, elements(operands, dims)),
                whole_results(lambda out: _spread(out_axes, out)),
            )
        else:
            function = TreeFunction(
                fun, lambda operands: tree_unflatten(structure, operands), array_results()
            )
        operands = [
            _shared(leaf) if dim is None else as_array(leaf)
            for leaf, dim in zip(leaves, checked, strict=True)
        ]
        with over_mesh_of(leaves):
            axis = Axis(size, axis_name, divided_by(leaves, checked))
            results, result_dims, out = batch_tree(function, axis, operands, checked, name)
        wanted = _spread(out_axes, out)
        for first, count, form in forms(out):
            spec = wanted[first] if count else None
            if spec is None and any(dim is not None for dim in result_dims[first : first + count]):
                spec = 0  # refused, with what to pass
            wanted[first : first + count] = _dims_of_parts(
                "out_axes", spec, count, form.stacked, size
            )
        placed = [
            _placed(result, dim, destination, axis, index, out)
            for index, (result, dim, destination) in enumerate(
                zip(results, result_dims, wanted, strict=True)
            )
        ]
        result: R = tree_unflatten(out, placed)
        return result

    return vectorised


def _spread(out_axes: Any, out: PyTreeDef) -> list[Any]:  # Any: trees of axes
    """Return the axis of each leaf of the results.

    Raises:
        ShapeError: out_axes are not a prefix.
    """
    if out_axes is None or isinstance(out_axes, (int, MappingSpec)):
        return [out_axes] * out.num_leaves
    try:
        return spread_prefix(
            "vmap: out_axes and results",
            out_axes,
            tree_unflatten(out, list(range(out.num_leaves))),
            _is_entry,
        )
    except ValueError as error:
        raise ShapeError(
            f"vmap out_axes {out_axes!r} is not a prefix of the results: {error}",
            fix="out_axes must have the structure of the results, or stop short of it",
        ) from None


def _known_size(leaves: Sequence[object], dims: Sequence[object], given: int | None) -> int | None:
    """Return the number of batch elements, as far as integer axes determine it."""
    if given is None:
        for leaf, dim in zip(leaves, dims, strict=True):
            if isinstance(dim, int) and type(leaf) not in VMAPPABLE and not isinstance(leaf, Cell):
                shape = type_of(leaf).shape
                if -len(shape) <= dim < len(shape):
                    return shape[dim]
    return given


def _dims_of_parts(
    name: str,
    spec: object,
    count: int,
    dims: Callable[[MappingSpec, int], Dims],
    size: int | None,
) -> Dims:
    """Return the axes of the parts of a value of a user-defined type, by its `MappingSpec`."""
    if spec is None:
        return (None,) * count
    if not isinstance(spec, MappingSpec):
        raise ShapeError(
            f"vmap {name}: {spec!r} is given for a value of a library's own type, whose axes have no numbers",
            fix="pass a MappingSpec of that type, or None",
        )
    if size is None:
        raise ShapeError(
            f"vmap {name}: the number of batch elements is not known from {spec!r}",
            fix="pass axis_size",
        )
    return dims(spec, size)


def _shared(leaf: object) -> Any:  # Any: whatever it is
    """Return a value that all batch elements share: the user's, but not wider than the width in force."""
    return canonical_elements(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _path(fun: Callable[..., Any], given: tuple[Any, Any], index: int) -> str:
    """Return the name of a leaf of positional and keyword arguments, such as `argument x['w']`."""
    which, argument, *rest = leaf_paths(given)[index]
    path = keystr(tuple(rest))
    if which != SequenceKey(0):
        return f"argument {getattr(argument, 'key', '')}{path}"
    place = getattr(argument, "idx", 0)
    names = positional_names(fun)
    return f"argument {names[place] if place < len(names) else place}{path}"


def _checked_dim(leaf: object, dim: object, index: int, path: Callable[[int], str]) -> Dim:
    if dim is None:
        return None
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise ShapeError(f"vmap in_axes must be integers or None, but {path(index)} has {dim!r}")
    try:
        type = type_of(leaf)
    except ArgumentError as error:
        raise ArgumentError(
            f"vmap: {path(index)} is {leaf!r} of type {_name(leaf)}, which has no axis to map over",
            fix="pass an array, or in_axes=None for this argument and an array or number",
        ) from error
    if not -type.ndim <= dim < type.ndim:
        raise ShapeError(
            f"vmap was requested to map {path(index)} along axis {dim}, which implies that its rank "
            f"should be at least {dim + 1 if dim >= 0 else -dim}, but is only {type.ndim} (its type is {type})",
            fix="pass in_axes=None for arguments that all batch elements share",
        )
    return dim % type.ndim


def _name(leaf: object) -> str:
    return type(leaf).__name__


def _axis_size(
    leaves: Operands, dims: Sequence[Dim], given: int | None, path: Callable[[int], str], name: str
) -> int:
    sizes = {
        index: type_of(leaf).shape[dim]
        for index, (leaf, dim) in enumerate(zip(leaves, dims, strict=True))
        if dim is not None
    }
    if not sizes and given is None:
        raise ShapeError(
            f"vmap of `{name}`: no argument is mapped, so the number of batch elements is not known",
            fix="give at least one argument an axis in in_axes, or pass axis_size",
        )
    distinct = sorted({*sizes.values(), *(() if given is None else (given,))})
    if len(distinct) > 1:
        lines = "; ".join(
            f"{path(i)} has {size} (axis {dims[i]} of {type_of(leaves[i])})"
            for i, size in sizes.items()
        )
        extra = "" if given is None else f"; axis_size is {given}"
        raise ShapeError(
            f"vmap got inconsistent sizes for array axes to be mapped: {lines}{extra}",
            fix="mapped axes must have one size; pass in_axes=None for arguments that all batch elements share",
        )
    size: int = distinct[0]
    return size


def _placed(
    result: Operand | Assembled,
    dim: Dim,
    destination: object,
    axis: Axis,
    index: int,
    out: PyTreeDef,
) -> Any:  # Any: an operand, or what a library's function made
    if isinstance(result, Assembled):
        return result.value
    if destination is None:
        if dim is not None:
            paths = leaf_paths(tree_unflatten(out, range(out.num_leaves)))
            raise ShapeError(
                f"at vmap out_axes{keystr(paths[index])}, got axis spec None but output was batched on axis {dim}: "
                "it differs between batch elements",
                fix="give the result an axis in out_axes",
            )
        return result
    rank = type_of(result).ndim + (1 if dim is None else 0)
    if not isinstance(destination, int):
        raise ArgumentError(
            "vmap out_axes must be an int, None, or a tree of them in the structure of the results, "
            f"got {destination!r}",
            fix="write out_axes=0 for results that are stacked along a first axis",
        )
    if not -rank <= destination < rank:
        raise ShapeError(
            f"vmap out_axes is {destination!r}, but the result with its batch elements has {rank} axes",
            fix=f"choose an axis from {-rank} to {rank - 1}",
        )
    return with_dim(result, dim, destination % rank, axis)
