"""JAX's place for what its sparse formats share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from treadle.experimental.sparse.efficiency import (
    CuSparseEfficiencyWarning,
    SparseEfficiencyError,
    SparseEfficiencyWarning,
)
from treadle_batching import vmap
from treadle_ir.errors import boundaries, functions, integer
from treadle_ir.tree import tree_leaves, tree_map
from treadle_numpy import broadcast_to, ndim, shape as shape_of

__all__ = [
    "CuSparseEfficiencyWarning",
    "Shape",
    "SparseEfficiencyError",
    "SparseEfficiencyWarning",
    "SparseInfo",
    "broadcasting_vmap",
    "nfold_vmap",
]

Shape: TypeAlias = tuple[int, ...]


class SparseInfo(NamedTuple):
    """Properties of a sparse array without its elements and indices."""

    shape: Shape
    indices_sorted: bool = False
    unique_indices: bool = False


def broadcasting_vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Any:
    """Apply `vmap` with arguments of size 1 along the mapped axis together with larger ones; only axis 0 is mapped.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse.util import broadcasting_vmap
        >>> print(broadcasting_vmap(lambda x, y: x + y)(tnp.ones(1), tnp.arange(3.0)))
        [1. 2. 3.]
    """
    functions("broadcasting_vmap", fun=fun)
    mapped = vmap(fun, in_axes, out_axes)

    def broadcasting(*args: Any) -> Any:
        sizes = {shape_of(x)[0] for x in tree_leaves(args) if ndim(x)}
        size = max(sizes, default=1)

        def whole(x: Any) -> Any:
            own = shape_of(x)
            return broadcast_to(x, (size, *own[1:])) if own[:1] == (1,) else x

        return mapped(*tree_map(whole, args))

    return broadcasting


def nfold_vmap(
    fun: Callable[..., Any],
    N: int,  # noqa: N803 - JAX's name
    *,
    broadcasted: bool = True,
    in_axes: Any = 0,
) -> Any:
    """Return a function mapped over the first `N` axes of its arguments; `broadcasted` ones may be of size 1.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse.util import nfold_vmap
        >>> print(nfold_vmap(lambda x: x.sum(), 2)(tnp.ones((2, 3, 4))))
        [[4. 4. 4.]
         [4. 4. 4.]]
    """
    functions("nfold_vmap", fun=fun)
    mapping = broadcasting_vmap if broadcasted else vmap
    for _ in range(integer("nfold_vmap", "N", N)):
        fun = mapping(fun, in_axes=in_axes)
    return fun


boundaries(__name__)
