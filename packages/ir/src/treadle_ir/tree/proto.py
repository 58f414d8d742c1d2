"""Structures as bytes, in a protocol buffer that other libraries read: tuples, lists, dicts with string keys, None.

A message has the nodes in post-order (field 1) and the keys of dicts, each once (field 2). A node has its number of
children (1), its kind (2), and for a dict (3) the numbers of its keys (1, packed).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.difference import Code
from treadle_ir.tree.registry import DICT, LIST, NONE, TUPLE, Kind

_LEAF: Final = 1
_NUMBERS: Final[dict[Kind, int]] = {LIST: 2, NONE: 3, TUPLE: 4, DICT: 5}
_KINDS: Final = {number: kind for kind, number in _NUMBERS.items()}


def encoded(code: Code) -> bytes:
    """Return the bytes of a structure's code.

    Raises:
        TreeError: it has a node of another type, or a dict with a key that is not a string.
    """
    message = bytearray()
    interned: dict[str, int] = {}
    for entry in code:
        if isinstance(entry, int):
            message += _field(1, _number(2, _LEAF)) * entry
            continue
        kind, arity, meta = entry
        if kind not in _NUMBERS:
            refusal = TreeError(
                f"serialize_using_proto: `{kind.node_type.__qualname__}` is not a tuple, list, dict or None"
            )
            refusal.add_note("  fix: convert the node to one of these, or pickle the structure")
            raise refusal
        node = (_number(1, arity) if arity else b"") + _number(2, _NUMBERS[kind])
        if kind is DICT and arity:
            node += _field(
                3, _field(1, b"".join([_varint(_interned(interned, key)) for key in meta]))
            )
        message += _field(1, node)
    return bytes(message + b"".join([_field(2, key.encode()) for key in interned]))


def decoded(data: bytes) -> Code:
    """Return the code of the structure whose bytes are given.

    Raises:
        TreeError: the bytes do not encode a structure.
    """
    try:
        fields = list(_fields(data))
        keys = [bytes(value).decode() for number, value in fields if number == 2]
        nodes = [dict(_fields(value)) for number, value in fields if number == 1]
        return _code(nodes, keys)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        refusal = TreeError(
            f"deserialize_using_proto: {len(data)} bytes do not encode the structure of a tree"
        )
        refusal.add_note("  fix: give the bytes that serialize_using_proto returned")
        raise refusal from error


def _code(nodes: list[dict[int, Any]], keys: list[str]) -> Code:
    code: list[Any] = []
    made = 0  # subtrees so far
    for node in nodes:
        arity, number = node.get(1, 0), node[2]
        if number == _LEAF:
            if code and isinstance(code[-1], int):
                code[-1] += 1
            else:
                code.append(1)
            arity = 0
        else:
            kind, meta = _KINDS[number], None
            if kind is DICT:
                meta = tuple(
                    [keys[i] for i in _varints(dict(_fields(node.get(3, b""))).get(1, b""))]
                )
            if arity != (0 if kind is NONE else len(meta) if meta is not None else arity):
                raise ValueError("as many children as keys")
            code.append((kind, arity, meta))
        made += 1 - arity
        if made < 1:
            raise ValueError("a node has more children than there are")
    if made != 1:
        raise ValueError("not one tree")
    return tuple(code)


def _interned(known: dict[str, int], key: object) -> int:
    if not isinstance(key, str):
        refusal = TreeError(
            f"serialize_using_proto: a dict has the key {key!r}, which is not a string"
        )
        refusal.add_note("  fix: use strings for keys, or pickle the structure")
        raise refusal
    return known.setdefault(key, len(known))


# --- the wire format of protocol buffers ------------------------------------------------------------


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _read(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at `at`, and the position after it."""
    value = shift = 0
    while data[at] > 0x7F:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
    return value | data[at] << shift, at + 1


def _varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _read(data, at)
        yield value


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:  # Any: a number or bytes
    """Yield the number and the value of each field of a message, in order."""
    at = 0
    while at < len(data):
        tag, at = _read(data, at)
        value, at = _read(data, at)
        if tag & 7 == 2:
            end = at + value
            if end > len(data):
                raise ValueError("a field ends beyond the message")
            yield tag >> 3, data[at:end]
            at = end
        elif tag & 7 == 0:
            yield tag >> 3, value
        else:
            raise ValueError("a field of another type")
