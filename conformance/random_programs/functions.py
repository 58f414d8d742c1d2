"""The public functions that programs call, from the table of valid calls: what is an array there becomes a place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from conformance.hostile import calls as table
from conformance.random_programs.program import KEY

# Names of the table that stand for arrays: their shapes, and what suits them.
ARRAYS: Final[dict[str, tuple[tuple[int, ...], str]]] = {
    **dict.fromkeys(("x", "y"), ((2, 3), "number")),
    **dict.fromkeys(("v", "w"), ((3,), "number")),
    "s": ((), "number"),
    "i": ((3,), "index"),
    "j": ((2, 3), "index"),
    "n": ((), "index"),
    "b": ((3,), "bool"),
    "bb": ((2, 3), "bool"),
    "square": ((3, 3), "number"),
    "cube": ((2, 3, 4), "number"),
    "image": ((1, 2, 4, 4), "number"),
    "kernel": ((2, 2, 2, 2), "number"),
    "heads": ((1, 4, 2, 8), "number"),
    "key": ((), KEY),
    "stream": ((), KEY),
    "pivots": ((3,), "index"),
}
_KNOWN: Final = {
    *("np", "tnp", "lax", "treadle", "rows", "gathering", "scattering"),
    *("sine", "cube_of", "total", "linear", "plus"),
}
_NAMESPACES: Final = {
    **{
        name: name for name in ("tnp", "tnp.linalg", "tnp.fft", "lax", "lax.linalg", "nn", "random")
    },
    **{name: f"treadle.{name}" for name in ("image", "ops", "scipy.linalg", "scipy.signal")},
    "special": "treadle.scipy.special",
    "operator": "operator",
    "tnp.add": "tnp.add",
    "tnp.logaddexp": "tnp.logaddexp",
}
_LEFT_OUT: Final = {
    "its results are not unique": (
        "eig eigh eigvals eigvalsh svd schur qr qdwh hessenberg lu lu_factor partition argpartition rsf2csf null_space "
        "orth polar sqrtm svdvals top_k_unsorted matrix_rank roots householder_product"
    ),
    "its result is not defined": "empty empty_like create_token after_all rng_bit_generator view",
    "it has an effect or needs a device": "device_put device_get tobytes delete pure_callback",
}
LEFT_OUT: Final = frozenset(name for names in _LEFT_OUT.values() for name in names.split())


class Function(NamedTuple):
    """A call with places: the shape and kind of what each takes."""

    name: str
    text: str
    places: tuple[tuple[tuple[int, ...], str], ...]


class _Places(ast.NodeTransformer):
    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in ARRAYS:
            return node
        self.found.append(node.id)
        return ast.Name(f"place_{len(self.found) - 1}_")


def _function(namespace: str, name: str, arguments: str) -> Function | None:
    tree = ast.parse(f"called{arguments}", mode="eval").body
    assert isinstance(tree, ast.Call)
    places = _Places()
    tree = places.visit(tree)
    free = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"called"}
    if not places.found or any(x not in _KNOWN and not x.startswith("place_") for x in free):
        return None
    given = [ast.unparse(x) for x in tree.args] + [
        f"{x.arg}={ast.unparse(x.value)}" for x in tree.keywords
    ]
    if namespace == "method":
        text = f"{given[0]}.{name}({', '.join(given[1:])})"
    elif namespace == "at":
        text = f"{given[0]}.at[{given[1]}].{name}({', '.join(given[2:])})"
    elif namespace.startswith("stats."):
        text = f"treadle.scipy.{namespace}.{name}({', '.join(given)})"
    elif namespace in _NAMESPACES:
        text = f"{_NAMESPACES[namespace]}.{name}({', '.join(given)})"
    else:
        return None
    text = text.replace("{", "{{").replace("}", "}}")
    for i in range(len(places.found)):
        text = text.replace(f"place_{i}_", f"{{{i}}}")
    return Function(f"{namespace}.{name}", text, tuple(ARRAYS[x] for x in places.found))


def functions() -> Iterator[Function]:
    """Yield all functions of the table."""
    for part in [table.TABLE, *(part.TABLE for part in table._PARTS)]:
        for line in part.strip().splitlines():
            found = table._LINE.fullmatch(line)
            assert found is not None, line
            namespace, names, arguments = found.groups()
            for name in names.split():
                function = None if name in LEFT_OUT else _function(namespace, name, arguments)
                if function is not None:
                    yield function
