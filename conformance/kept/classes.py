"""Classes that a program makes as it runs: each way of making one a node, and what is done with its values."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

import treadle
from treadle import lax, tree_util


class Pair:
    """The base of the classes here: two attributes, of which the second may be metadata."""

    def __init__(self, x: Any, y: Any = 2.0) -> None:
        self.x, self.y = x, y


def by_functions() -> Any:
    class Node(Pair):
        pass

    tree_util.register_pytree_node(Node, lambda n: ((n.x, n.y), None), lambda _, c: Node(*c))
    return Node(1.0)


def by_functions_with_keys() -> Any:
    class Node(Pair):
        pass

    def flatten(node: Node) -> Any:
        return ((tree_util.GetAttrKey("x"), node.x),), node.y

    tree_util.register_pytree_with_keys(Node, flatten, lambda y, c: Node(*c, y))  # type: ignore[call-arg]
    return Node(1.0)


def by_methods() -> Any:
    @tree_util.register_pytree_node_class
    class Node(Pair):
        def tree_flatten(self) -> Any:
            return (self.x,), self.y

        @classmethod
        def tree_unflatten(cls, y: Any, children: Any) -> Any:
            return cls(*children, y)  # type: ignore[call-arg]

    return Node(1.0)


def by_methods_with_keys() -> Any:
    @tree_util.register_pytree_with_keys_class
    class Node(Pair):
        def tree_flatten_with_keys(self) -> Any:
            return ((tree_util.GetAttrKey("x"), self.x),), self.y

        @classmethod
        def tree_unflatten(cls, y: Any, children: Any) -> Any:
            return cls(*children, y)  # type: ignore[call-arg]

    return Node(1.0)


def dataclass() -> Any:
    @tree_util.register_dataclass
    @dataclasses.dataclass(frozen=True, slots=True)
    class Node:
        x: Any
        y: str = dataclasses.field(default="y", metadata={"static": True})

    return Node(1.0)


def struct() -> Any:
    """As libraries have it: a decorator that makes a frozen dataclass, registers it and adds `replace`."""

    def decorated(cls: Any) -> Any:
        cls = dataclasses.dataclass(frozen=True)(cls)
        cls.replace = lambda node, **changes: dataclasses.replace(node, **changes)
        tree_util.register_dataclass(cls, ["x"], ["y"])
        return cls

    @decorated
    class Node:
        x: Any
        y: int = 3

    return Node(0.0).replace(x=1.0)  # type: ignore[attr-defined, call-arg]


def static() -> Any:
    @tree_util.register_static
    class Node(str):
        __slots__ = ()

    return Node("static"), 1.0


def named_tuple() -> Any:
    return namedtuple("Node", "x y")(1.0, 2.0)  # type: ignore[call-arg, arg-type]


def typed_named_tuple() -> Any:
    class Node(NamedTuple):
        x: Any
        y: Any = 2.0

    return Node(1.0)


def nested() -> Any:
    return {"a": [by_functions(), dataclass()], "b": (named_tuple(), None)}


def leaf() -> Any:
    class Leaf(float):
        pass

    return [Leaf(1.0), 2.0]


CLASSES: Final[dict[str, Callable[[], Any]]] = {
    made.__name__: made
    for made in (
        by_functions,
        by_functions_with_keys,
        by_methods,
        by_methods_with_keys,
        dataclass,
        struct,
        static,
        named_tuple,
        typed_named_tuple,
        nested,
        leaf,
    )
}


def doubled(tree: Any) -> Any:
    return treadle.tree.map(lambda x: x * 2, tree)


def summed(tree: Any) -> Any:
    return sum(treadle.tree.leaves(tree))


def batched(tree: Any) -> Any:
    return treadle.tree.map(lambda x: np.full(3, x, np.float32), tree)


def own_vjp(tree: Any) -> Any:
    f = treadle.custom_vjp(summed)
    f.defvjp(lambda tree: (summed(tree), tree), lambda tree, ct: (tree,))
    return treadle.grad(f)(tree)


USES: Final[dict[str, Callable[[Any], Any]]] = {
    "nothing": lambda tree: None,
    "structure": lambda tree: hash(treadle.tree.structure(tree)),
    "paths": lambda tree: tree_util.tree_leaves_with_path(tree),
    "map": doubled,
    "jit": lambda tree: treadle.jit(lambda tree: doubled(tree))(tree),
    "jit of a closure": lambda tree: treadle.jit(lambda x: (doubled(tree), x))(1.0),
    "grad": treadle.grad(summed),
    "custom_vjp": own_vjp,
    "vmap": lambda tree: treadle.vmap(doubled)(batched(tree)),
    "scan": lambda tree: lax.scan(lambda c, _: (c, c), tree, None, length=2),
    "cond": lambda tree: lax.cond(True, lambda x: doubled(x), lambda x: x, tree),
    "checkpoint": lambda tree: treadle.grad(treadle.checkpoint(summed))(tree),
    "make_jaxpr": lambda tree: treadle.make_jaxpr(doubled)(tree),
    "eval_shape": lambda tree: treadle.eval_shape(doubled, tree),
}
