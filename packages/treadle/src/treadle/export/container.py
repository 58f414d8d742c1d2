"""The container of an artefact: a JSON header and arrays in one string of bytes.

    magic, 16 bytes      "treadle export" and a newline, padded with a zero byte
    digest, 32 bytes     SHA-256 of all that follows
    length, 8 bytes      of the header, little-endian
    header               JSON in UTF-8; the key `arrays` lists type and number of bytes of each array
    arrays               their elements, one array after the other, in row-major order, little-endian

Reading executes nothing, and every byte string either is an artefact or gives an `ArgumentError`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArgumentError, ArrayType
from treadle_ir.core import dtypes
from treadle_ir.errors import refused
from treadle_ir.symbolic import SymbolicScope, read_shape

_MAGIC: Final = b"treadle export\n\0"
_DIGEST: Final = hashlib.sha256
_START: Final = len(_MAGIC) + 32 + 8

Elements = np.ndarray[Any, np.dtype[Any]]  # Any: of every shape and element type
Header = dict[str, Any]  # Any: what JSON holds


def damaged(what: str) -> ArgumentError:
    """Return the error, with the reason, for bytes that are not an artefact of this release."""
    return ArgumentError(
        f"deserialize: {what}",
        fix="pass the bytes that `serialize` gave, all of them and unchanged",
    )


def pack(header: Mapping[str, object], arrays: Sequence[Elements]) -> bytes:
    """Header and arrays as bytes; the same for the same header and arrays."""
    listed = [{"type": repr(ArrayType(x.shape, x.dtype)), "bytes": x.nbytes} for x in arrays]
    whole = {**header, "arrays": listed}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    rest = [len(text).to_bytes(8, "little"), text]
    rest += [np.ascontiguousarray(x).tobytes() for x in arrays]
    data = b"".join(rest)
    return _MAGIC + _DIGEST(data).digest() + data


def unpack(data: object) -> tuple[Header, list[Elements]]:
    """Header and arrays of the bytes of `pack`.

    Raises:
        ArgumentError: the value is not bytes, or not an artefact, or a truncated or changed artefact.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise refused("deserialize", "blob", "the bytes that `serialize` gave", data)
    blob = bytes(data)
    if not blob.startswith(_MAGIC):
        raise damaged(f"these {len(blob)} bytes are not an artefact of treadle.export")
    if len(blob) < _START:
        raise damaged(f"the artefact is cut off after {len(blob)} bytes")
    rest = blob[len(_MAGIC) + 32 :]
    if _DIGEST(rest).digest() != blob[len(_MAGIC) : len(_MAGIC) + 32]:
        raise damaged("the artefact is cut off or was changed: its checksum does not match")
    end = _START + int.from_bytes(blob[_START - 8 : _START], "little")
    try:
        header = json.loads(blob[_START:end].decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise damaged("the artefact's header is not JSON") from error
    if not isinstance(header, dict):
        raise damaged("the artefact's header is not an object of JSON")
    return header, _arrays(blob, end, header.pop("arrays", None))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _arrays(blob: bytes, start: int, listed: object) -> list[Elements]:
    if not isinstance(listed, list):
        raise damaged("the artefact's header does not list its arrays")
    arrays = []
    for number, each in enumerate(listed):
        type_ = array_type(each.get("type") if isinstance(each, dict) else None)
        size = math.prod(type_.shape) * type_.dtype.itemsize
        if size != each.get("bytes") or start + size > len(blob):
            raise damaged(
                f"array {number}, {type_}, has a number of bytes that does not fit its type"
            )
        if size:
            flat = np.frombuffer(blob, type_.dtype, math.prod(type_.shape), start)
            arrays.append(flat.reshape(type_.shape))
        else:
            arrays.append(np.zeros(type_.shape, type_.dtype))
        start += size
    if start != len(blob):
        raise damaged(f"{len(blob) - start} bytes follow the artefact's last array")
    return arrays


def array_type(text: object, scope: SymbolicScope | None = None) -> ArrayType:
    """Return the type that a text such as `f32[2,3]` names; with a scope, sizes may be symbolic.

    Raises:
        ArgumentError: there is no such type.
    """
    try:
        name, _, rest = str(text).partition("[")
        sizes, end = rest.rstrip("*")[:-1], rest.rstrip("*")[-1:]
        if end != "]" or len(rest) > 1500:
            raise ValueError(text)
        if scope is not None and not re.fullmatch("[0-9,]*", sizes):
            shape = read_shape(sizes, scope)
            if len(shape) > 64:
                raise ValueError(text)
            return ArrayType(shape, dtypes.BY_NAME[name], rest.endswith("*"))
        shape = tuple([int(size) for size in sizes.split(",")] if sizes else [])
        if any(size < 0 for size in shape) or len(shape) > 64 or math.prod(shape) > 1 << 62:
            raise ValueError(text)
        return ArrayType(shape, dtypes.BY_NAME[name], rest.endswith("*"))
    except (KeyError, ValueError) as error:  # ArgumentError, too
        raise damaged(f"`{str(text)[:60]}` is not a type, such as f32[2,3]") from error
