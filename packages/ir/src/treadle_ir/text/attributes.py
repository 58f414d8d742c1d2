"""Attribute values and literals read from text, and the checks of what a text says.

A text names operations by mnemonic, and attribute classes (frozen dataclasses, enumerations) by class name.
Both are looked up in `treadle_ir.core.registry`; reading a text never imports, evaluates or executes anything that the
text says.
"""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING
from functools import lru_cache
from typing import Any, Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType, dtype_name
from treadle_ir.core.effects import Effect
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.partial import PartialSums, with_partial_sums
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.printing import constructor_fields
from treadle_ir.core.program import Program
from treadle_ir.core.sharding import Sharding
from treadle_ir.core.sizes import Symbolic
from treadle_ir.core.types import ArrayType, TokenType, Type
from treadle_ir.core.values import Literal, Value
from treadle_ir.symbolic import SymbolicScope, read_shape

# --- strings and bits -----------------------------------------------------------------------------------


def unquoted(text: str) -> str:
    """Return the string that `quoted` wrote.

    Raises:
        ValueError: an escape that there is not.
    """
    if "\\" not in text:
        return text[1:-1]
    return _ESCAPE.sub(_unescape, text[1:-1])


_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-f]{1,6}\}|.)", re.DOTALL)


def _unescape(match: re.Match[str]) -> str:
    what = match.group(1)
    if what in '"\\':
        return what
    if what.startswith("u{"):
        return chr(int(what[2:-1], 16))
    raise ValueError(f"there is no escape `\\{what}`")


def element(array: np.ndarray[Any, np.dtype[Any]]) -> np.generic:
    """Return the one element of an array as a scalar of its type. Any: of any shape and element type."""
    scalar: Any = array.reshape(())[()]
    return scalar  # type: ignore[no-any-return]  # indexing a rank 0 array with () gives its scalar


def from_bits(bits: int, dtype: DType) -> np.generic:
    """Return the real floating scalar with these bits."""
    return element(np.frombuffer(bits.to_bytes(dtype.itemsize, sys.byteorder), dtype))


# --- what fits a field -----------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of a class of ours, resolved. Any: annotations are of any kind."""
    known = {
        "Program": Program,
        "Literal": Literal,
        "Value": Value,
        "Primitive": Primitive,
        "DType": DType,
        "Type": Type,
        "ArrayType": ArrayType,
        "Effect": Effect,
        "Any": Any,
    }
    try:
        return typing.get_type_hints(cls, localns=known)
    except (NameError, TypeError, AttributeError):  # a name that only type checkers import
        return {}


def fits(value: object, hint: Any) -> bool:
    """Return whether `value` matches the annotation `hint`; True if the annotation is not understood.

    Any: annotations are of any kind.
    """
    if hint is Any or hint is object:
        return True
    if hint is None or hint is type(None):
        return value is None
    origin = typing.get_origin(hint)
    if origin is None:
        if hint is float:
            return isinstance(value, (float, int)) and not isinstance(value, bool)
        if hint is complex:
            return isinstance(value, (complex, float, int)) and not isinstance(value, bool)
        if hint is int and isinstance(value, Symbolic):
            return True  # a size that acts as an integer
        return isinstance(value, hint) if isinstance(hint, type) else True
    arguments = typing.get_args(hint)
    if origin is typing.Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return all(fits(each, arguments[0]) for each in value)
        if arguments == ((),):
            arguments = ()
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin is np.dtype and isinstance(value, dtypes.ExtendedDType):
        return True  # an element type that NumPy lacks
    if isinstance(origin, type):
        return isinstance(value, origin)
    return True


def shown(hint: Any) -> str:
    """Return an annotation as a reader of a message knows it. Any: annotations are of any kind."""
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")


def construct(cls: type, values: Mapping[str, object]) -> Any:
    """Return the primitive or attribute with these fields. Any: an instance of `cls`.

    Raises:
        ValueError: a field that is missing, unknown or of another kind, or that the class refuses.
    """
    known = {field.name: field for field in constructor_fields(cls)}
    for name in values:
        if name not in known:
            listed = f"; it has {', '.join(known)}" if known else ""
            raise ValueError(f"there is no attribute `{shortened(name)}`{listed}")
    hints = _hints(cls)
    for name, field in known.items():
        if name not in values:
            if field.default is MISSING and field.default_factory is MISSING:
                raise ValueError(f"the attribute `{name}` is missing")
        elif name in hints and not fits(values[name], hints[name]):
            raise ValueError(f"the attribute `{name}` is not of the kind {shown(hints[name])}")
    return cls(**values)


# --- reading literals ------------------------------------------------------------------------------

ELEMENT: Final = r"[a-z][a-z0-9]*(?:<[a-z]+>)?"  # the name of an element type: `f32`, `key<fry>`
REAL: Final = r"-?(?:inf|nan(?:\(0x[0-9a-f]{1,16}\))?|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?)"
_COMPLEX: Final = re.compile(rf"\(({REAL}), ?({REAL})\)")
_INTEGER: Final = re.compile(r"-?[0-9]{1,400}")


def _read_real(text: str, dtype: DType) -> np.generic:
    if text.startswith("nan("):
        bits = int(text[6:-1], 16)
        if bits >> (8 * dtype.itemsize):
            raise ValueError(f"{text} has more bits than {dtype_name(dtype)}")
        value = from_bits(bits, dtype)
        if value == value:
            raise ValueError(f"{text} is not a nan of {dtype_name(dtype)}")
        return value
    with np.errstate(all="ignore"):
        return element(np.asarray(float(text)).astype(dtype))


def read_scalar(text: str, dtype: DType) -> np.generic:
    """Return the scalar that a literal's text stands for.

    Raises:
        ValueError: no value of this element type.
    """
    name = dtype_name(dtype)
    if dtype == np.bool_:
        if text not in ("True", "False"):
            raise ValueError(f"`{text}` is not a bool: it is True or False")
        return np.bool_(text == "True")
    if dtypes.is_integer(dtype) or dtypes.is_key(dtype):
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"`{shortened(text)}` is not an integer, which {name} asks for")
        limits = integer_limits(dtype)
        number = int(text)
        if not limits[0] <= number <= limits[1]:
            raise ValueError(
                f"{shortened(text)} is out of the range of {name}, {limits[0]} to {limits[1]}"
            )
        if dtypes.is_key(dtype):
            return element(dtypes.numbered_key(number, dtype))
        wide = BY_NAME["u64"] if number > 0 else BY_NAME["i64"]
        return element(np.asarray(number, wide).astype(dtype))
    if dtypes.is_floating(dtype) and re.fullmatch(REAL, text):
        return _read_real(text, dtype)
    if dtypes.is_complex(dtype) and (match := _COMPLEX.fullmatch(text)) is not None:
        parts = np.empty(2, dtypes.real_part(dtype))
        parts[0], parts[1] = (_read_real(part, parts.dtype) for part in match.groups())
        return element(parts.view(dtype))
    if dtypes.is_float0(dtype) and text == "zero":
        return element(np.zeros((), dtype))
    raise ValueError(f"`{shortened(text)}` is not a value of {name}")


def integer_limits(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest integer of a type."""
    bits = dtypes.bit_width(dtype)  # a key is an unsigned integer here
    return (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        if dtypes.is_signed(dtype)
        else (0, (1 << bits) - 1)
    )


def read_sizes(text: str, scope: SymbolicScope | None) -> tuple[int, ...]:
    """Return sizes of which some are symbolic.

    Raises:
        ValueError: the text does not parse, or is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"the shape has more than {_MOST_CHARACTERS} characters")
    shape = read_shape(text, scope or SymbolicScope())
    if len(shape) > _MAX_RANK:
        raise ValueError(f"the type has {len(shape)} axes, but {_MAX_RANK} is the most")
    return shape


def read_size(text: str, scope: SymbolicScope) -> int:
    """Return the one size of a text, which may be symbolic.

    Raises:
        ValueError: the text does not parse, or is not a single size.
    """
    sizes = read_sizes(text, scope)
    if len(sizes) != 1:
        raise ValueError(f"[{shortened(text)}] is not one size")
    return sizes[0]


def read_constraints(texts: list[str]) -> SymbolicScope:
    """Parse the constraints on the names of sizes in `texts`, as a scope.

    Raises:
        ValueError: one does not parse, they can never hold, or there are too many.
    """
    if len(texts) > _MOST_CONSTRAINTS or sum(map(len, texts)) > _MOST_CHARACTERS:
        raise ValueError("there are too many constraints")
    return SymbolicScope(texts)


def shortened(text: str) -> str:
    """Return a text of any length, cut for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


SIZES: Final = r"[-+*^(), 0-9A-Za-z_]*"  # of axes, which may be symbolic
_AXIS: Final = r'(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\\n]|\\.)*")'  # of a mesh
_AXES: Final = rf"(?:{_AXIS}|\({_AXIS}(?:,{_AXIS})+\))"
SHARDED_SIZES: Final = rf"(?:[-+*^(), 0-9A-Za-z_]|@{_AXES})*"
SHARDING: Final = rf"\{{(?:@[A-Za-z0-9_]+)?(?:,?[UR]:{_AXES})*\}}"
VARYING: Final = rf"\{{V:{_AXES}\}}"
_TYPE: Final = re.compile(rf"({ELEMENT})\[({SHARDED_SIZES})\](\*?)({SHARDING})?({VARYING})?")
_DIVIDED: Final = re.compile(rf"@({_AXES})")
_PARTIAL: Final = re.compile(rf"([UR]):({_AXES})")
_KNOWN: Final = re.compile(r"[0-9, ]*")
_MOST_CHARACTERS: Final = 4000  # of a symbolic shape, or of all constraints
_MOST_CONSTRAINTS: Final = 64
_MAX_RANK: Final = 64  # NumPy's
_MAX_ELEMENTS: Final = 1 << 62


def read_type(
    text: str,
    scope: SymbolicScope | None = None,
    meshes: Mapping[str, AbstractMesh] = types.MappingProxyType({}),
) -> Type:
    """Parse a type such as `f32[2,3]*`, or `f32[b,4*n + 1]` where a scope says what is known of names.

    `meshes` are the meshes of shardings, as in `f32[8@x,4]`, by name, in order of appearance.

    Raises:
        ValueError: the text is not a type, or the type is too large.
    """
    if text == "token":
        return TokenType()
    match = _TYPE.fullmatch(text)
    if match is None:
        raise ValueError(f"`{shortened(text)}` is not a type, such as f32[2,3]")
    name, written, weak, braces, varying = match.groups()
    if varying is not None:
        invariant = read_type(text.removesuffix(varying), scope, meshes)
        assert isinstance(invariant, ArrayType)
        return invariant.with_varying(frozenset(_read_axes(varying[3:-1])))
    sizes = _DIVIDED.sub("", written)
    if sizes != written or braces is not None:
        plain = read_type(f"{name}[{sizes}]{weak}", scope)
        assert isinstance(plain, ArrayType)
        return plain.with_sharding(_read_sharding(written, braces or "{}", plain.ndim, meshes))
    dtype = BY_NAME.get(name)
    if dtype is None:
        raise ValueError(
            f"there is no element type `{shortened(name)}`; there are {', '.join(BY_NAME)}"
        )
    if not _KNOWN.fullmatch(sizes):
        return ArrayType(read_sizes(sizes, scope), dtype, weak == "*")
    parts = [part.strip() for part in sizes.split(",")] if sizes.strip() else []
    if len(parts) > _MAX_RANK:
        raise ValueError(f"the type has {len(parts)} axes, but {_MAX_RANK} is the most")
    shape: list[int] = []
    size = 1
    for part in parts:
        if not part.isdecimal() or len(part) > 19:
            raise ValueError(f"`{shortened(part)}` is not the size of an axis")
        shape.append(int(part))
        size *= max(int(part), 1)
    if size > _MAX_ELEMENTS:
        raise ValueError("the type has more elements than any machine can hold")
    return ArrayType(tuple(shape), dtype, weak == "*")


def _read_sharding(
    sizes: str, braces: str, ndim: int, meshes: Mapping[str, AbstractMesh]
) -> Sharding:
    """Return the sharding that sizes such as `8@x,4` and what stands in braces behind them describe."""
    mesh_name, _, _ = braces[1:-1].partition(",")
    if mesh_name.startswith("@"):
        mesh = meshes.get(mesh_name)
    else:
        mesh, mesh_name = next(iter(meshes.values()), None), "mesh"
    if mesh is None:
        raise ValueError(f"there is no {mesh_name} above, which the sharding is over")
    dims: list[tuple[str, ...]] = [()] * ndim
    for match in _DIVIDED.finditer(sizes):
        before = sizes[: match.start()]
        axis = _commas_outside(before)
        if axis >= ndim or dims[axis]:
            raise ValueError(f"`{shortened(match.group())}` divides no axis")
        dims[axis] = _read_axes(match.group(1))
    over = {kind: frozenset(_read_axes(names)) for kind, names in _PARTIAL.findall(braces)}
    return Sharding(
        mesh,
        with_partial_sums(
            dims, PartialSums(over.get("U", frozenset()), over.get("R", frozenset()))
        ),
    )


def _commas_outside(text: str) -> int:
    """Count the commas outside of parentheses."""
    depth = count = 0
    for character in _DIVIDED.sub("", text):
        depth += (character == "(") - (character == ")")
        count += character == "," and depth == 0
    return count


def _read_axes(text: str) -> tuple[str, ...]:
    names = re.findall(_AXIS, text)
    return tuple([unquoted(name) if name.startswith('"') else name for name in names])
