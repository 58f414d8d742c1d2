"""Attributes that XLA reads from single operations: `set_xla_metadata`, for those who know what its passes look for.

They are hints for compiled programs. Operations that run one by one, without jit, are compiled with others of their
kind, and have none.
"""

from __future__ import annotations

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.context import Context, overriding
from treadle_ir.primitives.metadata import METADATA

__all__ = ["set_xla_metadata"]


def set_xla_metadata(x: object = None, **kwargs: object) -> overriding:
    """What runs in a `with` block, or in a function that this decorates, has these attributes in compiled programs.

    They are written as strings, booleans as `true` and `false`. Blocks within one another have the attributes of all,
    by name the innermost; `None` takes one away that a block around has set. They stay through `grad`, `vmap` and
    loops, and functions jitted within the block or called in it have them, too: such a program is another one, and is
    compiled by itself.

    Args:
        x: nothing. (JAX takes an array, whose operation gets the attributes. Here they belong to what runs in a block.)
        kwargs: the attributes.

    Raises:
        UnsupportedError: there is an array.
        ArgumentError: a value is no string, number or boolean.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> def f(x):
        ...     with set_xla_metadata(fast=True):
        ...         return tnp.sin(x)
        >>> 'fast = "true"' in treadle.jit(f).lower(1.0).as_text()
        True
    """
    if x is not None:
        raise UnsupportedError(
            "set_xla_metadata: attributes of a single value are not supported, but an argument was given "
            "that is not an attribute",
            fix="compute the value in a block, `with set_xla_metadata(name=value):`",
        )
    return metadata_block({name: _text(name, value) for name, value in kwargs.items()})


def metadata_block(given: dict[str, str | None]) -> overriding:
    """A context manager, and decorator: operations staged in it have these attributes, and not those that are None."""

    def changed(context: Context) -> Context:
        metadata = context.get(METADATA)
        merged = {**dict(metadata), **given}
        kept = [(name, value) for name, value in merged.items() if value is not None]
        return context.replaced(METADATA, tuple(sorted(kept)))

    return overriding(changed)


def _text(name: str, value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise ArgumentError(
        f"set_xla_metadata: {name} is of type {type(value).__name__}, but an attribute is a string, a number or a "
        "boolean",
        fix=f"give it as text: `{name}=str(...)`",
    )
