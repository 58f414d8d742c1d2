"""`jax._src.random.prng`: JAX's class of arrays of random keys, for code that asks for it and for pickles of keys."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import treadle
from treadle.dtypes import issubdtype, prng_key
from treadle_runtime import DeviceArray


class _Asked(type):
    """The class of keys: arrays are of it by their element type."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, treadle.Array) and issubdtype(value.dtype, prng_key)


class PRNGKeyArray(metaclass=_Asked):
    """An array of random keys. Make one with `jax.random.key`; pickles of JAX make one by this class."""

    def __new__(cls) -> PRNGKeyArray:
        """Return an array that `__setstate__` is still to fill."""
        unfinished: Any = object.__new__(_Unfinished)
        return unfinished  # type: ignore[no-any-return]  # an array


class PRNGImpl(NamedTuple):
    """A generator, as JAX's pickles of keys describe it; the name is what counts."""

    key_shape: tuple[int, ...]
    seed: object
    split: object
    random_bits: object
    fold_in: object
    name: str = "<unnamed>"
    tag: str = "?"


@final
class _Unfinished(DeviceArray):  # type: ignore[misc]  # final otherwise: it becomes one
    """An array of keys on its way out of a pickle."""

    __slots__ = ()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become the array whose words and whose generator JAX has pickled."""
        made: Any = treadle.random.wrap_key_data(state["_base_array"], impl=state["_impl"].name)
        for name in ("placed", "type", "host", "raw"):
            setattr(self, name, getattr(made, name))
        self.__class__ = type(made)
