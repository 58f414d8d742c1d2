"""The examples in other element types: each operation on every type that it takes, in each kind of shape.

An operation takes what its typing rule accepts; nothing here knows one operation from another.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

from conformance.cases import chosen
from treadle_ir import (
    ArrayType,
    Elementwise,
    Operand,
    Primitive,
    Program,
    TreadleError,
    Type,
    stage,
)
from treadle_ir.core import dtypes, field_names, inferred
from treadle_ir.core.dtypes import BY_NAME, DType
from treadle_ir.rewrite.nested import with_nested
from treadle_ir.testing.examples import Draw, Example
from treadle_ir.tracing import interpret_unchecked as interpret

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Types: TypeAlias = tuple[ArrayType, ...]

# Of the types of a byte and less, four stand for all here: test_small_types.py tries the others.
SMALL: Final = tuple(
    BY_NAME[name]
    for name in (*dtypes.NARROW_INTEGERS, *dtypes.MINIFLOATS)
    if name not in ("i4", "u4", "f8e4m3fn", "f8e5m2")
)
# float0 has no data: nothing is computed with it.
DTYPES: Final = tuple(
    dtype for name, dtype in BY_NAME.items() if name != "f0" and dtype not in SMALL
)


def accepted(primitive: Primitive, types: Sequence[Type]) -> bool:
    """Return whether the typing rule of `primitive` accepts operands of these types."""
    try:
        inferred(primitive, tuple(types))
    except TreadleError:
        return False
    return True


def kind_of_shape(types: Types, results: Sequence[Type]) -> str:
    """`empty` where the first operand or a result has no elements, `rank 0` where none of them has an axis."""
    arrays = [type for type in (*types[:1], *results) if isinstance(type, ArrayType)]
    if any(type.size == 0 for type in arrays):
        return "empty"
    return "ordinary" if any(type.shape for type in arrays) else "rank 0"


def cast(x: Array, dtype: DType) -> Array:
    """Numbers as near to these as an element type has; complex numbers with some other as imaginary part."""
    if x.dtype == dtype:
        return x
    if dtypes.is_key(x.dtype):  # no numbers at all: a few small ones in their place
        numbers = [dtypes.key_number(key) % 5 for key in x.reshape(-1)]
        x = np.array(numbers, np.uint64).reshape(x.shape)
    if dtypes.is_key(dtype):
        small = [dtypes.numbered_key(int(n), dtype) for n in cast(x, BY_NAME["u64"]).reshape(-1)]
        return np.array(small, dtype).reshape(x.shape)
    real = np.real(x).astype(np.float64)
    if dtypes.is_bool(dtype):
        return np.asarray(real > 0)
    if dtypes.is_integer(dtype):
        low, high = least_and_greatest(dtype)
        rounded = np.clip(np.rint(np.where(np.isfinite(real), real, 0.0)), float(low), float(high))
        # The greatest i64 and u64 are not floats, and the next float is beyond them.
        wide = np.minimum(rounded, np.nextafter(2.0**63, 0)).astype(np.int64)
        return wide.astype(dtype)
    if dtypes.is_complex(dtype):
        imaginary = np.imag(x) if np.iscomplexobj(x) else np.roll(real, 1) / 2
        return np.asarray(real + 1j * imaginary).astype(dtype)
    return real.astype(dtype)


def least_and_greatest(dtype: DType) -> tuple[int, int]:
    """The range of an integer type."""
    bits = dtypes.bit_width(dtype)
    if dtypes.is_unsigned(dtype):
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _drawn(drawn: Draw, types: Types) -> Draw:
    def draw(random: np.random.Generator) -> list[Operand]:
        operands = [np.asarray(x) for x in drawn(random)]
        return [cast(x, type.dtype) for x, type in zip(operands, types, strict=True)]

    return draw


def is_opaque(example: Example) -> bool:
    """Return whether the primitive of `example` calls a Python function with declared types."""
    return not example.parses and not example.primitive.programs()


def restaged(program: Program, change: Callable[[ArrayType], ArrayType]) -> Program:
    """The same operations on operands of other types; literals must suit them."""
    types = [
        change(type) if isinstance(type, ArrayType) else type for type in program.parameter_types
    ]
    return stage(lambda *xs: interpret(program, *xs), *types).program


def changed(example: Example, change: Callable[[ArrayType], ArrayType]) -> Example | None:
    """The example with operands of other types; None where a typing rule refuses."""
    primitive = example.primitive
    if is_opaque(example):
        return None
    types = tuple(map(change, example.types))
    try:
        nested = {id(each): restaged(each, change) for each in primitive.programs().values()}
    except TreadleError:  # a literal, or an operation that the new type lacks
        return None
    if nested:
        primitive = with_nested(primitive, nested)
    if not accepted(primitive, types):
        return None
    draw = None if example.draw is None else _drawn(example.draw, types)
    return dataclasses.replace(example, primitive=primitive, types=types, draw=draw)


def retyped(example: Example, old: DType, new: DType) -> Example | None:
    """The example with one element type in the place of another; None where a typing rule refuses."""
    return changed(example, lambda type: type.with_dtype(new) if type.dtype == old else type)


def reshaped(example: Example, shape: tuple[int, ...]) -> Example | None:
    """The example with this shape for all operands; None where that is refused, or what they hold matters."""
    if example.draw is not None:
        return None
    return changed(example, lambda type: type.with_shape(shape))


def fields_of_dtype(primitive: Primitive) -> list[str]:
    """The attributes that are element types."""
    return [
        name
        for name in field_names(type(primitive))
        if isinstance(getattr(primitive, name), np.dtype)
    ]


def _with_attribute(example: Example, name: str, dtype: DType) -> Example | None:
    primitive = dataclasses.replace(example.primitive, **{name: dtype})  # type: ignore[type-var]
    if not accepted(primitive, example.types):
        return None
    return dataclasses.replace(
        example, primitive=primitive, label=f"{example.label} {name} {dtypes.dtype_name(dtype)}"
    )


def _all_dtypes(
    example: Example, types: tuple[DType, ...]
) -> Iterator[tuple[tuple[object, ...], Example]]:
    """Every change of one element type, of an operand or of an attribute; of both at once for conversions."""
    fields = fields_of_dtype(example.primitive)
    both = isinstance(example.primitive, Elementwise) and bool(fields)
    slots = list(dict.fromkeys(type.dtype for type in example.types))
    if is_opaque(example):
        yield (example.id,), example
        return
    for number, old in enumerate(slots):
        for new in types:
            other = retyped(example, old, new)
            if other is None:
                continue
            yield (number, new), other
            if both:
                for name in fields:
                    for dtype in types:
                        changed = _with_attribute(other, name, dtype)
                        if changed is not None:
                            yield (number, new, name, dtype), changed
    if not both:
        for name in fields:
            for dtype in types:
                changed = _with_attribute(example, name, dtype)
                if changed is not None:
                    yield (name, dtype), changed


@cache
def variants(
    types: tuple[DType, ...] = DTYPES,
) -> dict[tuple[type[Primitive], str], list[Example]]:
    """By operation and element type: one example for each kind of shape, each place that the type can stand in.

    An operation's instance with other attributes is another way to be tried only where it has another kind of shape.
    """
    found: dict[tuple[Any, ...], Example] = {}
    for example in chosen():
        for place, other in _all_dtypes(example, types):
            kind = kind_of_shape(other.types, other.primitive.infer(*other.types))
            if len(place) == 4 and kind != "ordinary" and place[-1] != BY_NAME["f32"]:
                continue  # of so many pairs of types, all kinds of shapes for one of each
            found.setdefault((type(example.primitive), *place, kind), other)
    for (*place, kind), example in list(found.items()):  # type: ignore[assignment]
        if len(place) == 5 and place[-1] != BY_NAME["f32"]:
            continue
        for wanted, shape in (("ordinary", (2, 3)), ("rank 0", ()), ("empty", (0, 2))):
            bare = reshaped(example, shape) if kind != wanted else None
            if bare is not None and (*place, wanted) not in found:
                results = bare.primitive.infer(*bare.types)
                if kind_of_shape(bare.types, results) == wanted:
                    found[*place, wanted] = bare
    grouped: dict[tuple[type[Primitive], str], list[Example]] = {}
    for (cls, *_), example in found.items():
        name = dtypes.dtype_name(subject(example))
        members = grouped.setdefault((cls, name), [])
        given = example.primitive, example.types
        if given not in [(member.primitive, member.types) for member in members]:
            members.append(example)
    return grouped


def subject(example: Example) -> DType:
    """The element type that an example is about: of an inexact operand, else of the result if an operand has it."""
    operands = [type.dtype for type in example.types]
    results = [
        type.dtype
        for type in example.primitive.infer(*example.types)
        if isinstance(type, ArrayType)
    ]
    inexact = [dtype for dtype in operands if dtypes.is_inexact(dtype)]
    own = [dtype for dtype in results[:1] if dtype in operands]
    return (inexact or own or operands or results or [BY_NAME["bool"]])[0]


def variant_keys(of: Callable[[Example], bool] = lambda example: True) -> list[Any]:
    """Operations and element types as pytest parameters, where something holds of all their variants."""
    return [
        pytest.param(cls, name, id=f"{cls.name}-{name}")
        for (cls, name), members in variants().items()
        if all(map(of, members))
    ]
