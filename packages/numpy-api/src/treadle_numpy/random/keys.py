"""Keys: where randomness comes from. Typed keys (`key(0)`) and raw ones (`PRNGKey(0)`, their words) are both taken.

Typed keys are arrays of an element type of their generator, so they are indexed, stacked, chosen and transformed as
arrays are. They are not numbers: arithmetic refuses them. Raw keys are the words themselves, u32[*shape, 2]; raw keys
of the other generators have four words, and are accepted where that generator is the default.

There are three generators:

* `threefry2x32`, key<fry>: the same numbers on every platform, and `vmap` is a loop.
* `rbg`, key<rbg>: numbers by the generator of the device, which is faster on accelerators and differs between kinds of
  them. Under `vmap` the first key of the batch draws the numbers of all.
* `unsafe_rbg`, key<urbg>: new keys come from there, too, so nothing is known of how independent they are.
"""

from __future__ import annotations

import warnings
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np

from treadle_ir import ArgumentError, Array, ArrayType, DType, Operand, UnsupportedError, ops
from treadle_ir.core import x64_enabled
from treadle_ir.core.dtypes import (
    GENERATORS,
    KEY,
    ExtendedDType,
    KeyDType,
    element_type,
    element_type_of,
    is_integer,
    is_key,
    key_shape,
    key_words,
)
from treadle_ir.errors import RangeError, shown, user_stacklevel
from treadle_ir.tracing import staging_trace
from treadle_numpy.operands.arrays import Elements, array_of, made
from treadle_numpy.operands.coerce import ArrayLike, canonical_elements, coerce, operand_type
from treadle_numpy.operands.shapes import Shape, as_shape
from treadle_numpy.random.defined import Defined, defined_generator, seeded
from treadle_numpy.random.order import random_fold_in, random_split
from treadle_numpy.settings import CUSTOM_PRNG, LEGACY_KEY, PRNG_IMPL, SEED_OFFSET

__all__ = [
    "Key",
    "PRNGKey",
    "clone",
    "fold_in",
    "key",
    "key_data",
    "key_dtype",
    "key_impl",
    "split",
    "wrap_key_data",
]

_U32: Final = np.dtype(np.uint32)
_KNOWN: Final = "'threefry2x32' (the default), 'rbg' and 'unsafe_rbg'"

_ELSEWHERE: Final = ("philox2x32", "philox4x32", "threefry4x32")  # JAX's

Key: TypeAlias = Array  # for annotations: a typed key, or an array of them
Implementation: TypeAlias = (
    str | DType | Defined | None
)  # a name, the element type of keys, or a generator
KeyLike: TypeAlias = Array | Elements  # typed keys, or the words of raw ones


def _implementation(function: str, impl: object, dtype: object = None) -> DType:
    """Return the dtype of the keys of a generator, by default of the default generator.

    Args:
        function: the calling function, for messages.
        impl: the name of a generator, a generator, or the dtype of its keys.
        dtype: the dtype of its keys.

    Raises:
        ArgumentError: the generator is unknown, or both `impl` and `dtype` are given.
    """
    if impl is not None and dtype is not None:
        raise ArgumentError(f"{function}: impl and dtype cannot both be given", fix="leave out one")
    given = impl if dtype is None else dtype
    if given is None:
        return GENERATORS[PRNG_IMPL()]
    given = getattr(given, "element_type_of_keys", given)  # of a generator object
    if isinstance(given, (np.dtype, ExtendedDType)) and is_key(element_type(given)):
        return element_type(given)
    if not isinstance(given, str) or dtype is not None:
        raise ArgumentError(
            f"{function}: unrecognized PRNG implementation {shown(given)} of {type(given)}",
            fix=f"pass a name, {_KNOWN}, a generator, or the element type of keys",
        )
    if given in _ELSEWHERE:
        raise UnsupportedError(
            f"{function}: the PRNG implementation {given!r} is not there",
            fix="use 'threefry2x32', the default: its numbers are the same on every platform",
        )
    if given not in GENERATORS:
        raise ArgumentError(
            f"{function}: unrecognized PRNG implementation {shown(given)}",
            fix=f"there are {_KNOWN}",
        )
    return GENERATORS[given]


def _is_number(seed: object) -> TypeGuard[int | np.integer[Any]]:
    """Return whether a seed is an integer of Python or NumPy, which counts time differences among them."""
    integer = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    return integer and hasattr(seed, "__index__")


def _seed(seed: ArrayLike) -> Operand:
    """Return a seed as an array of the width in force, for generators of libraries.

    Raises:
        ArgumentError: it is not an integer; RangeError: it has more than 64 bits.
    """
    if _is_number(seed):
        high, low = _words(int(seed))
        whole = np.array(high << 32 | low, np.uint64)
        return whole.view(np.int64) if x64_enabled() else whole.astype(np.uint32).view(np.int32)
    operand = coerce("key", 0, seed)
    type = operand_type(operand)
    if not is_integer(type.dtype) or type.shape:
        raise ArgumentError(
            f"key: the seed must be an integer, got {type}", fix="pass a Python integer"
        )
    offset = SEED_OFFSET()
    return ops.add(array_of(operand), type.dtype.type(offset)) if offset else operand


def _words(seed: int) -> tuple[int, int]:
    """Return the words of a key from a Python seed: its high and its low 32 bits."""
    seed += SEED_OFFSET()
    if not -(2**63) <= seed < 2**64:
        raise RangeError(f"the seed {shown(seed)} does not fit into 64 bits")
    high = (seed >> 32) & 0xFFFFFFFF if x64_enabled() else 0
    return high, seed & 0xFFFFFFFF


def _traced_words(seed: ArrayLike, times: int) -> Array:
    """Return the words of a seed that is an array, which may be a tracer; both words so many times."""
    operand = _seed(seed)
    type = operand_type(operand)
    low = ops.convert(
        canonical_elements(operand) if isinstance(operand, np.generic) else operand, dtype=_U32
    )
    if type.dtype.itemsize > 4:
        shifted = ops.shift_right_logical(operand, type.dtype.type(32))
        upper: Operand = ops.convert(shifted, dtype=_U32)
    else:
        upper = _U32.type(0)
    parts = [
        ops.broadcast_in_dim(upper, shape=(1,), dimensions=()),
        ops.broadcast_in_dim(low, shape=(1,), dimensions=()),
    ]
    return ops.concatenate(parts * times, dimension=0)


def PRNGKey(seed: ArrayLike, *, impl: Implementation = None) -> Array:  # noqa: N802 - JAX's name
    """Return a raw key from a seed: its words, u32[2]. `key` makes typed ones, which cannot be mistaken for numbers.

    With the setting `enable_custom_prng` it is a typed key, too.

    Args:
        seed: an integer of up to 64 bits; without 64-bit types the lower 32 bits count.
        impl: 'threefry2x32', 'rbg' or 'unsafe_rbg', whose keys are u32[4]; None: the setting `default_prng_impl`.

    Raises:
        ArgumentError: the seed is not an integer; UnsupportedError: another implementation.

    Example:
        >>> print(PRNGKey(7), PRNGKey(7, impl="rbg"))
        [0 7] [0 7 0 7]
    """
    if CUSTOM_PRNG():
        return key(seed, impl=impl)
    kind = _implementation("PRNGKey", impl)
    generator = defined_generator(kind)
    if generator is not None:
        return ops.random_unwrap(seeded(generator, kind, _seed(seed)))
    times = key_words(kind) // 2
    if _is_number(seed):
        return made(np.array(_words(int(seed)) * times, np.uint32))
    return _traced_words(seed, times)


def key_dtype(impl_spec: Implementation = None) -> DType:
    """Return the element type of keys of an implementation.

    Args:
        impl_spec: 'threefry2x32', 'rbg' or 'unsafe_rbg'; None: the setting `default_prng_impl`.

    Raises:
        ArgumentError: no such implementation; UnsupportedError: an implementation that only JAX has.

    Example:
        >>> key_dtype() == key(0).dtype
        True
    """
    return _implementation("key_dtype", impl_spec)


def key(seed: ArrayLike, *, impl: Implementation = None, dtype: object = None) -> Array:
    """Return a typed key from a seed: an array without axes.

    Args:
        seed: an integer of up to 64 bits; without 64-bit types the lower 32 bits count.
        impl: 'threefry2x32', 'rbg' or 'unsafe_rbg'; None: the setting `default_prng_impl`.
        dtype: the element type of keys, instead of `impl`.

    Returns:
        A key of shape `()`, whose dtype names the implementation.

    Raises:
        ArgumentError: the seed is not an integer; UnsupportedError: another implementation.

    Example:
        >>> key(7).shape, str(key_data(key(7)))
        ((), '[0 7]')
        >>> print(key_data(key(7, impl="rbg")))
        [0 7 0 7]
    """
    kind = _implementation("key", impl, dtype)
    generator = defined_generator(kind)
    if generator is not None:
        return seeded(generator, kind, _seed(seed))
    times = key_words(kind) // 2
    if _is_number(seed):
        first, second = _words(int(seed))
        if staging_trace() is not None:  # made again in each call, for `debug_key_reuse`
            return ops.random_wrap(made(np.array((first, second) * times, np.uint32)), dtype=kind)
        return made(np.array(first | second << 32, kind))  # the first word is the lower half
    return ops.random_wrap(_traced_words(seed, times), dtype=kind)


def keys_of(name: str, keys: KeyLike) -> Array:
    """Keys as an array: typed ones, or the words of raw ones of threefry2x32.

    Raises:
        ArgumentError: they are not keys.
    """
    if isinstance(keys, Array) and is_key(keys.dtype):
        return keys
    if isinstance(keys, (np.ndarray, np.void)) and is_key(keys.dtype):  # of the reference evaluator
        return array_of(keys)
    if not isinstance(keys, (Array, np.ndarray)):
        raise ArgumentError(
            f"{name}: the first argument must be a random key, got {shown(keys)} of {type(keys)}",
            fix="make one with `random.key(0)`",
        )
    words = array_of(keys)
    kind = GENERATORS[PRNG_IMPL()]
    _check_words(name, words, kind)
    said = LEGACY_KEY()
    if said != "allow":
        _legacy(name, said)
    return words if kind is KEY else ops.random_wrap(words, dtype=kind)


def _check_words(name: str, words: Array, kind: DType) -> None:
    """Refuse what are not words of keys of a type."""
    shape = key_shape(kind)
    if words.dtype != _U32 or words.shape[max(words.ndim - len(shape), 0) :] != shape:
        one, generator = ArrayType(shape, _U32), _generator(kind)
        known = generator if isinstance(generator, str) else repr(generator.name)
        raise ArgumentError(
            f"{name}: a raw key is {one} with {known}, got {operand_type(words)}",
            fix="make one with `random.key(0)`, or say whose words they are: `random.wrap_key_data(words, impl=...)`",
        )


def _as_given(new: Array, key: object) -> Array:
    """New keys in the form of the one given: their words if that was a raw one."""
    if not is_key(new.dtype) or (
        isinstance(key, Array | np.ndarray | np.void) and is_key(key.dtype)
    ):
        return new
    return ops.random_unwrap(new)


def _legacy(name: str, said: str) -> None:
    message = f"{name}: the key is a raw one, the words of PRNGKey"
    fix = "make it with `random.key(seed)`, or set treadle_legacy_prng_key to `allow`"
    if said == "error":
        raise ArgumentError(message, fix=fix)
    warnings.warn(f"{message}: {fix}", UserWarning, stacklevel=user_stacklevel())


def single(name: str, key: KeyLike) -> Array:
    """Return one key, typed or raw.

    Raises:
        ArgumentError: it is not a key, or an array of keys.
    """
    found = keys_of(name, key)
    shape = found.shape if is_key(found.dtype) else found.shape[:-1]
    if shape:
        raise ArgumentError(
            f"{name} accepts a single key, but was given a key array of shape {shape} != ()",
            fix="use treadle.vmap for batching",
        )
    return found


def split(key: KeyLike, num: Shape = 2) -> Array:
    """Make new keys from a key, which should not be used again; raw keys from a raw key.

    Args:
        key: a random key.
        num: the number of keys, or their shape.

    Shapes:
        result: [num] or [*num], with words behind if the key is raw

    Raises:
        ArgumentError: it is not a key, or several.

    Example:
        >>> split(key(0), 3).shape
        (3,)
    """
    return _as_given(random_split(single("split", key), as_shape("split", num)), key)


def fold_in(key: KeyLike, data: ArrayLike) -> Array:
    """Make a new key from a key and a number: a stream of its own for each step or layer.

    Args:
        key: a random key.
        data: an integer, of which the lower 32 bits count.

    Returns:
        A key, raw if `key` is raw.

    Raises:
        ArgumentError: the number is not a single integer.

    Example:
        >>> one = key(7)
        >>> bool(fold_in(one, 1) == fold_in(one, 2))
        False
    """
    one = single("fold_in", key)
    if isinstance(data, int) and not isinstance(data, bool):
        number: Operand = np.uint32(data & 0xFFFFFFFF)
    else:
        number = coerce("fold_in", 1, data)
        if not is_integer(number.dtype) or number.shape:
            raise ArgumentError(
                f"fold_in: data must be a single integer, got {operand_type(number)}"
            )
        number = ops.convert(number, dtype=_U32)
    return _as_given(random_fold_in(one, number), key)


def key_data(keys: KeyLike) -> Array:
    """Return the words of keys.

    Args:
        keys: typed or raw keys, of any shape.

    Returns:
        Integers, u32[*shape, 2], or u32[*shape, 4] for generators with wide keys.

    Example:
        >>> print(key_data(key(7)))
        [0 7]
    """
    found = keys_of("key_data", keys)
    return ops.random_unwrap(found) if is_key(found.dtype) else found


def wrap_key_data(
    key_bits_array: KeyLike, *, impl: Implementation = None, dtype: object = None
) -> Array:
    """Make typed keys from their words: the inverse of `key_data`.

    Args:
        key_bits_array: the words, u32[*shape, 2], or u32[*shape, 4] of 'rbg' and 'unsafe_rbg'.
        impl: 'threefry2x32', 'rbg' or 'unsafe_rbg'; None: the setting `default_prng_impl`.
        dtype: the element type of keys, instead of `impl`.

    Shapes:
        result: [*shape]

    Raises:
        ArgumentError: these are not words of keys, or are typed keys already.
        UnsupportedError: another implementation.

    Example:
        >>> print(key_data(wrap_key_data(PRNGKey(7))))
        [0 7]
    """
    name = "wrap_key_data"
    kind = _implementation(name, impl, dtype)
    if not isinstance(key_bits_array, (Array, np.ndarray)):
        raise ArgumentError(
            f"{name}: the words of keys are an array, got {shown(key_bits_array)} of {type(key_bits_array)}",
            fix="take them from keys with `random.key_data(keys)`",
        )
    words = array_of(key_bits_array)
    if is_key(words.dtype):
        raise ArgumentError(
            f"wrap_key_data: {operand_type(words)} are typed keys already, not their words",
            fix="use them as they are",
        )
    _check_words(name, words, kind)
    return ops.random_wrap(words, dtype=kind)


def _generator(kind: DType) -> str | Defined:
    """Return the name of treadle's own generator, or what a library has defined."""
    element = element_type_of(kind)
    assert isinstance(element, KeyDType)
    found: Any = element.generator  # of either kind
    return found  # type: ignore[no-any-return]


def key_impl(keys: KeyLike) -> str | Defined:
    """Return the name of the algorithm that makes numbers of keys, or what a library has defined.

    Example:
        >>> key_impl(key(7))
        'threefry2x32'
    """
    found = keys_of("key_impl", keys)
    return _generator(found.dtype if is_key(found.dtype) else KEY)


def clone(key: KeyLike) -> Array:
    """Return the same key, to reuse it on purpose: `debug_key_reuse` counts it as a new key.

    Example:
        >>> from treadle_numpy.random import uniform
        >>> one = key(7)
        >>> bool(uniform(one) == uniform(clone(one)))
        True
    """
    keys = keys_of("clone", key)
    if not is_key(keys.dtype):
        return keys
    return _as_given(ops.random_wrap(ops.random_unwrap(keys), dtype=keys.dtype), key)
