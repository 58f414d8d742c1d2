"""`jax._src.tree_util`: for flax.nnx and orbax, which ask whether a class is a registered node, and open nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, final

from treadle_ir.tree import default_registry, flatten_one_level as flatten_one_level


class _Entry(NamedTuple):
    """How nodes of a class are opened and built, as JAX's table says it."""

    to_iter: Callable[[Any], Any]
    from_iter: Callable[[Any, Any], Any]


@final
class _Registry(Mapping[type, _Entry]):
    """treadle's table of nodes, read as JAX's."""

    def __getitem__(self, cls: type) -> _Entry:
        kind = default_registry.kinds[cls]
        if kind is None:
            raise KeyError(cls)
        return _Entry(kind.open, lambda meta, children: kind.build(meta, list(children)))

    def __contains__(self, cls: object) -> bool:
        return isinstance(cls, type) and default_registry.kinds[cls] is not None

    def __iter__(self) -> Iterator[type]:
        return iter([cls for cls in default_registry.registered if cls in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)


_registry = _Registry()
