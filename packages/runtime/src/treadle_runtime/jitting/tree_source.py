"""The source of an expression that builds a pytree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from treadle_ir.tree import default_registry


@final
class Source:
    """The source of a leaf, which takes its place in the tree."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def source_of(tree: Any, constant: Callable[[str, Any], str]) -> str | None:
    """Return a tree of sources as a Python expression; None if an expression cannot build one of its nodes.

    Any: a pytree, and the metadata of its nodes.

    Args:
        tree: a pytree of `Source` leaves.
        constant: returns a name with the given prefix for a value.
    """
    kind = type(tree)
    if kind is Source:
        return str(tree.text)
    if tree is None:
        return "None"
    if kind is dict:
        values = _sources(tree.values(), constant)
        if values is None:
            return None
        pairs = [f"{constant('KEY', key)}: {text}" for key, text in zip(tree, values, strict=True)]
        return f"{{{', '.join(pairs)}}}"
    if kind is list or kind is tuple:
        parts = _sources(tree, constant)
        if parts is None:
            return None
        inside = "".join([part + ", " for part in parts])
        return f"[{inside}]" if kind is list else f"({inside})"
    registered = default_registry.kinds[kind]
    if registered is None:
        return None
    children, meta = registered.open(tree)
    parts = _sources(children, constant)
    if parts is None:
        return None
    return f"{constant('BUILD', registered.build)}({constant('META', meta)}, [{', '.join(parts)}])"


def _sources(trees: Any, constant: Callable[[str, Any], str]) -> list[str] | None:
    found = [source_of(each, constant) for each in trees]
    texts = [text for text in found if text is not None]
    return texts if len(texts) == len(found) else None
