"""`jax.experimental.hijax`, which flax.nnx imports and uses where a program asks for it: types of a user's own.

treadle has no such types. The classes can be derived from and asked for, so that flax is imported; what would have to
be traced raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from treadle.core import AbstractValue as AbstractValue, ShapedArray as ShapedArray
from treadle.errors import UnsupportedError
from treadle.interpreters.ad import (
    Zero as Zero,
    instantiate_zeros as instantiate_zeros,
    is_undefined_primal as is_undefined_primal,
)
from treadle_jax.modules._src.state.types import AbstractRef as AbstractRef


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise UnsupportedError(
        "treadle has no `jax.experimental.hijax`: types of a user's own are not traced",
        fix="use plain pytrees, as flax.nnx does unless a setting of its own asks for such types",
    )


class HiType(AbstractValue):
    """A type of a user's own; arrays of it are refused."""

    lower_val = raise_val = _refuse


class MutableHiType(HiType):
    """A type of a user's own whose values change; they are refused."""


class HiPrimitive:
    """An operation on such types; binding it raises."""

    multiple_results = False
    bind = _refuse

    def __init__(self, name: str) -> None:
        self.name = name


class VJPHiPrimitive:
    """An operation on such types with derivatives; calling it raises."""

    __call__ = _refuse


class aval_method:  # noqa: N801 - JAX's name
    """A method that values of such a type would have."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun


class aval_property:  # noqa: N801 - JAX's name
    """A property that values of such a type would have."""

    def __init__(self, fget: Callable[..., Any]) -> None:
        self.fget = fget


def register_hitype(val_cls: type, typeof_fn: Callable[..., Any]) -> None:
    """Say of which type values of a class are. flax does so when it is imported; the values are refused."""


class _EffectTypes:
    """JAX's set of effects that loops and branches may have; in treadle an effect says that of itself."""

    def add_type(self, effect_type: type) -> None:
        """Add one: nothing is to be done."""


control_flow_allowed_effects = _EffectTypes()
