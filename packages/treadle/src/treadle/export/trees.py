"""Structures of trees as JSON, and the classes of nodes that users name for it.

A structure's code lists its nodes in post-order (`treadle_ir.tree`); what is written is that list. Reading builds a
tree of that form and flattens it, so whatever the bytes are, the structure belongs to a tree.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final, TypeVar, final

from treadle.export.container import damaged
from treadle_ir import ArgumentError
from treadle_ir.errors import classes, functions, refused
from treadle_ir.process import fork_safe_lock, frozen
from treadle_ir.tree import PyTreeDef, default_registry, is_tree_node, tree_structure

T = TypeVar("T", bound=type)
_KEYS: Final = (str, int, float, bool)  # of dicts, as JSON has them


@final
@frozen(eq=False)
class Named:
    """How a class of nodes travels: its name, and its metadata as bytes. Any: metadata are the class's own."""

    nodetype: type
    name: str
    write: Callable[[Any], bytes | bytearray]
    read: Callable[[bytes], Any]
    build: Callable[[Any, Any], Any]


_lock = fork_safe_lock()
_BY_TYPE: Final[dict[type, Named]] = {}  # only grows
_BY_NAME: Final[dict[str, Named]] = {}  # only grows


def register_pytree_node_serialization(
    nodetype: T,
    *,
    serialized_name: str,
    serialize_auxdata: Callable[[Any], bytes | bytearray],
    deserialize_auxdata: Callable[[bytes], Any],
    from_children: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> T:
    """Let trees with nodes of a registered class be written by `Exported.serialize`, and read again.

    Args:
        nodetype: a class that is registered as a pytree node; it is returned.
        serialized_name: what stands for the class in artefacts; the reading process registers it by the same name.
        serialize_auxdata: from a node's metadata to bytes.
        deserialize_auxdata: from these bytes to the metadata.
        from_children: from metadata and children to a node; by default, as the class was registered.

    Raises:
        ArgumentError: the class is not a node, or class or name are registered already.

    Example:
        >>> import treadle
        >>> from treadle import export
        >>> @treadle.tree_util.register_pytree_node_class
        ... class Scaled:
        ...     def __init__(self, value, unit):
        ...         self.value, self.unit = value, unit
        ...     def tree_flatten(self):
        ...         return (self.value,), self.unit
        ...     @classmethod
        ...     def tree_unflatten(cls, unit, children):
        ...         return cls(*children, unit)
        >>> _ = export.register_pytree_node_serialization(
        ...     Scaled, serialized_name="example.Scaled",
        ...     serialize_auxdata=str.encode, deserialize_auxdata=bytes.decode)
        >>> double = export.export(treadle.jit(lambda x: x.value * 2))(Scaled(1.5, "metre"))
        >>> print(export.deserialize(double.serialize()).call(Scaled(2.0, "metre")))
        4.0
    """
    function = "register_pytree_node_serialization"
    classes(function, nodetype=nodetype)
    _check_name(function, serialized_name)
    functions(
        function, serialize_auxdata=serialize_auxdata, deserialize_auxdata=deserialize_auxdata
    )
    if from_children is not None:
        functions(function, from_children=from_children)
    if not is_tree_node(nodetype):
        raise ArgumentError(
            f"{function}: `{nodetype.__qualname__}` is not a node of pytrees",
            fix="register it with tree_util.register_pytree_node first",
        )
    kind = default_registry.kinds[nodetype]
    assert kind is not None
    build = kind.build if from_children is None else from_children
    _add(Named(nodetype, serialized_name, serialize_auxdata, deserialize_auxdata, build))
    return nodetype


def register_namedtuple_serialization(nodetype: T, *, serialized_name: str) -> T:
    """Let trees with nodes of a namedtuple class be written by `Exported.serialize`, and read again.

    Raises:
        ArgumentError: the class is not a namedtuple, or class or name are registered already.

    Example:
        >>> import collections, treadle
        >>> from treadle import export
        >>> Point = collections.namedtuple("Point", "x y")
        >>> _ = export.register_namedtuple_serialization(Point, serialized_name="example.Point")
        >>> swap = export.export(treadle.jit(lambda p: Point(p.y, p.x)))(Point(1.0, 2.0))
        >>> export.deserialize(swap.serialize()).call(Point(3.0, 4.0)).x
        Array(4., dtype=float32, weak_type=True)
    """
    function = "register_namedtuple_serialization"
    classes(function, nodetype=nodetype)
    _check_name(function, serialized_name)
    if not (issubclass(nodetype, tuple) and isinstance(getattr(nodetype, "_fields", None), tuple)):
        raise ArgumentError(
            f"{function}: `{nodetype.__qualname__}` is not a namedtuple",
            fix="use register_pytree_node_serialization for other classes",
        )
    make: Any = nodetype  # a namedtuple has `_make`, which `type` does not declare
    _add(
        Named(nodetype, serialized_name, lambda _: b"", lambda _: None, lambda _, c: make._make(c))
    )
    return nodetype


def _check_name(function: str, name: object) -> None:
    if not isinstance(name, str):
        raise refused(function, "serialized_name", "a string", name)


def _add(named: Named) -> None:
    with _lock:
        if named.nodetype in _BY_TYPE:
            raise ArgumentError(
                f"the class `{named.nodetype.__qualname__}` is already registered for serialization",
                fix="register each class once, where it is defined",
            )
        if named.name in _BY_NAME:
            known = _BY_NAME[named.name].nodetype.__qualname__
            raise ArgumentError(
                f"the name {named.name!r} is already registered for serialization, for `{known}`",
                fix="choose another name, for instance with the module in front",
            )
        _BY_TYPE[named.nodetype] = named
        _BY_NAME[named.name] = named


# --- writing --------------------------------------------------------------------------------------------


def write_tree(structure: PyTreeDef) -> list[Any]:  # Any: what JSON holds
    """Return a structure as JSON.

    Raises:
        ArgumentError: it has nodes of a class that is not registered for it, or keys that JSON lacks.
    """
    return [
        entry if isinstance(entry, int) else _written(entry[0].node_type, entry[1], entry[2])
        for entry in structure.code
    ]


def _written(nodetype: type, arity: int, meta: Any) -> list[Any]:  # Any: a node's metadata; JSON
    if nodetype is tuple and meta is not None:  # a namedtuple, whose metadata is its class
        nodetype, meta = meta, None
    if nodetype in (tuple, list, type(None)):
        return [nodetype.__name__, arity]
    if nodetype in (dict, OrderedDict):
        for key in meta:
            if type(key) not in _KEYS or (type(key) is float and not isfinite(key)):
                raise ArgumentError(
                    f"serialize: a dict among arguments or results has the key {key!r}",
                    fix="use keys that are strings or numbers, or a registered class",
                )
        return [nodetype.__name__, arity, list(meta)]
    named = _BY_TYPE.get(nodetype)
    if named is None:
        raise ArgumentError(
            f"serialize: `{nodetype.__qualname__}` among arguments or results is not registered for serialization",
            fix="register it with treadle.export.register_namedtuple_serialization or "
            "register_pytree_node_serialization",
        )
    data = named.write(meta)
    if not isinstance(data, (bytes, bytearray)):
        raise ArgumentError(
            f"serialize: serialize_auxdata of {named.name!r} returned a {type(data).__name__}, not bytes"
        )
    return ["named", arity, named.name, base64.b64encode(data).decode()]


# --- reading --------------------------------------------------------------------------------------------


def read_tree(written: object) -> PyTreeDef:
    """Return the structure that `write_tree` wrote.

    Raises:
        ArgumentError: it wrote no such thing, or a class is not registered in this process.
    """
    if not isinstance(written, list):
        raise damaged("the structure of arguments or results is not a list")
    stack: list[Any] = []
    leaves = 0
    for entry in written:
        if type(entry) is int and 0 < entry <= 1 << 20 and leaves + entry <= 1 << 20:
            stack += [_LEAF] * entry
            leaves += entry
            continue
        if not isinstance(entry, list) or len(entry) < 2:
            raise damaged("the structure of arguments or results has an entry that is not a node")
        arity = entry[1]
        if type(arity) is not int or not 0 <= arity <= len(stack):
            raise damaged("the structure of arguments or results lacks children of a node")
        children = stack[len(stack) - arity :]
        del stack[len(stack) - arity :]
        stack.append(_read(entry, children))
    if len(stack) != 1:
        raise damaged(f"the structure of arguments or results has {len(stack)} roots")
    try:
        return tree_structure(stack[0])
    except (
        Exception
    ) as error:  # keys that do not sort, or what a user's class says of such children
        raise damaged(f"the structure of arguments or results is none: {error}") from error


_LEAF: Final = object()  # of a class that is not a node, and cannot become one


def _read(entry: list[Any], children: list[Any]) -> Any:  # Any: JSON, and nodes of a tree
    kind, *rest = entry
    if kind == "tuple" and len(rest) == 1:
        return tuple(children)
    if kind == "list" and len(rest) == 1:
        return children
    if kind == "NoneType" and rest == [0]:
        return None
    if kind in ("dict", "OrderedDict") and len(rest) == 2 and isinstance(rest[1], list):
        keys = rest[1]
        if len(keys) == len(children) and all(type(key) in _KEYS for key in keys):
            pairs = zip(keys, children, strict=True)
            return dict(pairs) if kind == "dict" else OrderedDict(pairs)
    if kind == "named" and len(rest) == 3 and isinstance(rest[1], str):
        return _named(rest[1], rest[2], children)
    raise damaged(f"the structure of arguments or results has a node {str(entry)[:60]}")


def _named(name: str, data: object, children: list[Any]) -> Any:  # Any: a node of the user's class
    named = _BY_NAME.get(name)
    if named is None:
        raise ArgumentError(
            f"deserialize: no class is registered by the name {name[:80]!r}",
            fix="call register_pytree_node_serialization or register_namedtuple_serialization before",
        )
    try:
        return named.build(named.read(base64.b64decode(str(data), validate=True)), children)
    except Exception as error:  # the user's functions, on bytes that may be anything
        raise damaged(f"a node {name[:80]!r} cannot be made again: {error}") from error
