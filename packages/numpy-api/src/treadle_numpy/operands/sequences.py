"""Arrays from whatever `array` takes: arrays, scalars, nested sequences of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    DType,
    Literal,
    Operand,
    ShapeError,
    UnsupportedError,
    ops,
)
from treadle_ir.calling import as_array
from treadle_ir.core import canonical_dtype, default_dtype, is_symbolic_dim, promoted
from treadle_ir.core.dtypes import (
    is_bool,
    is_complex,
    is_extended,
    is_floating,
    is_integer,
    no_numbers,
)
from treadle_ir.errors import RangeError, conversion_of, out_of_range, refusal
from treadle_ir.tracing import current_evaluator
from treadle_numpy.operands.arrays import Elements, array_of, made
from treadle_numpy.operands.coerce import (
    SCALARS,
    coerce,
    is_array_like,
    operand_type,
    refused,
    weak_literal,
)
from treadle_numpy.operands.promote import converted, operand_in

_MOST_AXES: Final = 64  # as NumPy has it

Nested: TypeAlias = Sequence[object]  # lists and tuples of arrays, numbers, and of further ones
Sizes: TypeAlias = tuple[int, ...]


def operand_from(function: str, position: int, x: object) -> Operand:
    """Return an argument as an operand, for functions whose argument may be a list or a tuple: such a one is an array.

    Raises:
        ArgumentError: it is not an array, scalar or sequence of them; ShapeError: sequences of unequal lengths.
    """
    if isinstance(x, (list, tuple)):
        return array_from(function, x, None)
    return coerce(function, position, x)


def array_from(function: str, x: object, dtype: DType | None) -> Array:
    """Return an array from an array, a scalar or nested sequences of them, in an element type if one is given.

    Raises:
        ArgumentError: something in it is not an array, scalar or sequence; ShapeError: sequences of unequal lengths.
    """
    if type(x) is np.ndarray and dtype is None:
        return as_array(x)
    if isinstance(x, (Array, Literal)):
        return array_of(x if dtype is None else converted(x, dtype))
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        if dtype is None:
            return array_of(weak_literal(x))
        refuse_complex(function, x, dtype)
        return made(_host_scalar(function, x, dtype))
    if isinstance(x, (np.ndarray, np.generic)):
        elements = np.asarray(x)
        if dtype is not None and elements.dtype != dtype:
            return array_of(operand_in(function, 0, elements, dtype))
        return as_array(elements)
    if isinstance(x, (list, tuple)):
        return _from_sequence(function, x, dtype)
    if is_symbolic_dim(x):
        return array_from(function, as_array(x), dtype)
    convert = conversion_of(x)
    if convert is not None:
        return array_from(function, convert(x), dtype)
    traced_elsewhere = refusal(x, asked=True)
    if traced_elsewhere is not None:
        raise traced_elsewhere
    there = adopted(function, x)
    if there is not None:
        given = ops.copy(there)  # its owner may write to it
        return array_from(function, ops.convert(given, dtype=canonical_dtype(given.dtype)), dtype)
    if _is_handed_out(x):
        return array_from(function, _as_numpy(function, x), dtype)
    if isinstance(x, range):
        return _from_sequence(function, list(x), dtype)
    raise refused(function, 0, x)


def _is_handed_out(x: object) -> bool:
    """Return whether NumPy gets an array of it by one of its protocols: an image, a data frame, a tensor, a buffer."""
    kind = type(x)
    if any([hasattr(kind, f"__array{how}__") for how in ("", "_interface", "_struct")]):
        return True
    try:
        memoryview(x)  # type: ignore[arg-type]  # what is none is refused
    except TypeError:
        return False
    return not isinstance(x, bytes)


def _as_numpy(function: str, x: object) -> Elements:
    """Return the NumPy array that an object converts to."""
    if isinstance(x, type):
        raise refused(function, 0, x)
    try:
        elements = np.asarray(x)
    except (TypeError, ValueError) as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # from within the object's own method
        raise refused(function, 0, x) from None
    if elements.dtype == object:
        raise refused(function, 0, x)
    return elements


def refuse_complex(function: str, x: object, dtype: DType) -> None:
    """Refuse a number for random keys, and one of Python's for an element type that would lose its imaginary part."""
    if is_extended(dtype):
        raise no_numbers(function, dtype)
    if isinstance(x, complex) and not is_complex(dtype) and not is_bool(dtype):
        raise ArgumentError(
            f"{function}: {x} is complex, but the element type is {dtype}",
            fix="pass its real part, or a complex element type",
        )


_FLOAT_LIMIT: Final = 1 << 1023


def _host_scalar(function: str, x: complex, dtype: DType) -> Elements:
    if dtype.kind in "iu" and isinstance(x, (int, float)):
        return _integers(function, x, dtype)
    if isinstance(x, int) and not -_FLOAT_LIMIT < x < _FLOAT_LIMIT:
        raise RangeError(f"a Python integer of {x.bit_length()} bits is out of bounds for {dtype}")
    if isinstance(x, int) and is_integer(dtype) and not -8 <= x < 16:  # of four bits
        raise RangeError(f"Python integer {x} out of bounds for {dtype}")
    if is_complex(dtype):
        return np.asarray(complex(x)).astype(dtype)
    return np.asarray(float(x) if isinstance(x, int) and is_floating(dtype) else x).astype(dtype)


def _integers(function: str, x: object, dtype: DType) -> Elements:
    """Integers of a number or of nested sequences; NumPy refuses what does not fit."""
    try:
        return np.array(x, dtype)
    except OverflowError as error:
        raise out_of_range(error, x, dtype) from None
    except (ValueError, np.ma.MAError) as error:  # NaN, and what is masked
        raise ArgumentError(f"{function}: {error}", fix="give a floating dtype") from None


def _from_sequence(function: str, x: Nested, dtype: DType | None) -> Array:
    """Return an array from nested sequences: by NumPy when all is on the host, else by stacking."""
    leaves = _leaves(x)
    if not any(isinstance(leaf, Array) or is_symbolic_dim(leaf) for leaf in leaves):
        for leaf in leaves:
            if not is_array_like(leaf) and not _is_handed_out(leaf):
                raise refused(function, 0, leaf)
        if dtype is None:
            if leaves and all(
                isinstance(leaf, SCALARS) and not isinstance(leaf, np.generic) for leaf in leaves
            ):
                kind = max(
                    (kind for leaf in leaves for kind in SCALARS if isinstance(leaf, kind)),
                    key=_rank,
                )
                if kind is int and all(isinstance(leaf, bool) for leaf in leaves):
                    kind = bool
                dtype = default_dtype(kind)
            elif leaves:
                dtype = promoted(
                    [operand_type(coerce(function, 0, _plain(leaf))) for leaf in leaves]
                )[0]
            else:
                dtype = default_dtype(float)
        try:
            elements = np.array(x)
        except ValueError:
            raise ShapeError(
                f"{function}: nested sequences have unequal lengths, so they make no array",
                fix="pad them to one length, or keep a list of arrays",
            ) from None
        if dtype.kind in "iu" and elements.dtype.kind in "iufO" and elements.dtype != dtype:
            # From the numbers: integers some of which need the unsigned type are floats or objects by now.
            return made(_integers(function, x, dtype))
        if is_extended(dtype) and not is_extended(elements.dtype):
            raise no_numbers(function, dtype)
        return made(elements.astype(dtype))
    return _stacked(function, x, dtype)


_RANKS: Final = {bool: 0, int: 1, float: 2, complex: 3}


def _rank(kind: type) -> int:
    return _RANKS[kind]


def _plain(leaf: object) -> object:
    return leaf if is_array_like(leaf) else np.asarray(leaf)


def _leaves(x: Nested) -> list[object]:
    """Return the leaves of nested sequences, without recursion."""
    leaves: list[object] = []
    waiting: list[tuple[object, int]] = [(x, 0)]
    while waiting:
        each, depth = waiting.pop()
        if isinstance(each, (list, tuple)):
            if depth == _MOST_AXES:
                raise ShapeError(
                    f"sequences are nested more than {_MOST_AXES} deep, but arrays have no more axes than that",
                    fix="a list that contains itself makes no array",
                )
            waiting.extend([(part, depth + 1) for part in reversed(each)])
        else:
            leaves.append(each)
    return leaves


def _stacked(function: str, x: Nested, dtype: DType | None) -> Array:
    """Return an array from nested sequences with arrays among them: the leaves, one after the other."""
    leaves = [coerce(function, 0, leaf) for leaf in _leaves(x)]
    shape = _shape(function, x, [leaf.shape for leaf in leaves])
    if dtype is None:
        common, _ = promoted([operand_type(leaf) for leaf in leaves])
    else:
        common = dtype
    # A leaf's shape is the end of the whole's: each is so many parts of the shape of the least.
    least = min([leaf.shape for leaf in leaves], key=len)
    parts = []
    for leaf in leaves:
        count = math.prod(leaf.shape[: len(leaf.shape) - len(least)])
        parts.append(ops.reshape(converted(leaf, common), shape=(count, *least)))
    joined = parts[0] if len(parts) == 1 else ops.concatenate(parts, dimension=0)
    return ops.reshape(joined, shape=shape)


def _shape(function: str, x: Nested, leaves: Iterable[Sizes]) -> Sizes:
    """Return the shape of the array that nested sequences make whose leaves have these shapes, without recursion."""
    rest = iter(leaves)
    around: list[tuple[Iterator[object], list[Sizes]]] = [(iter(x), [])]
    while True:
        parts, shapes = around[-1]
        for part in parts:
            if isinstance(part, (list, tuple)):
                around.append((iter(part), []))
                break
            shapes.append(next(rest))
        else:
            found = sorted(set(shapes))
            if len(found) > 1:
                raise ShapeError(
                    f"{function}: the parts of a sequence have unequal shapes {found}, so they make no array",
                    fix="reshape or pad the parts to one shape",
                )
            shape = (len(shapes), *(shapes[0] if shapes else ()))
            around.pop()
            if not around:
                return shape
            around[-1][1].append(shape)


_HOST: Final = (1, 3)  # DLPack's kDLCPU and kDLCUDAHost


def adopted(function: str, x: object) -> Array | None:
    """Return an array in the memory of an accelerator where `x` has its elements; None where the host has them.

    Raises:
        UnsupportedError: nothing here can reach them.
    """
    ask = getattr(type(x), "__dlpack_device__", None)
    if ask is None:
        return None
    kind, number = map(int, ask(x))
    if kind in _HOST:
        return None
    made = current_evaluator().adopted(x, kind, number)
    if made is None:
        raise UnsupportedError(
            f"{function}: the elements are on a device of DLPack's kind {kind}, not in the memory of the CPU or of an "
            "NVIDIA GPU",
            fix="bring them to the CPU first, in the library that they come from",
        )
    return made
