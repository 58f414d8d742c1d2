"""Attributes that XLA reads from single operations: `set_xla_metadata`, for those who know what its passes look for.

They are hints for compiled programs. Operations that run one by one, without jit, are compiled with others of their
kind, and have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from treadle import tree
from treadle_ir import ArgumentError, Array, as_array, bind, functions
from treadle_ir.context import Context, overriding
from treadle_ir.primitives.metadata import METADATA, ValueMetadata
from treadle_runtime import jit

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["set_xla_metadata", "xla_metadata_call"]


@overload
def set_xla_metadata(x: None = None, **kwargs: object) -> overriding: ...
@overload
def set_xla_metadata(
    x: Any, **kwargs: object
) -> Any: ...  # Any: a tree of arrays, and the same tree
def set_xla_metadata(x: Any = None, **kwargs: object) -> Any:
    """What makes an array, or what runs in a `with` block or a function, has these attributes in compiled programs.

    With arrays, what comes back are the same arrays, to be used in their place: the operations that make them carry the
    attributes, all that one line of a program comes to. Arguments of a function are made by none. Derivatives carry no
    such attributes, batches do. Without arrays, it is a context manager and a decorator.

    They are written as strings, booleans as `true` and `false`. Blocks within one another have the attributes of all,
    by name the innermost; `None` takes one away that a block around has set. Those of blocks stay through `grad`,
    `vmap` and loops, and functions jitted within the block or called in it have them, too: such a program is another
    one, and is compiled by itself.

    Args:
        x: an array or a tree of arrays; or nothing, for a block or a decorator.
        kwargs: the attributes.

    Raises:
        ArgumentError: a value is no string, number or boolean, or `x` holds what is no array.

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
    given = {name: _text("set_xla_metadata", name, value) for name, value in kwargs.items()}
    if x is None:
        return metadata_block(given)
    metadata = tuple(sorted([(name, text) for name, text in given.items() if text is not None]))

    def annotated(leaf: object) -> Array:
        return bind(ValueMetadata(metadata), as_array(leaf))[0]

    return tree.map(annotated, x)


@overload
def xla_metadata_call(f: F, /, **meta: object) -> F: ...
@overload
def xla_metadata_call(f: None = None, /, **meta: object) -> Callable[[F], F]: ...
def xla_metadata_call(f: Any = None, /, **meta: object) -> Any:
    """The function as a jitted one whose operations have these attributes, and whatever calls it.

    Args:
        f: the function; without one, what comes back is a decorator.
        meta: the attributes, as those of `set_xla_metadata`.

    Raises:
        ArgumentError: `f` is no function, or a value no string, number or boolean.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.xla_metadata import xla_metadata_call
        >>> @xla_metadata_call(fast=True)
        ... def f(x):
        ...     return tnp.sin(x)
        >>> treadle.jit(lambda x: f(x) + 1).lower(1.0).as_text().count('fast = "true"')
        1
    """
    given = {name: _text("xla_metadata_call", name, value) for name, value in meta.items()}

    def decorated(f: F) -> F:
        functions("xla_metadata_call", f=f)
        return metadata_block(given)(jit(f))  # type: ignore[return-value]  # it is called as `f` is

    return decorated if f is None else decorated(f)


def metadata_block(given: dict[str, str | None]) -> overriding:
    """A context manager, and decorator: operations staged in it have these attributes, and not those that are None."""

    def changed(context: Context) -> Context:
        metadata = context.get(METADATA)
        merged = {**dict(metadata), **given}
        kept = [(name, value) for name, value in merged.items() if value is not None]
        return context.replaced(METADATA, tuple(sorted(kept)))

    return overriding(changed)


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
