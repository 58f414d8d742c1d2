"""vectorize: a function of arrays with few axes, applied over all the axes before them.

The axes before are mapped one by one by `vmap`, and only those arguments that have an axis (with a size other than 1)
are mapped over it, so that what is broadcast is not copied. Where no `vmap` is installed, elements are taken one after
the other.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple, TypeAlias

from treadle_ir import ArgumentError, Array, MissingRuleError, ShapeError, ops
from treadle_ir.errors import functions, names, refused, shown, wraps
from treadle_ir.tracing import installed_vmap
from treadle_ir.tree import tree_map
from treadle_numpy.lax.control.map import map
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.trees import Tree

__all__ = ["vectorize"]

Dims: TypeAlias = tuple[str, ...]  # the names of an argument's own axes
_ARGUMENT: Final = r"\((?:\w+(?:,\w+)*)?\)"
_LIST: Final = f"{_ARGUMENT}(?:,{_ARGUMENT})*"
_SIGNATURE: Final = re.compile(f"({_LIST})->({_LIST})")


class _Signature(NamedTuple):
    """The own axes of the arguments and of the results."""

    text: str
    inputs: tuple[Dims, ...]
    outputs: tuple[Dims, ...]


def vectorize(
    pyfunc: Callable[..., Tree],
    *,
    excluded: Collection[int | str] = frozenset(),
    signature: str | None = None,
) -> Callable[..., Tree]:
    """Return a function that applies `pyfunc` to each element of its arguments, broadcast against each other.

    Args:
        pyfunc: the function, of single elements, or of arrays with the axes that `signature` gives them.
        excluded: the positions and keywords of arguments that are passed on as they are.
        signature: the own axes of arguments and results, as in `"(n,m),(m)->(n)"`: equal names are equal sizes. The
            axes before them are mapped over. Without it, arguments have no axes of their own.

    Differs from NumPy: there is no `otypes`, `pyfunc` is traced and not called for each element, and may return a
    pytree where there is no signature.

    Raises:
        ArgumentError: the signature cannot be read, or a call has another number of arguments or results.
        ShapeError: a call has arrays whose axes do not fit the signature or each other.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy.numpy import dot
        >>> products = vectorize(dot, signature="(n),(n)->()")
        >>> print(products(np.arange(6).reshape(2, 3), np.array([1, 10, 100])))
        [210 543]
    """
    functions("vectorize", pyfunc=pyfunc)
    apart = _excluded(excluded)
    read = None if signature is None else _read(signature)

    @wraps(pyfunc)
    def vectorized(*args: Tree, **kwargs: Tree) -> Tree:
        return _call(pyfunc, apart, read, args, kwargs)

    return vectorized


def _excluded(excluded: Collection[int | str]) -> frozenset[int | str]:
    if isinstance(excluded, (str, bytes)) or not isinstance(excluded, Collection):
        raise refused("vectorize", "excluded", "a set of positions and keywords", excluded)
    for each in excluded:
        if isinstance(each, bool) or not isinstance(each, (int, str)):
            raise refused("vectorize", "each of excluded", "a position or a keyword", each)
        if isinstance(each, int) and each < 0:
            raise refused("vectorize", "each position of excluded", "0 or more", each)
    return frozenset(excluded)


def _read(signature: str) -> _Signature:
    names("vectorize", signature=signature)
    found = _SIGNATURE.fullmatch(re.sub(r"\s", "", signature))
    if found is None:
        raise ArgumentError(
            f"vectorize: {shown(signature)} is not a signature",
            fix="name the axes of arguments and results, as in '(n,m),(m)->(n)'",
        )
    inputs, outputs = [
        tuple([tuple(filter(None, each[1:-1].split(","))) for each in re.findall(_ARGUMENT, part)])
        for part in found.groups()
    ]
    return _Signature(signature, inputs, outputs)


def _call(
    pyfunc: Callable[..., Tree],
    excluded: frozenset[int | str],
    signature: _Signature | None,
    args: tuple[Tree, ...],
    kwargs: dict[str, Tree],
) -> Tree:
    """Return one call: arguments that are mapped are separated from the others, and mapped."""
    given: dict[int | str, Tree] = dict(enumerate(args))
    given.update((name, x) for name, x in kwargs.items())
    mapped = [key for key in given if key not in excluded]
    if signature is not None and any(isinstance(key, str) for key in mapped):
        raise ArgumentError(
            f"vectorize: the signature {signature.text} does not cover keyword arguments",
            fix="pass them by position, or put their names into `excluded`",
        )
    dims = [()] * len(mapped) if signature is None else signature.inputs
    if len(dims) != len(mapped):
        raise ArgumentError(
            f"vectorize: wrong number of positional arguments: the signature has {len(dims)}, got {len(mapped)}"
        )
    own = {key: dim for key, dim in zip(mapped, dims, strict=True) if given[key] is not None}
    arrays = [array_from("vectorize", given[key], None) for key in own]
    sizes, outer = _sizes(arrays, list(own.values()))

    def core(*elements: Array) -> Tree:
        now = {**given, **dict(zip(own, elements, strict=True))}
        result = pyfunc(
            *[now[key] for key in range(len(args))], **{key: now[key] for key in kwargs}
        )
        return result if signature is None else _checked(result, signature, dict(sizes))

    return _mapped(core, arrays, [len(dim) for dim in own.values()], outer)


def _sizes(
    arrays: Sequence[Array], dims: Sequence[Dims]
) -> tuple[dict[str, int], list[tuple[int, ...]]]:
    """Return the sizes of the named axes, and the shapes before the arguments' own axes."""
    sizes: dict[str, int] = {}
    outer = []
    for position, (x, own) in enumerate(zip(arrays, dims, strict=True)):
        if x.ndim < len(own):
            raise ShapeError(
                f"vectorize: argument {position} of shape {x.shape} does not have the axes ({', '.join(own)})"
            )
        first = x.ndim - len(own)
        _bind(sizes, own, x.shape[first:], f"argument {position}")
        outer.append(x.shape[:first])
    return sizes, outer


def _bind(sizes: dict[str, int], own: Dims, shape: tuple[int, ...], what: str) -> None:
    """Note the sizes of named axes.

    Raises:
        ShapeError: an axis had another size before.
    """
    for name, size in zip(own, shape, strict=True):
        if sizes.setdefault(name, size) != size:
            raise ShapeError(
                f"vectorize: the axis {name!r} has size {sizes[name]}, but {size} in {what}"
            )


def _checked(result: Tree, signature: _Signature, sizes: dict[str, int]) -> Tree:
    """Return the results of one call, which must have the axes that the signature says."""
    several = len(signature.outputs) > 1
    parts = (*result,) if isinstance(result, (tuple, list)) else (result,)
    if len(parts) != len(signature.outputs) or (isinstance(result, (tuple, list)) and not several):
        raise ArgumentError(
            f"vectorize: wrong number of results: the signature has {len(signature.outputs)}, got {len(parts)}"
        )
    arrays = [array_from("vectorize: a result", part, None) for part in parts]
    for position, (x, own) in enumerate(zip(arrays, signature.outputs, strict=True)):
        if x.ndim != len(own):
            raise ShapeError(
                f"vectorize: result {position} of shape {x.shape} does not have the axes ({', '.join(own)})"
            )
        _bind(sizes, own, x.shape, f"result {position}")
    return tuple(arrays) if several else arrays[0]


def _mapped(
    core: Callable[..., Tree],
    arrays: Sequence[Array],
    ranks: Sequence[int],
    outer: Sequence[tuple[int, ...]],
) -> Tree:
    """Return the function mapped over the axes in front, which are broadcast against each other."""
    loop = common_shape("vectorize", outer)
    aligned = [(1,) * (len(loop) - len(shape)) + shape for shape in outer]
    function = core
    for axis in reversed(range(len(loop))):
        if loop[axis] != 1:
            has = [shape[axis] != 1 for shape in aligned]
            function = over_axis(0, function, has)
    squeezed = [
        ops.reshape(x, shape=(*[n for n in shape if n != 1], *x.shape[x.ndim - rank :]))
        for x, shape, rank in zip(arrays, aligned, ranks, strict=True)
    ]
    result = function(*squeezed)
    wide = sum(1 for n in loop if n != 1)
    if wide == len(loop):
        return result
    return tree_map(lambda y: _with_outer(y, loop, wide), result)


def _with_outer(y: Tree, loop: tuple[int, ...], wide: int) -> Array:
    """Return a result with the axes of size 1 that were left out."""
    x = array_from("vectorize: a result", y, None)
    return ops.reshape(x, shape=(*loop, *x.shape[wide:]))


def over_axis(axis: int, function: Callable[..., Tree], has: Sequence[bool]) -> Callable[..., Tree]:
    """Return a function mapped over an axis of some of its arguments; the results are stacked along their first."""
    try:
        vmap = installed_vmap("vectorize")
    except MissingRuleError:
        return functools.partial(_one_by_one, axis, function, has)
    return vmap(function, in_axes=tuple([axis if each else None for each in has]))


def _in_front(x: Array, axis: int) -> Array:
    """Return the array with an axis as its first."""
    order = (axis, *[i for i in range(x.ndim) if i != axis])
    return ops.transpose(x, permutation=order) if axis else x


def _one_by_one(
    axis: int, function: Callable[..., Tree], has: Sequence[bool], *arrays: Array
) -> Tree:
    """As `vmap` has it, by a loop."""
    mapped = tuple([_in_front(x, axis) for x, each in zip(arrays, has, strict=True) if each])

    def one(elements: tuple[Array, ...]) -> Tree:
        left = iter(elements)
        return function(*[next(left) if each else x for x, each in zip(arrays, has, strict=True)])

    return map(one, mapped)
