"""Attribute values and literals as text, both ways, and the registry of what a text may name.

A text names operations by mnemonic, and attribute classes (frozen dataclasses, enumerations) by class name.
Both are looked up among the classes that treadle_ir and already imported extensions define; reading a text
never imports, evaluates or executes anything that the text says.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any, Final

import numpy as np

import treadle_ir.primitives
from treadle_ir import dtypes
from treadle_ir.dtypes import BY_NAME, DType, dtype_name
from treadle_ir.effects import Effect
from treadle_ir.families import FunctionCall
from treadle_ir.primitive import Primitive
from treadle_ir.program import Program
from treadle_ir.types import ArrayType, TokenType, Type
from treadle_ir.values import Literal, Value

# --- writing ---------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    """A string in double quotes, printable ASCII only."""
    parts = ['"']
    for character in text:
        code = ord(character)
        if character in '"\\':
            parts.append("\\" + character)
        elif 32 <= code < 127:
            parts.append(character)
        else:
            parts.append(f"\\u{{{code:x}}}")
    parts.append('"')
    return "".join(parts)


def unquoted(text: str) -> str:
    """The string that `quoted` wrote.

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
    """The one element of an array as a scalar of its type. Any: of any shape and element type."""
    scalar: Any = array.reshape(())[()]
    return scalar  # type: ignore[no-any-return]  # indexing a rank 0 array with () gives its scalar


def bits_of(value: np.generic) -> int:
    """The bits of a real floating scalar as an integer."""
    return int.from_bytes(value.tobytes(), sys.byteorder)


def from_bits(bits: int, dtype: DType) -> np.generic:
    """The real floating scalar with these bits."""
    return element(np.frombuffer(bits.to_bytes(dtype.itemsize, sys.byteorder), dtype))


def _real_text(value: np.generic) -> str:
    """The shortest decimal that reads back as the same bits; `nan(0x...)` for a nan with other bits than nan's."""
    dtype = value.dtype
    number = float(value)
    if number != number:
        if bits_of(value) == bits_of(dtype.type("nan")):
            return "nan"
        return f"nan(0x{bits_of(value):x})"
    if number in (np.inf, -np.inf):
        return "inf" if number > 0 else "-inf"
    if dtype == np.float64:
        return repr(number)
    with np.errstate(all="ignore"):
        for digits in range(1, 18):
            text = repr(float(f"{number:.{digits}g}"))
            if dtype.type(float(text)) == value:
                return text
    raise AssertionError("17 digits tell all doubles apart")


def literal_value_text(value: np.generic) -> str:
    """A scalar without its type."""
    dtype = value.dtype
    if dtype == np.bool_:
        return "True" if value else "False"
    if dtypes.is_integer(dtype):
        return str(int(value))
    if dtypes.is_floating(dtype):
        return _real_text(value)
    if dtypes.is_complex(dtype):
        return f"({_real_text(value.real)}, {_real_text(value.imag)})"
    return "zero"  # f0 has one value


def literal_text(literal: Literal) -> str:
    """A literal with its type: `1.0:f32`, `2:i32*` when weak."""
    text = literal_value_text(literal.value)
    return f"{text}:{dtype_name(literal.type.dtype)}{'*' if literal.type.weak else ''}"


def opaque_text(value: object) -> str:
    """What stands for a value that has no text, such as a Python function."""
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"<opaque {re.sub(r'[^A-Za-z0-9_.]', '_', str(name))}>"


def value_text(value: object, program_names: Mapping[int, str]) -> str:
    """An attribute's value. `program_names` has the name of each nested program by its id."""
    if value is None or value is True or value is False:
        return str(value)
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
        # Python's numbers are doubles, whose nans keep their bits, too.
        if isinstance(value, float):
            return literal_value_text(np.float64(value))
        return literal_value_text(np.complex128(value)) + "j"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        if type(value) is not tuple and hasattr(value, "_fields"):
            return opaque_text(value)
        inner = [value_text(each, program_names) for each in value]
        return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
    if isinstance(value, Program):
        return "@" + program_names[id(value)]
    if isinstance(value, np.dtype):
        return dtype_name(value) if value in dtypes.NAMES else opaque_text(value)
    if isinstance(value, Type):
        return str(value)
    if isinstance(value, Literal):
        return literal_text(value)
    if isinstance(value, frozenset):
        return f"set({', '.join(sorted(value_text(each, program_names) for each in value))})"
    if isinstance(value, np.generic) and value.dtype in dtypes.NAMES:
        return f"scalar({literal_value_text(value)}:{dtype_name(value.dtype)})"
    if isinstance(value, np.ndarray) and value.dtype in dtypes.NAMES:
        elements = np.ascontiguousarray(value).tobytes().hex()  # bytes in little-endian order
        return f'dense({ArrayType(value.shape, value.dtype)}, x"{elements}")'
    if (
        is_dataclass(value)
        and not isinstance(value, type)
        and find_class(type(value).__name__) is type(value)
    ):
        return f"{type(value).__name__}({', '.join(_field_texts(value, program_names))})"
    return opaque_text(value)


def _field_texts(value: Any, program_names: Mapping[int, str]) -> Iterator[str]:
    """`name=value` of each field that is not at its default. Any: any dataclass."""
    for field in constructor_fields(type(value)):
        text = value_text(getattr(value, field.name), program_names)
        if field.default is MISSING or text != value_text(field.default, program_names):
            yield f"{field.name}={text}"


def attributes_text(primitive: Primitive, program_names: Mapping[int, str]) -> str:
    """` {name=value, ...}` of a primitive's attributes that are not at their defaults; empty when none is left."""
    if not constructor_fields(type(primitive)):
        return ""
    texts = ", ".join(_field_texts(primitive, program_names))
    return f" {{{texts}}}" if texts else ""


def constructor_fields(cls: type) -> tuple[Field[Any], ...]:
    """The fields that a dataclass's constructor takes. Any: a field of whatever type."""
    found = _FIELDS.get(cls)
    if found is None:
        found = tuple(field for field in fields(cls) if field.init) if is_dataclass(cls) else ()
        _FIELDS[cls] = found
    return found


_FIELDS: Final[dict[type, tuple[Field[Any], ...]]] = {}

# --- the registry ----------------------------------------------------------------------------------


def _subclasses() -> Iterator[type[Primitive]]:
    seen: set[type[Primitive]] = set()
    stack: list[type[Primitive]] = [Primitive]
    while stack:
        for cls in stack.pop().__subclasses__():
            if cls not in seen:
                seen.add(cls)
                stack.append(cls)
                yield cls


def _is_public(cls: type) -> bool:
    """Whether a module has the class under its own name.

    `dataclass(slots=True)` makes a second class; the first stays among the subclasses until it is collected.
    """
    return getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls


def _own_modules() -> list[types.ModuleType]:
    path = treadle_ir.primitives.__path__
    names = sorted(info.name for info in pkgutil.iter_modules(path))
    modules = [
        importlib.import_module(f"{treadle_ir.primitives.__name__}.{name}") for name in names
    ]
    return [*modules, sys.modules[Effect.__module__], sys.modules[Type.__module__]]


_PRIMITIVES: Final[dict[str, type[Primitive]]] = {}
_CLASSES: Final[dict[str, type]] = {}


def _scan() -> None:
    modules = _own_modules()
    found = [cls for cls in _subclasses() if "name" in cls.__dict__ and _is_public(cls)]
    # treadle's own come first, so that no extension can change what a mnemonic means.
    found.sort(
        key=lambda cls: (not cls.__module__.startswith("treadle_ir."), cls.__module__, cls.__name__)
    )
    for cls in found:
        if not issubclass(cls, FunctionCall):
            _PRIMITIVES.setdefault(cls.name, cls)
            _CLASSES.setdefault(cls.__name__, cls)
    extensions = {cls.__module__ for cls in found} - {module.__name__ for module in modules}
    for module in (*modules, *(sys.modules[name] for name in sorted(extensions))):
        for member in list(vars(module).values()):
            if not isinstance(member, type) or member.__module__ != module.__name__:
                continue
            if issubclass(member, (Primitive, Type)):
                continue
            parameters = getattr(member, "__dataclass_params__", None)
            if issubclass(member, Enum) or (parameters is not None and parameters.frozen):
                _CLASSES.setdefault(member.__name__, member)


def find_primitive(mnemonic: str) -> type[Primitive] | None:
    """The operation of a mnemonic, or None."""
    if mnemonic not in _PRIMITIVES:
        _scan()
    return _PRIMITIVES.get(mnemonic)


def find_class(name: str) -> type | None:
    """The attribute class of a name, or None."""
    if name not in _CLASSES:
        _scan()
    return _CLASSES.get(name)


def mnemonics() -> list[str]:
    """All mnemonics that are known now."""
    _scan()
    return sorted(_PRIMITIVES)


# --- what fits a field -----------------------------------------------------------------------------


def _hints(cls: type) -> dict[str, Any]:
    """The annotations of a class of ours, resolved. Any: annotations are of any kind."""
    hints = _HINTS.get(cls)
    if hints is None:
        names = {
            "Program": Program,
            "Literal": Literal,
            "Value": Value,
            "Primitive": Primitive,
            "Any": Any,
        }
        known = {**names, "DType": DType, "Type": Type, "ArrayType": ArrayType, "Effect": Effect}
        known.update(vars(sys.modules[cls.__module__]))
        try:
            hints = typing.get_type_hints(cls, globalns=known)
        except (NameError, TypeError, AttributeError):  # a name that only type checkers import
            hints = {}
        _HINTS[cls] = hints
    return hints


_HINTS: Final[dict[type, dict[str, Any]]] = {}


def fits(value: object, hint: Any) -> bool:
    """Whether a value that was read is what an annotation asks for; True where the annotation is not understood.

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
    if isinstance(origin, type):
        return isinstance(value, origin)
    return True


def shown(hint: Any) -> str:
    """An annotation as a reader of a message knows it. Any: annotations are of any kind."""
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")


def construct(cls: type, values: Mapping[str, object]) -> Any:
    """The primitive or attribute with these fields. Any: an instance of `cls`.

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
    """The scalar that a literal's text stands for.

    Raises:
        ValueError: no value of this element type.
    """
    name = dtype_name(dtype)
    if dtype == np.bool_:
        if text not in ("True", "False"):
            raise ValueError(f"`{text}` is not a bool: it is True or False")
        return np.bool_(text == "True")
    if dtypes.is_integer(dtype):
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"`{shortened(text)}` is not an integer, which {name} asks for")
        limits = integer_limits(dtype)
        number = int(text)
        if not limits[0] <= number <= limits[1]:
            raise ValueError(
                f"{shortened(text)} is out of the range of {name}, {limits[0]} to {limits[1]}"
            )
        wide = BY_NAME["u64"] if number > 0 else BY_NAME["i64"]
        return element(np.asarray(number, wide).astype(dtype))
    if dtypes.is_floating(dtype) and re.fullmatch(REAL, text):
        return _read_real(text, dtype)
    if dtypes.is_complex(dtype) and (match := _COMPLEX.fullmatch(text)) is not None:
        parts = np.empty(2, dtypes.real_part(dtype))
        parts[0], parts[1] = (_read_real(part, parts.dtype) for part in match.groups())
        return element(parts.view(dtype))
    if dtype == dtypes.float0 and text == "zero":
        return element(np.zeros((), dtype))
    raise ValueError(f"`{shortened(text)}` is not a value of {name}")


def integer_limits(dtype: DType) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    bits = dtypes.bit_width(dtype)
    return (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        if dtypes.is_signed(dtype)
        else (0, (1 << bits) - 1)
    )


def shortened(text: str) -> str:
    """A text of any length, cut for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


_TYPE: Final = re.compile(r"([a-z][a-z0-9]*)\[([0-9, ]*)\](\*?)")
_MAX_RANK: Final = 64  # NumPy's
_MAX_ELEMENTS: Final = 1 << 62


def read_type(text: str) -> Type:
    """The type of a text such as `f32[2,3]*`.

    Raises:
        ValueError: no type, or one that is too large.
    """
    if text == "token":
        return TokenType()
    match = _TYPE.fullmatch(text)
    if match is None:
        raise ValueError(f"`{shortened(text)}` is not a type, such as f32[2,3]")
    name, sizes, weak = match.groups()
    dtype = BY_NAME.get(name)
    if dtype is None:
        raise ValueError(
            f"there is no element type `{shortened(name)}`; there are {', '.join(BY_NAME)}"
        )
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
