"""What a jitted function is specialised on: how its arguments are split, flattened and typed.

Static arguments are hashed and compared on every call: a value that was changed in place since is met as what it is
now. Arguments given by keyword and by position are told apart, since they are different calls to Python.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import copysign
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Tracer,
    TreadleError,
    canonical_dtype,
    out_of_range,
    type_of,
    x64_enabled,
)
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, keystr, tree_flatten_with_path
from treadle_runtime.array import DeviceArray, Elements, Key
from treadle_runtime.client import aligned_empty
from treadle_runtime.devices import current_default
from treadle_runtime.dispatch import key_at

Statics: TypeAlias = (
    tuple[Any, ...] | None
)  # None: the call has neither static nor keyword arguments


class StaticArgumentError(TreadleError, ValueError):
    """A static argument that cannot be one."""


class JitArgumentError(TreadleError, ValueError):
    """`static_argnums`, `donate_argnums` and their like do not fit the function."""


ENVIRONMENT: Final[list[Callable[[], Hashable]]] = []
"""What else a traced program depends on: functions whose values become part of every signature."""


@final
@dataclass(frozen=True, slots=True)
class Split:
    """Which arguments are static and which are donated."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: frozenset[str] = frozenset()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: frozenset[str] = frozenset()

    @property
    def simple(self) -> bool:
        """Whether there is nothing static, so that positional arguments can be flattened as they are."""
        return not self.static_argnums and not self.static_argnames


def _tuple_of(value: object, name: str, kind: type) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, kind):
        return (value,)
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str):
        items = tuple(value)
        if all(isinstance(item, kind) for item in items):
            return items
    try:
        if kind is int:
            return (value.__index__(),)  # type: ignore[attr-defined]
    except AttributeError:
        pass
    raise JitArgumentError(
        f"{name} must be {'an int' if kind is int else 'a string'} or a sequence of them, got {value!r}"
    )


NOTHING_SAID: Final = Split()


def split_of(
    function: Callable[..., Any],
    static_argnums: object,
    static_argnames: object,
    donate_argnums: object,
    donate_argnames: object,
) -> Split:
    """Check what a user said of arguments against the function's parameters.

    Static arguments may be named or numbered; the other spelling follows from the function's parameters.

    Raises:
        JitArgumentError: a number or name that the function does not have, or one both static and donated.
    """
    if static_argnums is static_argnames is donate_argnums is donate_argnames is None:
        return (
            NOTHING_SAID  # asking for a function's parameters takes longer than the rest of `jit`
        )
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = None
    name = name_of(function)
    numbers = _numbers(static_argnums, "static_argnums", parameters, name)
    names = _names(static_argnames, "static_argnames", parameters, name)
    if parameters is not None:
        if static_argnames is None:
            names = frozenset(_keyword(parameters, numbers))
        elif static_argnums is None:
            numbers = _positions(parameters, names)
    donated = _numbers(donate_argnums, "donate_argnums", parameters, name)
    donated_names = _names(donate_argnames, "donate_argnames", parameters, name)
    if parameters is not None and donate_argnames is not None and donate_argnums is None:
        donated = _positions(parameters, donated_names)
    if set(numbers) & set(donated):
        raise JitArgumentError(
            f"static_argnums {numbers} and donate_argnums {donated} cannot intersect",
            fix="a static argument has no buffer to donate: leave it out of donate_argnums",
        )
    if names & donated_names:
        raise JitArgumentError(
            f"static_argnames {sorted(names)} and donate_argnames {sorted(donated_names)} cannot intersect",
            fix="a static argument has no buffer to donate: leave it out of donate_argnames",
        )
    return Split(numbers, names, donated, donated_names)


_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _numbers(
    value: object, what: str, parameters: list[inspect.Parameter] | None, name: str
) -> tuple[int, ...]:
    numbers = _tuple_of(value, what, int)
    if parameters is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return tuple(sorted(set(numbers)))
    count = sum(p.kind in _POSITIONAL for p in parameters)
    for number in numbers:
        if not -count <= number < count:
            raise JitArgumentError(
                f"jitted function {name} has {what}={numbers}, but only accepts {count} positional arguments",
                fix=f"count from 0; keyword-only arguments are named in {what.replace('nums', 'names')}",
            )
    return tuple(sorted({number % count for number in numbers}))


def _names(
    value: object, what: str, parameters: list[inspect.Parameter] | None, name: str
) -> frozenset[str]:
    names = frozenset(_tuple_of(value, what, str))
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return names
    known = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    if names - known:
        raise JitArgumentError(
            f"jitted function {name} has invalid argnames {sorted(names - known)} in {what}: "
            "the function does not take these arguments",
            fix=f"its arguments are {', '.join(p.name for p in parameters)}",
        )
    return names


def _keyword(parameters: list[inspect.Parameter], numbers: tuple[int, ...]) -> list[str]:
    return [
        p.name
        for number, p in enumerate(parameters)
        if p.kind is p.POSITIONAL_OR_KEYWORD and number in numbers
    ]


def _positions(parameters: list[inspect.Parameter], names: frozenset[str]) -> tuple[int, ...]:
    return tuple(
        number
        for number, p in enumerate(parameters)
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in names
    )


def name_of(function: object) -> str:
    """The name of a function for messages and modules."""
    name = getattr(function, "__name__", None)
    if name is None:
        inner = getattr(function, "func", None)  # functools.partial
        return name_of(inner) if inner is not None else type(function).__name__
    return str(name)


@final
class Arguments:
    """The arguments of one call, taken apart."""

    __slots__ = ("leaves", "split", "statics", "structure")

    def __init__(
        self, leaves: list[Any], structure: PyTreeDef, statics: Statics, split: Split
    ) -> None:
        self.leaves = leaves
        self.structure = structure
        self.statics = statics
        self.split = split

    def rebuilt(self, leaves: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments with other leaves."""
        if self.statics is None:
            return self.structure.unflatten(leaves), {}
        numbers, values, names, named, _ = self.statics
        dynamic, keywords = self.structure.unflatten(leaves)
        arguments = list(dynamic)
        for number, (_, value) in zip(numbers, values, strict=True):
            arguments.insert(number, value)  # numbers ascend
        keywords = {**keywords, **{n: value for n, (_, value) in zip(names, named, strict=True)}}
        return tuple(arguments), keywords

    def paths(self) -> list[str]:
        """The name of each leaf for messages, such as `argument 0['w']`."""
        placeholders = [object() for _ in self.leaves]
        arguments, keywords = self.rebuilt(placeholders)
        found: dict[int, str] = {}
        for number, argument in enumerate(arguments):
            for path, leaf in tree_flatten_with_path(argument)[0]:
                found[id(leaf)] = f"argument {number}{keystr(path)}"
        for name, argument in keywords.items():
            for path, leaf in tree_flatten_with_path(argument)[0]:
                found[id(leaf)] = f"argument {name}{keystr(path)}"
        return [found.get(id(each), "argument") for each in placeholders]

    def donated(self) -> list[int]:
        """The leaves that belong to donated arguments, by index."""
        split = self.split
        if not split.donate_argnums and not split.donate_argnames:
            return []
        marks = [object() for _ in self.leaves]
        arguments, keywords = self.rebuilt(marks)
        given = {
            id(leaf)
            for number in split.donate_argnums
            if number < len(arguments)
            for leaf in flatten_leaves_and_structure(arguments[number])[0]
        }
        for name in split.donate_argnames:
            if name in keywords:
                given |= {id(leaf) for leaf in flatten_leaves_and_structure(keywords[name])[0]}
        return [index for index, mark in enumerate(marks) if id(mark) in given]


def take_apart(split: Split, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """Split and flatten the arguments of a call.

    Raises:
        StaticArgumentError: a static argument has no hash.
    """
    if split.simple and not kwargs:
        leaves, structure = flatten_leaves_and_structure(args)
        return Arguments(leaves, structure, None, split)
    numbers = tuple([number for number in split.static_argnums if number < len(args)])
    names = tuple(sorted([key for key in kwargs if key in split.static_argnames]))
    values = tuple([_static(name, args[number]) for number in numbers])
    named = tuple([_static(name, kwargs[key]) for key in names])
    dynamic = (
        tuple([x for number, x in enumerate(args) if number not in numbers]) if numbers else args
    )
    keywords = {key: x for key, x in kwargs.items() if key not in names} if names else kwargs
    leaves, structure = flatten_leaves_and_structure((dynamic, keywords))
    return Arguments(leaves, structure, (numbers, values, names, named, True), split)


def _static(name: str, value: Any) -> tuple[type, Any]:
    """The value with its type: 1, 1.0 and True are equal, and yet make different programs."""
    try:
        hash(value)
    except Exception as error:
        raise StaticArgumentError(
            "Non-hashable static arguments are not supported. An error occurred during a call to "
            f"'{name}' while trying to hash an object of type {type(value)}, {_shown(value)}. "
            f"The error was:\n{type(error).__name__}: {error}",
            fix="pass arrays as ordinary arguments, lists as tuples, and give classes __hash__ and __eq__",
        ) from error
    return type(value), value


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        return "<no repr>"
    return text if len(text) <= 200 else text[:200] + "..."


def as_argument(leaf: object) -> DeviceArray:
    """A leaf of an evaluated call as an array of ours. NumPy arrays are copied: the program may run later.

    Raises:
        ArgumentError: it is no array and no number.
    """
    if type(leaf) is DeviceArray:
        return leaf
    if type(leaf) is float or type(leaf) is int or type(leaf) is bool:
        return _number(leaf)
    if isinstance(leaf, np.ndarray):
        elements = copied(leaf)
        type_ = ArrayType(elements.shape, elements.dtype)
    else:
        type_, elements = scalar(leaf)
    return DeviceArray(type_, key_at(type_, current_default()), elements)


_numbers_met: Final[dict[tuple[Any, ...], DeviceArray]] = {}
_NUMBERS_LIMIT: Final = 1024


def _number(value: float) -> DeviceArray:
    """A Python number as an array. Programs get the same few again and again: transfer each once (8 us)."""
    default = current_default()
    key = (type(value), value, copysign(1.0, value), default, x64_enabled())  # 0.0 == -0.0
    found = _numbers_met.get(key)
    if found is None or found.is_deleted():
        type_, elements = scalar(value)
        found = DeviceArray(type_, key_at(type_, default), elements)
        if len(_numbers_met) >= _NUMBERS_LIMIT:
            _numbers_met.clear()
        _numbers_met[key] = found
    return found


def copied(array: Elements) -> Elements:
    """A copy with a supported element type, in memory that a device can use in place if it is large."""
    dtype = canonical_dtype(array.dtype)
    if array.nbytes < 4096:
        return np.array(array, dtype)
    copy = aligned_empty(array.shape, dtype)
    np.copyto(copy, array, casting="unsafe")
    return copy


def scalar(leaf: object) -> tuple[ArrayType, Elements]:
    """The type and the elements of a Python or NumPy scalar.

    Raises:
        ArgumentError: it is neither.
        RangeError: a Python integer that does not fit. (Also an OverflowError.)
    """
    type_ = type_of(leaf)
    if isinstance(leaf, np.generic):
        type_ = ArrayType((), canonical_dtype(leaf.dtype))
        return type_, np.asarray(leaf).astype(type_.dtype)
    try:
        return type_, np.asarray(leaf, type_.dtype)
    except OverflowError as error:
        raise out_of_range(error) from None


def as_operand(leaf: object) -> Any:
    """A leaf of a call under a trace, as an operand: narrowed as an evaluated call would narrow it."""
    if isinstance(leaf, Array):
        return leaf
    if isinstance(leaf, np.ndarray):
        return as_argument(leaf)
    type_, elements = scalar(leaf)
    return DeviceArray(type_, key_at(type_, current_default()), elements)


def refuse_leaves(arguments: Arguments, name: str) -> None:
    """Raise the error for the first leaf that is no array and no number, if there is one."""
    for index, leaf in enumerate(arguments.leaves):
        if isinstance(leaf, Tracer):
            continue
        try:
            type_of(leaf)
        except ArgumentError as error:
            error.add_note(f"  while: interpreting {arguments.paths()[index]} of {name}")
            error.add_note(
                "  fix: if it belongs to a method, jit needs static_argnums=0, a pytree, or a helper function"
            )
            raise


@final
class ShapeDtypeStruct:
    """Stands for an array that is not there: its shape and element type, and where it would be."""

    __slots__ = ("dtype", "shape", "sharding", "weak_type")

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
    ) -> None:
        self.shape = tuple(shape)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.sharding = sharding
        self.weak_type = weak_type

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def update(self, **changes: Any) -> ShapeDtypeStruct:
        """The same with other attributes."""
        known = {"shape": self.shape, "dtype": self.dtype, "sharding": self.sharding}
        return ShapeDtypeStruct(**{**known, "weak_type": self.weak_type, **changes})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a shape without axes")
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.sharding, self.weak_type

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.shape))
        weak = ", weak_type=True" if self.weak_type else ""
        where = f", sharding={self.sharding}" if self.sharding is not None else ""
        comma = "," if len(self.shape) == 1 else ""
        return f"ShapeDtypeStruct(shape=({shape}{comma}), dtype={self.dtype.name}{where}{weak})"


def abstract_key(leaf: Any) -> Key:
    """The key of an array, a number, or anything with a shape and an element type.

    Raises:
        ArgumentError: it is none of these.
    """
    if type(leaf) is DeviceArray:
        return leaf._key
    if type(leaf) is np.ndarray:
        plain = ArrayType(leaf.shape, canonical_dtype(leaf.dtype))
        default = current_default()
        return plain if default is None else key_at(plain, default)
    shape, dtype = getattr(leaf, "shape", None), getattr(leaf, "dtype", None)
    if shape is not None and dtype is not None:
        weak = bool(getattr(leaf, "weak_type", False))
        type_ = ArrayType(tuple(shape), canonical_dtype(np.dtype(dtype)), weak)
    else:
        type_ = type_of(leaf)
    device = getattr(getattr(leaf, "sharding", None), "device", None)
    return key_at(type_, current_default()) if device is None else (type_, device.committed)
