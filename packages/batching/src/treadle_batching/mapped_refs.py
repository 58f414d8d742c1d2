"""Mutable references over whose axes `vmap` maps: each batch element has a reference to its own part.

The function that is batched is pure, from what the references hold to what they hold in the end, which is written to
them after the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_batching.axis import Dim
from treadle_ir import ArgumentError
from treadle_ir.refs import Ref, lending, new_ref, store
from treadle_ir.tree import PyTreeDef, leaves_in_any_order

Mapping = Callable[[Callable[..., Any], Any, Any], Callable[..., Any]]
"""`vmap` with its other arguments: a function, in_axes and out_axes give the batched function."""


def mapped_places(leaves: Sequence[object], dims: Sequence[object]) -> list[int]:
    """Return the positions of references among the leaves with a mapped axis."""
    return [
        i
        for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True))
        if isinstance(leaf, Ref) and dim is not None
    ]


def map_over_refs(
    fun: Callable[..., Any],
    mapping: Mapping,
    leaves: Sequence[Any],
    structure: PyTreeDef,
    dims: Sequence[Dim],
    places: Sequence[int],
    out_axes: Any,  # Any: a tree of axes
) -> Any:  # Any: what the function returns
    """Run a batched function with references with a mapped axis among its leaves.

    Raises:
        ArgumentError: one reference is given twice, or the function returns one.
    """
    refs = [leaves[place] for place in places]
    if len({id(ref) for ref in refs}) != len(refs):
        raise ArgumentError("vmap: one reference is given twice", fix="pass each reference once")
    others = [None if i in places else leaf for i, leaf in enumerate(leaves)]

    def pure(values: list[Any], others: list[Any]) -> tuple[Any, list[Any]]:
        own = [new_ref(value) for value in values]
        whole = [*others]
        for place, ref in zip(places, own, strict=True):
            whole[place] = ref
        args, kwargs = structure.unflatten(whole)
        output = fun(*args, **kwargs)
        if any(isinstance(leaf, Ref) for leaf in leaves_in_any_order(output)):
            raise ArgumentError(
                "vmap: the function returns a reference, which only lives inside of it",
                fix="return what it holds, `ref[...]`",
            )
        return output, [ref[...] for ref in own]

    ref_dims = [dims[place] for place in places]
    other_dims = [None if i in places else dim for i, dim in enumerate(dims)]
    values = [ref[...] for ref in refs]
    with lending(refs):
        output, values = mapping(pure, (ref_dims, other_dims), (out_axes, ref_dims))(values, others)
    store(refs, values)
    return output
