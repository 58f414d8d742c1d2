"""Attributes that XLA reads from single operations: `set_xla_metadata`, for users who know what its passes look for.

They are hints for compiled programs. Operations that run one by one, without jit, are compiled with others of their
kind, and have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar, overload

from treadle import tree
from treadle_ir import ArgumentError, Array, bind
from treadle_ir.calling import TreeFunction, array_results, as_array
from treadle_ir.errors import boundaries, functions, names, wraps
from treadle_ir.primitives.metadata import METADATA, Metadata, ValueMetadata, XlaMetadata
from treadle_ir.settings import Context, overriding
from treadle_ir.sharding import types_here
from treadle_ir.tracing import stage_tree, take_apart
from treadle_runtime import jit

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "fuse_limit",
    "must_fuse_call",
    "set_xla_metadata",
    "xla_metadata_call",
    "xla_metadata_call2",
]


@overload
def set_xla_metadata(x: None = None, **kwargs: object) -> overriding: ...
# Any: a tree of arrays, and the same tree
@overload
def set_xla_metadata(x: Any, **kwargs: object) -> Any: ...
def set_xla_metadata(x: Any = None, **kwargs: object) -> Any:
    """Give attributes to the operations that make an array, or that run in a `with` block or a function.

    With arrays, it returns the same arrays, to be used in their place: in compiled programs, the operations that make
    them carry the attributes, all operations of that line of a program. No operation makes a function's arguments.
    Batches carry such attributes, derivatives do not. Without arrays, it is a context manager and a decorator.

    They are written as strings, booleans as `true` and `false`. Blocks within one another have the attributes of all,
    by name the innermost; `None` takes one away that a block around has set. The attributes of blocks stay through
    `grad`, `vmap` and loops, and functions jitted within the block or called in it have them, too: such a program is
    another one, and is compiled by itself.

    Args:
        x: an array or a tree of arrays; or nothing, for a block or a decorator.
        kwargs: the attributes.

    Raises:
        ArgumentError: a value is not a string, number or boolean, or `x` holds what is not an array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> def f(x):
        ...     with set_xla_metadata(fast=True):
        ...         return tnp.sin(x)
        >>> 'fast = "true"' in treadle.jit(f).lower(1.0).as_text()
        True
        >>> g = lambda x: tnp.negative(set_xla_metadata(tnp.sin(x), fast=True))
        >>> treadle.jit(g).lower(1.0).as_text().count('fast = "true"')
        1
    """
    given = _texts("set_xla_metadata", kwargs)
    if x is None:
        return metadata_block(given)
    metadata = _kept(given)

    def annotated(leaf: object) -> Array:
        return bind(ValueMetadata(metadata), as_array(leaf))[0]

    return tree.map(annotated, x)


@overload
def xla_metadata_call(f: F, /, **meta: object) -> F: ...
@overload
def xla_metadata_call(f: None = None, /, **meta: object) -> Callable[[F], F]: ...
def xla_metadata_call(f: Any = None, /, **meta: object) -> Any:
    """Return the function as a jitted one whose operations have these attributes, and whatever calls it.

    Args:
        f: the function; without one, what comes back is a decorator.
        meta: the attributes, as for `set_xla_metadata`.

    Raises:
        ArgumentError: `f` is not a function, or a value is not a string, number or boolean.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.xla_metadata import xla_metadata_call
        >>> @xla_metadata_call(fast=True)
        ... def f(x):
        ...     return tnp.sin(x)
        >>> treadle.jit(lambda x: f(x) + 1).lower(1.0).as_text().count('fast = "true"')
        1
    """
    return _decorator("xla_metadata_call", f, _texts("xla_metadata_call", meta))


@overload
def xla_metadata_call2(
    f: F,
    /,
    metadata: Mapping[str, object] | None = None,
    *,
    ad_metadata: Mapping[str, object] | str = "same",
) -> F: ...
@overload
def xla_metadata_call2(
    f: Mapping[str, object] | None = None,
    /,
    metadata: Mapping[str, object] | None = None,
    *,
    ad_metadata: Mapping[str, object] | str = "same",
) -> Callable[[F], F]: ...
def xla_metadata_call2(
    f: Any = None,
    /,
    metadata: Mapping[str, object] | None = None,
    *,
    ad_metadata: Mapping[str, object] | str = "same",
) -> Any:
    """As `xla_metadata_call`, with the attributes as a dictionary, and others for derivatives where asked for.

    The forward pass of a derivative has the attributes of the function, and so has all of `jvp`, which takes tangents
    along with values.

    Args:
        f: the function; without one, what comes back is a decorator. The attributes may stand in its place.
        metadata: the attributes.
        ad_metadata: the attributes of the linear part of a derivative and of its transpose, the backward pass:
            "same", "drop" for none, or others as a dictionary.

    Raises:
        ArgumentError: `f` is not a function, a value no string, number or boolean, or `ad_metadata` something else.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.xla_metadata import xla_metadata_call2
        >>> @xla_metadata_call2({"part": "forward"}, ad_metadata={"part": "backward"})
        ... def f(x):
        ...     return tnp.sin(x)
        >>> text = treadle.jit(treadle.grad(lambda x: f(x) * x)).lower(1.0).as_text()
        >>> 'part = "forward"' in text, 'part = "backward"' in text
        (True, True)
    """
    if metadata is None and isinstance(f, Mapping):
        f, metadata = None, f
    given = _texts("xla_metadata_call2", {} if metadata is None else metadata)
    if isinstance(ad_metadata, Mapping):
        return _decorator("xla_metadata_call2", f, given, _texts("xla_metadata_call2", ad_metadata))
    names("xla_metadata_call2", ad_metadata=ad_metadata)
    if ad_metadata not in {"same", "drop"}:
        raise ArgumentError(
            f"xla_metadata_call2: ad_metadata is {ad_metadata!r}, but must be 'same', 'drop' or a dictionary",
            fix="use 'drop' for derivatives without attributes",
        )
    of_derivatives: Texts | None = {} if ad_metadata == "drop" else None
    return _decorator("xla_metadata_call2", f, given, of_derivatives)


def must_fuse_call(identifier: str) -> Callable[[F], F]:
    """Return a decorator: XLA is asked to make one fusion of all operations of a call of the function.

    They have the attribute `MUST_FUSE`, in derivatives, too. Compilers that do not know the attribute ignore it, and
    so does the CPU's.

    Args:
        identifier: what tells this fusion from others.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> f = must_fuse_call("1")(lambda x: tnp.sum(x * x))
        >>> 'MUST_FUSE = "1"' in treadle.jit(f).lower(tnp.ones(3)).as_text()
        True
    """
    return xla_metadata_call(MUST_FUSE=identifier)


def fuse_limit() -> overriding:
    """Return a context manager: XLA is asked to make no fusion across the border of what runs in it.

    Operations of the block have the attribute `FUSE_LIMIT`. Compilers that do not know the attribute ignore it, and
    so does the CPU's.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> def f(x):
        ...     with fuse_limit():
        ...         y = tnp.sin(x)
        ...     return -y
        >>> treadle.jit(f).lower(1.0).as_text().count('FUSE_LIMIT = "true"')
        1
    """
    return set_xla_metadata(FUSE_LIMIT=True)


Texts: TypeAlias = dict[str, str | None]


def _decorator(function: str, f: Any, given: Texts, of_derivatives: Texts | None = None) -> Any:
    """Wrap the function so that its operations have attributes in programs; without one, return the decorator."""
    metadata = _kept(given)
    derivatives = None if of_derivatives is None else _kept(of_derivatives)

    def decorated(f: F) -> F:
        functions(function, f=f)

        @wraps(f)
        def part(*args: Any, **kwargs: Any) -> Any:
            arguments = take_apart(args, kwargs)
            leaves = list(map(as_array, arguments.leaves))
            tree_function = TreeFunction(
                f, arguments.rebuilt, array_results(f"{function}: result ")
            )
            staged, out = stage_tree(tree_function, *types_here(leaves))
            primitive = XlaMetadata(staged.program, metadata, derivatives)
            return tree.unflatten(out, bind(primitive, *staged.captured, *leaves))

        return jit(part)  # type: ignore[return-value]  # it is called as `f` is

    return decorated if f is None else decorated(f)


def metadata_block(given: Texts) -> overriding:
    """Return a context manager, and decorator: operations staged in it have these attributes, and not those that are
    None.
    """

    def changed(context: Context) -> Context:
        metadata = context.get(METADATA)
        return context.replaced(METADATA, _kept({**dict(metadata), **given}))

    return overriding(changed)


def _kept(given: Texts) -> Metadata:
    """Return the attributes that have a value, in order."""
    return tuple(sorted([(name, text) for name, text in given.items() if text is not None]))


def _texts(function: str, given: Mapping[str, object]) -> Texts:
    return {name: _text(function, name, value) for name, value in given.items()}


def _text(function: str, name: str, value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise ArgumentError(
        f"{function}: {name} is of type {type(value).__name__}, but an attribute is a string, a number or a "
        "boolean",
        fix=f"give it as text: `{name}=str(...)`",
    )


boundaries(__name__)
