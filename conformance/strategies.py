"""Hypothesis strategies: the examples with other shapes, element types and attributes, and values to try them on.

A strategy takes an example and changes it a few times: sizes, axes, element types, attributes. A change that the
typing rule refuses is not made, so whatever comes out is something that the operation promises to do. Nothing here
knows one operation from another.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies as st

from conformance.cases import chosen
from conformance.variants import (
    DTYPES,
    accepted,
    changed,
    fields_of_dtype,
    is_opaque,
    least_and_greatest,
    retyped,
)
from treadle_ir import ArrayType, Primitive, Type
from treadle_ir.core import dtypes, field_names
from treadle_ir.core.dtypes import DType, bit_width
from treadle_ir.testing.examples import Example

Array = np.ndarray[Any, np.dtype[Any]]
Draw = Callable[[st.SearchStrategy[Any]], Any]

# Attributes by which a program promises something about its operands, which drawn operands do not keep.
PROMISES: Final = {"unique_indices": False, "indices_are_sorted": False, "stable": True}
_IN_BOUNDS: Final = "promise_in_bounds"
# Attributes that are about the program and not about what is computed.
_ASIDE: Final = frozenset({"label", "policy", "recomputes", "derivative", "rule", "callback"})
_LARGEST: Final = 64  # elements of an array
_RANK: Final = 4
_SPECIAL: Final = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5)


@cache
def families() -> dict[type[Primitive], list[Example]]:
    """The examples of each operation that can be changed and that promise nothing about their operands."""
    found: dict[type[Primitive], list[Example]] = {}
    for example in chosen():
        small = all(type.size <= _LARGEST for type in example.types)
        if small and not is_opaque(example) and not _promises(example.primitive):
            found.setdefault(type(example.primitive), []).append(example)
    return found


def _promises(primitive: Primitive) -> bool:
    return getattr(primitive, "mode", None) == _IN_BOUNDS or any(
        getattr(primitive, name, usual) != usual for name, usual in PROMISES.items()
    )


@st.composite
def examples_of(draw: Draw, cls: type[Primitive], changes: int = 3) -> Example:
    """An example of an operation, changed up to so many times."""
    example = draw(st.sampled_from(families()[cls]))
    for _ in range(draw(st.integers(0, changes))):
        step = draw(st.sampled_from([_with_dtype, _with_sizes, _with_axis, _with_attribute]))
        other = step(draw, example)
        if other is not None and _is_small(other):
            example = other
    return example


def _is_small(example: Example) -> bool:
    results = example.primitive.infer(*example.types)
    arrays = [type for type in (*example.types, *results) if isinstance(type, ArrayType)]
    return all(type.size <= _LARGEST and type.ndim <= _RANK for type in arrays)


def _with_dtype(draw: Draw, example: Example) -> Example | None:
    slots = list(dict.fromkeys(type.dtype for type in example.types))
    fields = fields_of_dtype(example.primitive)
    new = draw(st.sampled_from(DTYPES))
    if fields and draw(st.booleans()):
        return _replaced(example, draw(st.sampled_from(fields)), new)
    return retyped(example, draw(st.sampled_from(slots)), new) if slots else None


def _with_sizes(draw: Draw, example: Example) -> Example | None:
    """Another size for all axes of one size; attributes follow, as far as they are sizes."""
    sizes = sorted({n for type in example.types for n in type.shape})
    if not sizes:
        return None
    old, new = draw(st.sampled_from(sizes)), draw(st.integers(0, 5))

    def resized(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(resized(each) for each in value)
        return new if type(value) is int and value == old else value

    primitive = example.primitive
    for name in field_names(type(primitive)):
        value = getattr(primitive, name)
        if isinstance(value, (int, tuple)) and resized(value) != value and draw(st.booleans()):
            primitive = _constructed(primitive, name, resized(value)) or primitive
    return changed(
        dataclasses.replace(example, primitive=primitive, draw=None),
        lambda type: type.with_shape(resized(type.shape)),
    )


def _with_axis(draw: Draw, example: Example) -> Example | None:
    """One axis more, or less, for all operands of the greatest rank; first or last."""
    most = max((type.ndim for type in example.types), default=0)
    size, first, more = draw(st.integers(0, 3)), draw(st.booleans()), draw(st.booleans())

    def other(type: ArrayType) -> ArrayType:
        if type.ndim < most:
            return type
        if not more:
            return type.with_shape(type.shape[1:] if first else type.shape[:-1])
        return type.with_shape((size, *type.shape) if first else (*type.shape, size))

    return changed(dataclasses.replace(example, draw=None), other)


def _constructed(primitive: Primitive, name: str, value: Any) -> Primitive | None:
    try:
        return dataclasses.replace(primitive, **{name: value})  # type: ignore[type-var]
    except (TypeError, ValueError):  # treadle's refusals are both; the constructor checks words
        return None


def _replaced(example: Example, name: str, value: Any) -> Example | None:
    primitive = _constructed(example.primitive, name, value)
    if primitive is None or _promises(primitive) or not accepted(primitive, example.types):
        return None
    return dataclasses.replace(example, primitive=primitive)


@cache
def _hints(cls: type[Primitive]) -> dict[str, Any]:
    """The types of an operation's attributes."""
    return typing.get_type_hints(cls)


def _with_attribute(draw: Draw, example: Example) -> Example | None:
    primitive = example.primitive
    names = [n for n in field_names(type(primitive)) if n not in _ASIDE and not n.startswith("_")]
    if not names:
        return None
    name = draw(st.sampled_from(names))
    hint, value = _hints(type(primitive))[name], getattr(primitive, name)
    if typing.get_origin(hint) is typing.Literal:
        return _replaced(example, name, draw(st.sampled_from(typing.get_args(hint))))
    if isinstance(value, bool):
        return _replaced(example, name, not value)
    if isinstance(value, (int, tuple)):
        return _replaced(example, name, _altered(draw, value, hint))
    return None


def _altered(draw: Draw, value: Any, hint: Any) -> Any:
    """A number near, or a tuple with one entry altered, or moved, or one more or less where its length is free."""
    if isinstance(value, int):
        return draw(st.integers(-2, 6))
    if not isinstance(value, tuple):  # a program
        return value
    of_each = typing.get_args(hint)
    free = of_each[-1] is Ellipsis
    if not value:
        return (draw(st.integers(0, 3)),) if free and of_each[0] is int else value
    at = draw(st.integers(0, len(value) - 1))
    how = draw(st.sampled_from(["entry", "order", "less", "more"] if free else ["entry", "order"]))
    if how == "entry":
        entry = _altered(draw, value[at], of_each[0 if free else at])
        return (*value[:at], entry, *value[at + 1 :])
    if how == "order":
        return tuple(draw(st.permutations(value)))
    return (
        (*value[:at], *value[at + 1 :]) if how == "less" else (*value[:at], value[at], *value[at:])
    )


# --- values -------------------------------------------------------------------------------------------


def numbers(dtype: DType, *, moderate: bool) -> st.SearchStrategy[Any]:
    """Numbers of an element type: every kind, or `moderate` ones of which sums and products stay in range."""
    if dtypes.is_bool(dtype):
        return st.booleans()
    if dtypes.is_key(dtype):
        return st.integers(0, 2 ** bit_width(dtype) - 1)
    if dtypes.is_integer(dtype):
        low, high = least_and_greatest(dtype)
        near = st.integers(max(low, -5), min(high, 9))
        return near if moderate else near | st.integers(low, high) | st.sampled_from([low, high])
    if dtypes.is_complex(dtype):
        # A function of complex numbers is as exact as its angles, which great parts make meaningless; and
        # implementations disagree about infinities in complex arithmetic.
        part = st.floats(-20, 20, width=32) | st.sampled_from([0.0, -0.0, 1.0, 1e-10, -1e-18])
        if moderate:
            part = numbers(dtypes.real_part(dtype), moderate=True)
        return st.tuples(part, part)
    if moderate:
        whole = st.integers(-32, 32).map(lambda n: n / 16)
        return whole | st.floats(-2, 2, width=32, allow_subnormal=False)
    if dtype.itemsize <= 2:  # every one of them
        return st.integers(0, (1 << bit_width(dtype)) - 1).map(
            lambda bits: float(np.array(bits, f"u{dtype.itemsize}").view(dtype))
        )
    width = typing.cast("typing.Literal[32, 64]", 8 * dtype.itemsize)
    return st.floats(-100, 100, width=32) | st.floats(width=width) | st.sampled_from(_SPECIAL)


@st.composite
def values(draw: Draw, type: ArrayType, *, moderate: bool) -> Array:
    """An array of a type; where it is large, a few numbers that come again and again."""
    few = min(type.size, 12)
    drawn = draw(st.lists(numbers(type.dtype, moderate=moderate), min_size=few, max_size=few))
    if dtypes.is_complex(type.dtype):
        part = dtypes.real_part(type.dtype)
        flat: Array = np.empty(few, type.dtype)
        flat.real = np.array([x for x, _ in drawn], part)
        flat.imag = np.array([y for _, y in drawn], part)
    elif dtypes.is_key(type.dtype):
        flat = np.array([dtypes.numbered_key(number, type.dtype) for number in drawn], type.dtype)
    elif dtypes.is_integer(type.dtype):
        flat = _integers(drawn, type.dtype)
    else:
        wide = np.bool_ if dtypes.is_bool(type.dtype) else np.float64
        with np.errstate(all="ignore"):
            flat = np.array(drawn, wide).astype(type.dtype)
    return np.resize(flat, type.shape) if few else np.zeros(type.shape, type.dtype)


def _integers(drawn: Sequence[int], dtype: DType) -> Array:
    if bit_width(dtype) < 8:
        return np.array(drawn, np.int64).astype(dtype)
    return np.array(drawn, dtype)


def operands_of(example: Example, *, moderate: bool) -> st.SearchStrategy[list[Array]]:
    """Operands for an example. Loops iterate as often as an operand says, so theirs are moderate."""
    calm = moderate or bool(example.primitive.programs())
    return st.tuples(*[values(type, moderate=calm) for type in example.types]).map(list)


def shown(types: Sequence[Type]) -> str:
    """Types as in the text format."""
    return ", ".join(map(str, types))


def anything(count: int, of: Callable[[Example], bool] = lambda example: True) -> list[Any]:
    """Operations of whose examples something holds, with how many drawings of each a law is tried on."""
    return [
        pytest.param(cls, count, id=cls.name)
        for cls, members in families().items()
        if all(map(of, members))
    ]


def drawings(count: int) -> Callable[[Any], Any]:
    """Settings of a law that is tried on so many drawings, for each 100 that the profile has."""
    profile = settings.default
    assert profile is not None
    checks = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.nested_given)
    return settings(
        max_examples=max(1, count * profile.max_examples // 100),
        deadline=None,
        suppress_health_check=checks,
    )
