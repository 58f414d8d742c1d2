"""Generators of random numbers that libraries define: functions of the words of one key.

An array of keys is a batch: the functions are mapped over it by `vmap`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from treadle_ir import Array, DTypeError, Operand, ShapeError, ops
from treadle_ir.core.dtypes import BY_NAME, DType, KeyDType, element_type_of, is_own_key, key_shape
from treadle_ir.tracing import installed_vmap
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import coerce, operand_type

_U32 = np.dtype(np.uint32)


class Defined(Protocol):
    """What defines a generator; each function has the words of one key for its first argument."""

    @property
    def name(self) -> str:
        """Its name, for messages."""

    @property
    def seed(self) -> Callable[[Any], Any]:
        """The words of the key of a seed."""

    @property
    def split(self) -> Callable[[Any, tuple[int, ...]], Any]:
        """The words of new keys, in an array of them of a shape."""

    @property
    def random_bits(self) -> Callable[[Any, int, tuple[int, ...]], Any]:
        """Unsigned integers of so many bits, in a shape."""

    @property
    def fold_in(self) -> Callable[[Any, Any], Any]:
        """The words of a key that depends on a number, too."""


def defined_generator(dtype: DType) -> Defined | None:
    """Return the generator of an element type of keys, if a library has defined it."""
    if is_own_key(dtype):
        return None
    element = element_type_of(dtype)
    if not isinstance(element, KeyDType):
        return None
    found: Any = element.generator  # as it was defined
    return found  # type: ignore[no-any-return]


def seeded(generator: Defined, dtype: DType, seed: Operand) -> Array:
    """Return the key of a seed, an integer array without axes."""
    return _keys(generator, "seed", generator.seed(array_of(seed)), dtype, ())


def split_keys(generator: Defined, keys: Array, shape: tuple[int, ...]) -> Array:
    """New keys from each of some."""
    split = partial(_split, generator, shape)
    words = _over(split, keys.ndim, (0,))(ops.random_unwrap(keys))
    return _keys(generator, "split", words, keys.dtype, (*keys.shape, *shape))


def folded_keys(generator: Defined, keys: Array, data: Operand) -> Array:
    """Return a new key from each of some, and one number."""
    words = _over(generator.fold_in, keys.ndim, (0, None))(ops.random_unwrap(keys), array_of(data))
    return _keys(generator, "fold_in", words, keys.dtype, keys.shape)


def drawn_bits(generator: Defined, keys: Array, shape: tuple[int, ...], width: int) -> Array:
    """Unsigned integers of so many bits, drawn from each of some keys.

    Raises:
        DTypeError, ShapeError: the generator gave others.
    """
    draw = partial(_draw, generator, width, shape)
    bits = _array("random_bits", _over(draw, keys.ndim, (0,))(ops.random_unwrap(keys)))
    wanted = BY_NAME[f"u{width}"]
    if bits.dtype != wanted:
        raise DTypeError(
            f"random_bits: the generator {generator.name!r} must give {wanted}, got {operand_type(bits)}",
            fix="convert them in the generator's function, by `bits.astype(f'uint{bit_width}')`",
        )
    _check_shape(generator, "random_bits", bits, (*keys.shape, *shape))
    return bits


def _split(generator: Defined, shape: tuple[int, ...], words: Array) -> object:
    return generator.split(words, shape)


def _draw(generator: Defined, width: int, shape: tuple[int, ...], words: Array) -> object:
    return generator.random_bits(words, width, shape)


def _over(
    function: Callable[..., Any], rank: int, axes: tuple[int | None, ...]
) -> Callable[..., Any]:
    """Return a function of the words of one key, over an array of them with so many axes."""
    for _ in range(rank):
        function = installed_vmap("an array of keys")(function, axes, 0, None, None)
    return function


def _array(name: str, x: object) -> Array:
    return array_of(coerce(name, 0, x))


def _keys(
    generator: Defined, name: str, given: object, dtype: DType, shape: tuple[int, ...]
) -> Array:
    """Keys of the words that a function of a generator gave.

    Raises:
        DTypeError, ShapeError: they are not such words.
    """
    words = _array(name, given)
    if words.dtype != _U32:
        raise DTypeError(
            f"{name}: the generator {generator.name!r} must give words of keys, uint32, got {operand_type(words)}",
            fix="convert them in the generator's function, by `words.astype('uint32')`",
        )
    _check_shape(generator, name, words, (*shape, *key_shape(dtype)))
    return ops.random_wrap(words, dtype=dtype)


def _check_shape(generator: Defined, name: str, found: Array, shape: tuple[int, ...]) -> None:
    if found.shape != shape:
        raise ShapeError(
            f"{name}: the generator {generator.name!r} must give an array of shape {shape}, got {operand_type(found)}",
            fix="return an array of that shape from the generator's function; its `key_shape` comes last",
        )
