"""Python values as attributes of an operation, in MLIR's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treadle_compiler.types import dense, element_type, scalar_text, string_text
from treadle_ir import ArgumentError
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import NAMES
from treadle_ir.errors import RangeError, shown


def attribute_text(where: str, value: object) -> str:
    """An attribute: Python's numbers have 64 bits, NumPy's scalars and arrays their own type; strings; dicts of such.

    Raises:
        ArgumentError: it is nothing of these; RangeError: a Python integer has more than 64 bits.

    Example:
        >>> attribute_text("f", 3), attribute_text("f", np.float32(1)), attribute_text("f", {"on": True})
        ('3 : i64', '0x3F800000 : f32', '{"on" = true}')
    """
    parts: list[str] = []
    todo: list[object] = [value]  # a list, not calls of calls: dicts may stand in dicts
    closing = object()
    comma = object()
    while todo:
        each = todo.pop()
        if each is closing or each is comma:
            parts.append("}" if each is closing else ", ")
        elif isinstance(each, _Name):
            parts.append(f"{string_text(each)} = ")
        elif isinstance(each, Mapping):
            parts.append("{")
            todo.append(closing)
            for number, (name, inner) in reversed([*enumerate(each.items())]):
                if not isinstance(name, str) or not name:
                    raise _refused(where, name)
                todo += [inner, _Name(name), *([comma] if number else [])]
        else:
            parts.append(_single(where, each))
    return "".join(parts)


class _Name(str):
    """The name of an attribute within a dict."""

    __slots__ = ()


def _single(where: str, value: object) -> str:
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise RangeError(f"{where}: {shown(value)} has more than 64 bits")
        return f"{value} : i64"
    if isinstance(value, float) and not isinstance(value, np.generic):
        value = np.float64(value)
    if isinstance(value, np.ndarray) and _has_type(value.dtype):
        return dense(value)
    if isinstance(value, np.generic) and _has_type(value.dtype):
        return f"{scalar_text(value)} : {element_type(value.dtype)}"
    raise _refused(where, value)


def _has_type(dtype: np.dtype[Any]) -> bool:
    return dtype in NAMES and not (
        dtypes.is_complex(dtype) or dtypes.is_key(dtype) or dtypes.is_float0(dtype)
    )


def _refused(where: str, value: object) -> ArgumentError:
    return ArgumentError(
        f"{where}: {shown(value)} of {type(value)} cannot be an attribute",
        fix="pass a number, a string, a NumPy scalar or array of real numbers, or a dict of such; "
        "arrays that the program computes are operands",
    )
