"""`jax.experimental.layout`: for flax and orbax. treadle leaves the order of elements in memory to XLA."""

from __future__ import annotations

from typing import Any, NoReturn, final

from treadle.errors import UnsupportedError
from treadle.sharding import Sharding


def _refuse(what: str) -> NoReturn:
    raise UnsupportedError(
        f"treadle has no `jax.experimental.layout.{what}`: how elements are ordered in memory is XLA's choice",
        fix="leave the layout out (None)",
    )


@final
class Layout:
    """An order of elements in memory; refused, but for the one that XLA chooses."""

    AUTO = None

    def __new__(cls, *_: Any, **__: Any) -> Layout:
        """Refuse."""
        _refuse("Layout")


@final
class Format:
    """A layout with a sharding: without a layout, the sharding itself.

    Raises:
        UnsupportedError: there is a layout.
    """

    def __new__(cls, layout: object = None, sharding: Any = None) -> Any:
        """The sharding."""
        if layout is not None:
            _refuse("Format")
        assert sharding is None or isinstance(sharding, Sharding)
        return sharding


def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """The array, where no layout is asked for.

    Raises:
        UnsupportedError: a layout is asked for.
    """
    if layouts is not None:
        _refuse("with_layout_constraint")
    return x
