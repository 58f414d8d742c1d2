"""Dataclasses as nodes: which fields are children and which are part of the structure."""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from treadle_ir.errors.argument_checks import classes
from treadle_ir.errors.kinds import TreeError
from treadle_ir.tree.paths import GetAttrKey, Tree
from treadle_ir.tree.registry import Kind, Meta, Opened, default_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T", bound=type)


def static(**kwargs: Any) -> Any:  # Any: the arguments and the result of dataclasses.field
    """Declare a dataclass field that is part of the structure; the arguments are those which `dataclasses.field` takes.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Layer:
        ...     weights: object
        ...     activation: str = static(default="tanh")
        >>> Layer(1.0).activation
        'tanh'
    """
    metadata = {**(kwargs.pop("metadata", None) or {}), "static": True}
    return dataclasses.field(metadata=metadata, **kwargs)


def register_dataclass(
    nodetype: T,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> T:
    """Make a dataclass a node: `data_fields` are its children, `meta_fields` part of the structure.

    Without both, the fields declared with `static()` are the metadata and the others the children.
    `drop_fields` are neither: rebuilding leaves them to their defaults. A class that is not a
    dataclass may be registered too, if both are given; it is rebuilt by keyword arguments.

    Raises:
        ValueError: the class is registered already, or the fields are not exactly the parameters of `__init__`.
        TypeError: fields must be inferred but the class is not a dataclass, or only one of the two is given.

    Example:
        >>> from treadle_ir.tree import tree_leaves
        >>> @register_dataclass
        ... @dataclasses.dataclass
        ... class Scaled:
        ...     value: float
        ...     unit: str = static(default="m")
        >>> tree_leaves(Scaled(2.0))
        [2.0]
    """
    classes("register_dataclass", nodetype=nodetype)
    name = nodetype.__qualname__
    if (data_fields is None) != (meta_fields is None):
        raise TypeError(
            f"register_dataclass: `{name}`: data_fields and meta_fields go together; give both or none"
        )
    if data_fields is None or meta_fields is None:
        data_fields, meta_fields = inferred_fields(nodetype, drop_fields)
    data, meta = tuple(data_fields), tuple(meta_fields)
    check_fields(nodetype, data, meta, tuple(drop_fields))
    read_data, read_meta = reader(data), reader(meta)
    data_keys = tuple(map(GetAttrKey, data))
    names = data + meta

    def open_node(node: Any) -> Opened:  # Any: an instance of nodetype
        return read_data(node), read_meta(node)

    def build(values: Meta, children: Sequence[Tree]) -> Any:  # Any: an instance of nodetype
        return nodetype(**dict(zip(names, (*children, *values), strict=True)))

    default_registry.register(Kind(nodetype, open_node, build, lambda _, __: data_keys))
    return nodetype


def reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:  # Any: values of any field
    """Return a function that reads the attributes `names` into a tuple, in C where possible."""
    if not names:
        return lambda _: ()
    if len(names) == 1:
        (name,) = names
        return lambda node: (getattr(node, name),)
    return attrgetter(*names)


def inferred_fields(nodetype: type, drop: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of a dataclass's fields that are children, and of those that are `static()`, without `drop`."""
    if not dataclasses.is_dataclass(nodetype):
        refusal = TypeError(f"register_dataclass: `{nodetype.__qualname__}` is not a dataclass")
        refusal.add_note(
            "  fix: decorate it with @dataclass first, or name data_fields and meta_fields"
        )
        raise refusal
    data: list[str] = []
    meta: list[str] = []
    for field in dataclasses.fields(nodetype):
        if field.init and field.name not in drop:
            (meta if field.metadata.get("static") else data).append(field.name)
    return data, meta


def check_fields(
    nodetype: type, data: tuple[str, ...], meta: tuple[str, ...], drop: tuple[str, ...]
) -> None:
    """Check that the fields are named once each, and are exactly the fields that the class is built from.

    Raises:
        TreeError: a field is named twice, missing or unknown.
    """
    where = f"register_dataclass: `{nodetype.__qualname__}`"
    named = data + meta
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise TreeError(f"{where}: fields {twice} are named twice")
    if not dataclasses.is_dataclass(nodetype):
        return
    needed = {field.name for field in dataclasses.fields(nodetype) if field.init} - set(drop)
    missing, unknown = sorted(needed - set(named)), sorted(set(named) - needed)
    if missing or unknown:
        refusal = TreeError(f"{where}: fields {missing} are missing and {unknown} are unknown")
        refusal.add_note(
            "  fix: name each field of `__init__` once, in data_fields, meta_fields or drop_fields"
        )
        raise refusal
