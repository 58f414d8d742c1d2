from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

from treadle_runtime.jitting.tree_source import Source, source_of

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "tree",
    [
        Source("1"),
        None,
        (),
        (Source("1"),),
        [Source("1"), (Source("2"), None)],
        {"b": Source("1"), "a": [], 3: {}},
        Point(Source("1"), [Source("2")]),
    ],
)
def test_the_source_builds_the_tree(tree: Any) -> None:
    names: dict[str, Any] = {}

    def constant(prefix: str, value: Any) -> str:
        names[f"{prefix}{len(names)}"] = value
        return [*names][-1]

    text = source_of(tree, constant)
    assert text is not None
    built = eval(text, names)

    def plain(node: Any) -> Any:
        if isinstance(node, Source):
            return int(node.text)
        if isinstance(node, dict):
            return {key: plain(each) for key, each in node.items()}
        if isinstance(node, Point):
            return Point(*map(plain, node))
        return type(node)(map(plain, node)) if isinstance(node, (list, tuple)) else node

    assert built == plain(tree)
    assert type(built) is type(plain(tree))
