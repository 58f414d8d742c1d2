"""What writers of transformations ask of arguments: types, donated leaves, prefixes of trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from treadle.abstract import typeof
from treadle.core import ShapedArray
from treadle.extend.linear_util import WrappedFun, transformation_with_aux2
from treadle.jaxprs import DebugInfo
from treadle_ir import ArgumentError
from treadle_ir.errors import (
    StructureError,
    boundaries,
    flags,
    functions,
    integers,
    names,
    refused,
    sequence,
    shown,
)
from treadle_ir.tree import PyTreeDef, broadcast_prefix, tree_flatten, tree_leaves, tree_unflatten

__all__ = [
    "argnums_partial",
    "debug_info",
    "donation_vector",
    "flatten_axes",
    "flatten_fun",
    "flatten_fun_nokwargs",
    "rebase_donate_argnums",
    "safe_map",
    "shaped_abstractify",
]

Tree: TypeAlias = Any  # a pytree: any Python object
R = TypeVar("R")


def shaped_abstractify(x: object) -> ShapedArray:
    """Return the abstract value of an array or a number: shape and element type.

    Raises:
        ArgumentError: `x` is not an array or a number.

    Example:
        >>> from treadle.api_util import shaped_abstractify
        >>> shaped_abstractify(1.0)
        ShapedArray(float32[], weak_type=True)
    """
    found: ShapedArray = typeof(x)
    return found


def donation_vector(
    donate_argnums: Sequence[int],
    donate_argnames: Collection[str],
    in_tree: PyTreeDef,
    kws: bool = True,
) -> tuple[bool, ...]:
    """Return for each array among the arguments whether it is donated.

    `in_tree` is the structure of `(args, kwargs)`, or of `args` alone where `kws` is false.

    Example:
        >>> import treadle
        >>> from treadle.api_util import donation_vector
        >>> structure = treadle.tree.structure(((1.0, (2.0, 3.0)), {}))
        >>> donation_vector((1,), (), structure)
        (False, True, True)
    """
    _structure("donation_vector", "in_tree", in_tree)
    flags("donation_vector", kws=kws)
    numbers = set(integers("donation_vector", "donate_argnums", donate_argnums))
    named = sequence("donation_vector", "donate_argnames", donate_argnames)
    for each in named:
        names("donation_vector", donate_argnames=each)
    tree = tree_unflatten(in_tree, range(in_tree.num_leaves))
    args, kwargs = tree if kws else (tree, {})
    donated: list[Tree] = [x for number, x in enumerate(args) if number in numbers]
    donated += [x for name, x in kwargs.items() if name in named]
    leaves = set(tree_leaves(donated))
    return tuple(number in leaves for number in range(in_tree.num_leaves))


def rebase_donate_argnums(
    donate_argnums: Sequence[int], static_argnums: Sequence[int]
) -> tuple[int, ...]:
    """Return the numbers of donated arguments, counted without the static ones.

    Raises:
        ArgumentError: an argument is both.

    Example:
        >>> from treadle.api_util import rebase_donate_argnums
        >>> rebase_donate_argnums((3, 4), (0, 1))
        (1, 2)
    """
    static = set(integers("rebase_donate_argnums", "static_argnums", static_argnums))
    donated = set(integers("rebase_donate_argnums", "donate_argnums", donate_argnums))
    if static & donated:
        raise ArgumentError(
            f"rebase_donate_argnums: the arguments {sorted(static & donated)} are static and donated"
        )
    return tuple(sorted(n - sum(each < n for each in static) for n in donated))


def flatten_axes(
    name: str, treedef: PyTreeDef, axis_tree: Tree, *, kws: bool = False, tupled_args: bool = False
) -> list[Any]:  # Any: what the leaves of the tree are
    """Return the leaf of a prefix that belongs to each leaf of a structure: what `in_axes` of `vmap` means.

    None is a leaf of the prefix. With `kws`, the structure is of `(args, kwargs)`, and keyword arguments get axis 0.

    Raises:
        StructureError: it is not a prefix of the structure.

    Example:
        >>> import treadle
        >>> from treadle.api_util import flatten_axes
        >>> flatten_axes("in_axes", treadle.tree.structure({"a": 1, "b": (2, 3)}), {"a": 0, "b": None})
        [0, None, None]
    """
    _structure("flatten_axes", "treedef", treedef)
    flags("flatten_axes", kws=kws, tupled_args=tupled_args)
    full = tree_unflatten(treedef, [object() for _ in range(treedef.num_leaves)])
    try:
        if kws:
            args, kwargs = full
            given = broadcast_prefix(axis_tree, args, is_leaf=lambda x: x is None)
            return [*given, *(0 for _ in tree_leaves(kwargs))]
        return list(broadcast_prefix(axis_tree, full, is_leaf=lambda x: x is None))
    except (ValueError, TypeError) as error:
        hint = (
            "; arguments are a tuple, so the tree of one argument is (tree,)" if tupled_args else ""
        )
        raise StructureError(
            f"{name} must be a prefix of the value that it speaks about: {shown(axis_tree)} is none of {treedef}{hint}"
        ) from error


def _structure(function: str, name: str, value: object) -> None:
    if not isinstance(value, PyTreeDef):
        raise refused(function, name, "a structure, of `treadle.tree.structure`", value)


def _wrapped(function: str, name: str, value: object) -> None:
    if not isinstance(value, WrappedFun):
        raise refused(function, name, "a function wrapped by `linear_util.wrap_init`", value)


def safe_map(f: Callable[..., R], *args: Iterable[Any]) -> list[R]:  # Any: what the function takes
    """Return the results of a function of the elements of sequences of the same length.

    Raises:
        ArgumentError: their lengths differ.

    Example:
        >>> from treadle.api_util import safe_map
        >>> safe_map(lambda x, y: x + y, [1, 2], [3, 4])
        [4, 6]
    """
    functions("safe_map", f=f)
    lists = [sequence("safe_map", f"argument {i}", each) for i, each in enumerate(args, 1)]
    if len({len(each) for each in lists}) > 1:
        raise ArgumentError(
            f"safe_map: the lengths are {[len(each) for each in lists]}, which differ"
        )
    return [f(*each) for each in zip(*lists, strict=True)]


def _flattened(f: Callable[..., Tree], store: Any, in_tree: PyTreeDef, *leaves: Any) -> list[Any]:
    args, kwargs = tree_unflatten(in_tree, leaves)
    results, structure = tree_flatten(f(*args, **kwargs))
    store.store(structure)
    return results


def _flattened_nokwargs(
    f: Callable[..., Tree], store: Any, in_tree: PyTreeDef, *leaves: Any
) -> list[Any]:
    results, structure = tree_flatten(f(*tree_unflatten(in_tree, leaves)))
    store.store(structure)
    return results


def flatten_fun(fun: WrappedFun, in_tree: PyTreeDef) -> tuple[WrappedFun, Callable[[], PyTreeDef]]:
    """Return the function of leaves that a function of pytrees is, and what gives the structure of its results
    afterwards.

    `in_tree` is the structure of `(args, kwargs)`.

    Example:
        >>> import treadle
        >>> from treadle.api_util import flatten_fun
        >>> from treadle.extend.linear_util import wrap_init
        >>> structure = treadle.tree.structure(((1, 2), {}))
        >>> flat, out_tree = flatten_fun(wrap_init(lambda x, y: {"sum": x + y}), structure)
        >>> flat.call_wrapped(1, 2), out_tree()
        ([3], PyTreeDef({'sum': *}))
    """
    _wrapped("flatten_fun", "fun", fun)
    _structure("flatten_fun", "in_tree", in_tree)
    made: tuple[WrappedFun, Callable[[], PyTreeDef]]
    made = transformation_with_aux2(_flattened, fun, in_tree)
    return made


def flatten_fun_nokwargs(
    fun: WrappedFun, in_tree: PyTreeDef
) -> tuple[WrappedFun, Callable[[], PyTreeDef]]:
    """As `flatten_fun`, where `in_tree` is the structure of the positional arguments alone."""
    _wrapped("flatten_fun_nokwargs", "fun", fun)
    _structure("flatten_fun_nokwargs", "in_tree", in_tree)
    made: tuple[WrappedFun, Callable[[], PyTreeDef]]
    made = transformation_with_aux2(_flattened_nokwargs, fun, in_tree)
    return made


def debug_info(
    traced_for: str,
    fun: Callable[..., Tree],
    args: Sequence[Tree],
    kwargs: dict[str, Tree],
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
    result_paths_thunk: object = None,
    sourceinfo: str | None = None,
    signature: object = None,
) -> DebugInfo:
    """Return the origin of a program, for messages: the function and the names of its arguments.

    Example:
        >>> from treadle.api_util import debug_info
        >>> debug_info("jit", max, (1, 2), {}).func_name
        'max'
    """
    names("debug_info", traced_for=traced_for)
    functions("debug_info", fun=fun)
    if sourceinfo is not None:
        names("debug_info", sourceinfo=sourceinfo)
    code = getattr(fun, "__code__", None)
    where = "" if code is None else f" at {code.co_filename}:{code.co_firstlineno}"
    known = () if code is None else code.co_varnames[: code.co_argcount]
    name = getattr(fun, "__name__", type(fun).__name__)
    return DebugInfo(traced_for, sourceinfo or f"{name}{where}", known)


def argnums_partial(
    f: WrappedFun,
    dyn_argnums: int | Sequence[int],
    args: Sequence[Tree],
    require_static_args_hashable: bool = True,
) -> tuple[WrappedFun, tuple[Tree, ...]]:
    """Return the function of some of its arguments, the others fixed, and those arguments.

    Raises:
        ArgumentError: there is no argument of such a number, or a fixed one has no hash where it is to have one.
    """
    _wrapped("argnums_partial", "f", f)
    flags("argnums_partial", require_static_args_hashable=require_static_args_hashable)
    args = sequence("argnums_partial", "args", args)
    numbers = integers(
        "argnums_partial",
        "dyn_argnums",
        (dyn_argnums,) if isinstance(dyn_argnums, int) else dyn_argnums,
    )
    for n in numbers:
        if not -len(args) <= n < len(args):
            raise ArgumentError(
                f"argnums_partial: dyn_argnums has {n}, but there are {len(args)} arguments",
                fix=f"use a number from 0 to {len(args) - 1}" if args else "give arguments",
            )
    chosen = [n % len(args) for n in numbers]

    def call(*given: Tree, **kwargs: Tree) -> Tree:
        filled = list(args)
        for n, value in zip(chosen, given, strict=True):
            filled[n] = value
        return f.f_transformed(*filled, **kwargs)

    kept = tuple(x for n, x in enumerate(args) if n not in chosen)
    if require_static_args_hashable:
        for n in {*range(len(args))}.difference(chosen):
            try:
                hash(args[n])
            except TypeError:
                raise ArgumentError(
                    f"argnums_partial: argument {n} stays fixed and has no hash: {shown(args[n])}",
                    fix="name it in dyn_argnums, or pass require_static_args_hashable=False",
                ) from None
    return f.wrapped(call, argnums_partial, (*chosen, kept)), tuple(args[n] for n in chosen)


boundaries(__name__)
