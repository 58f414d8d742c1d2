"""Operations of all batch elements, made of the rules for one; and what batch rules are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, final

import treadle.numpy as tnp
from treadle.core import AbstractValue, ShapedArray
from treadle.experimental.hijax.accumulate import GradAccum, NullAccum, ValAccum
from treadle.experimental.hijax.application import kept_by, tangent_aval, tangent_types
from treadle.experimental.hijax.prim import HiPrim, pair_of
from treadle.experimental.hijax.types import HiType, hitype_of
from treadle.interpreters.batching import AxisData, bdim_at_front
from treadle.interpreters.zeros import Zero
from treadle_batching import vmap
from treadle_ir import UnsupportedError
from treadle_ir.calling import as_array
from treadle_ir.tree import tree_flatten, tree_unflatten

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


def _with_axis(aval: Any, dim: Any, size: int) -> Any:  # Any: types, and where the axis goes
    return aval if dim is None else aval.inc_rank(size, dim)


def _is_none(x: object) -> bool:
    return x is None


def dims_of_results(of: HiPrim, out_dims: Tree) -> list[Any]:
    """Return the batch dimension of each result; an entry of `out_dims` may apply to several."""
    structure = tree_flatten(out_dims, _is_none)[1]
    if structure.is_leaf():
        return [out_dims] * len(of.out_flat)
    return of.out_tree.flatten_up_to(out_dims)


@final
class Mapped(HiPrim):
    """An operation of all batch elements: its rules are the rules of one element, mapped."""

    def __init__(self, of: HiPrim, axis_data: AxisData, dims: tuple[Tree, ...], out: Tree) -> None:
        self.size = axis_data.size
        self.of_one = of
        flat_dims = of.in_tree.flatten_up_to(dims)
        out_dims = dims_of_results(of, out)
        self.in_dims, self.out_dims = tuple(flat_dims), tuple(out_dims)
        self.in_avals = tree_unflatten(
            of.in_tree,
            [_with_axis(a, d, self.size) for a, d in zip(of.in_flat, flat_dims, strict=True)],
        )
        self.out_aval = tree_unflatten(
            of.out_tree,
            [_with_axis(a, d, self.size) for a, d in zip(of.out_flat, out_dims, strict=True)],
        )
        self.params = {
            "of_one": of,
            "axis_data": axis_data,
            "in_dims": self.in_dims,
            "out_dims": self.out_dims,
        }
        super().__init__()

    def _map(self, function: Callable[..., Tree], in_axes: Tree, out_axes: Tree) -> Any:
        name = self.params["axis_data"].name
        return vmap(function, in_axes, out_axes, name, self.size)

    def _ins(self) -> tuple[Tree, ...]:
        return tuple(tree_unflatten(self.of_one.in_tree, list(self.in_dims)))

    def _outs(self) -> Tree:
        return tree_unflatten(self.of_one.out_tree, list(self.out_dims))

    def _only_arrays(self, what: str) -> None:
        if any(isinstance(aval, HiType) for aval in (*self.in_flat, *self.out_flat)):
            raise UnsupportedError(
                f"{what} of {self.of_one} under vmap: values of types of a library's own have no derived rule",
                fix="define `batch` instead of `batch_dim_rule`",
            )

    def expand(self, *args: Tree) -> Tree:
        """Mapped."""
        return self._map(self.of_one.expand, self._ins(), self._outs())(*args)

    def __repr__(self) -> str:
        return f"{self.of_one} under vmap"

    def has_rule(self, method: str) -> bool:
        """Return whether the operation of one batch element has it."""
        return self.of_one.has_rule(method)

    def jvp(self, primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> tuple[Tree, Tree]:
        """Mapped over primals and tangents."""
        self._only_arrays("jvp")
        given = _Given(tangents, self.of_one.in_flat, self.in_dims)

        def one(primals: tuple[Tree, ...], each: Sequence[Tree]) -> tuple[Tree, Tree]:
            found = self.of_one.jvp(primals, given.whole(each))
            output, outward = pair_of(self.of_one, "jvp", found)
            return output, _arrays(outward)

        ins, outs = (self._ins(), given.dims), (self._outs(), self._outs())
        found: tuple[Tree, Tree] = self._map(one, ins, outs)(primals, given.arrays)
        return found

    def vjp_fwd(self, nzs_in: Tree, /, *args: Tree) -> tuple[Tree, ...]:
        """Mapped; what is kept is stacked in front."""
        return self._kept("vjp_fwd", "grad", nzs_in, args)

    def vjp_bwd_retval(self, res: Tree, outgrad: Tree, /) -> tuple[Tree, ...]:
        """`vjp_bwd`, mapped; cotangents of what all batch elements share are added up."""
        given = _Given(outgrad, self.of_one.out_flat, self.out_dims)
        of_one = self.of_one

        def one(res: Tree, each: Sequence[Tree]) -> list[Tree]:
            accums = [
                (ValAccum if tangent_types(aval) else NullAccum)(tangent_aval(aval))
                for aval in of_one.in_flat
            ]
            of_one.vjp_bwd(res, given.whole(each), *tree_unflatten(of_one.in_tree, accums))
            return _sums(accums)

        stacked = self._map(one, (0, given.dims), 0)(res, given.arrays)
        cts = [
            None if x is None else _as_its_primal(x, dim)
            for x, dim in zip(stacked, self.in_dims, strict=True)
        ]
        return tuple(tree_unflatten(of_one.in_tree, cts))

    def lin(self, nzs_in: Tree, /, *primals: Tree) -> tuple[Tree, ...]:
        """Mapped; what is kept is stacked in front."""
        return self._kept("lin", "linearize", nzs_in, primals)

    def linearized(self, residuals: Tree, /, *tangents: Tree) -> Tree:
        """Mapped over what was kept, and tangents."""
        given = _Given(tangents, self.of_one.in_flat, self.in_dims)

        def one(residuals: Tree, each: Sequence[Tree]) -> Tree:
            return _arrays(self.of_one.linearized(residuals, *given.whole(each)))

        return self._map(one, (0, given.dims), self._outs())(residuals, given.arrays)

    def transpose(self, out_ct: Tree, *maybe_accums: Tree) -> None:
        """Mapped; cotangents of what all batch elements share are added up."""
        self._only_arrays("transpose")
        of_one = self.of_one
        given = _Given(out_ct, of_one.out_flat, self.out_dims)
        leaves = of_one.in_tree.flatten_up_to(maybe_accums)
        known = [None if isinstance(x, GradAccum) else x for x in leaves]

        def one(known: Sequence[Tree], each: Sequence[Tree]) -> list[Tree]:
            args = [
                ValAccum(aval) if x is None else x
                for x, aval in zip(known, of_one.in_flat, strict=True)
            ]
            of_one.transpose(given.whole(each), *tree_unflatten(of_one.in_tree, args))
            return _sums(args)

        dims = [None if x is None else dim for x, dim in zip(known, self.in_dims, strict=True)]
        stacked = self._map(one, (dims, given.dims), 0)(known, given.arrays)
        for accum, x, dim in zip(leaves, stacked, self.in_dims, strict=True):
            if x is not None:
                accum.accum(_as_its_primal(x, dim))

    def _kept(
        self, method: str, what: str, nzs_in: Tree, args: tuple[Tree, ...]
    ) -> tuple[Tree, Tree]:
        self._only_arrays(what)
        found: tuple[Tree, Tree] = self._map(
            lambda *args: kept_by(self.of_one, method, nzs_in, args),
            self._ins(),
            (self._outs(), 0),
        )(*args)
        return found

    def batch_dim_rule(self, axis_data: Any, dims: tuple[Tree, ...], /) -> Tree:
        """Batch as the operation of one batch element does, whose axes are counted without this one."""
        self._only_arrays("vmap")
        inner = [
            None if dim is None else dim - (mine is not None and mine < dim)
            for dim, mine in zip(self.of_one.in_tree.flatten_up_to(dims), self.in_dims, strict=True)
        ]
        given = tree_unflatten(self.of_one.in_tree, inner)
        found = dims_of_results(self.of_one, self.of_one.batch_dim_rule(axis_data, given))
        outer = [
            None if dim is None else dim + (mine is not None and mine <= dim)
            for dim, mine in zip(found, self.out_dims, strict=True)
        ]
        return tree_unflatten(self.of_one.out_tree, outer)


@final
class _Given:
    """Tangents, or cotangents, of all batch elements: those that are there, since what is zero is not mapped over."""

    def __init__(
        self, tangents: Tree, avals: Sequence[AbstractValue], dims: Sequence[int | None]
    ) -> None:
        leaves, self._structure = tree_flatten(tangents, lambda x: isinstance(x, Zero))
        self._zeros = [
            Zero(tangent_aval(aval)) if isinstance(x, Zero) else None
            for x, aval in zip(leaves, avals, strict=True)
        ]
        self.arrays = [x for x in leaves if not isinstance(x, Zero)]
        self.dims = [dim for x, dim in zip(leaves, dims, strict=True) if not isinstance(x, Zero)]

    def whole(self, arrays: Sequence[Tree]) -> Tree:
        """Return the tree of one batch element, of its arrays."""
        rest = iter(arrays)
        flat = [next(rest) if zero is None else zero for zero in self._zeros]
        return tree_unflatten(self._structure, flat)


def _sums(accums: Sequence[Tree]) -> list[Tree]:
    """Return the sums of accumulators; None for an empty one, and for anything that is not an accumulator."""
    sums = [x.freeze() if isinstance(x, GradAccum) else None for x in accums]
    return [None if isinstance(x, Zero) else x for x in sums]


def _arrays(tangents: Tree) -> Tree:
    leaves, structure = tree_flatten(tangents, lambda x: isinstance(x, Zero))
    return tree_unflatten(
        structure, [x.instantiate() if isinstance(x, Zero) else x for x in leaves]
    )


def _as_its_primal(ct: Tree, dim: int | None) -> Tree:
    """Move the batch axis of a cotangent from the front to its primal's batch dimension."""
    if dim is None:
        return tnp.sum(as_array(ct), axis=0)
    return tnp.moveaxis(ct, 0, dim)


def vmap_rule(
    axis_data: AxisData, f: Callable[..., Tree], in_axes: Tree, out_axes: Tree
) -> Callable[..., Tree]:
    """`f` mapped over the axis that a batch rule is asked about, for rules written by hand.

    Example:
        >>> from treadle.experimental.hijax import vmap_rule
        >>> from treadle.interpreters.batching import AxisData
        >>> import treadle.numpy as tnp
        >>> print(vmap_rule(AxisData("i", 3), tnp.sum, 1, 0)(tnp.ones((2, 3))))
        [2. 2. 2.]
    """
    return vmap(f, in_axes, out_axes, axis_data.name, axis_data.size)


def bdims_at_front(axis_data: AxisData, args: Tree, dims: Tree) -> Tree:
    """Return arrays with the axis of the batch elements in front, added where an array has none.

    Example:
        >>> from treadle.experimental.hijax import bdims_at_front
        >>> from treadle.interpreters.batching import AxisData
        >>> import treadle.numpy as tnp
        >>> x, y = bdims_at_front(AxisData("i", 3), (tnp.ones((2, 3)), tnp.ones(2)), (1, None))
        >>> x.shape, y.shape
        ((3, 2), (3, 2))
    """
    leaves, structure = tree_flatten(args)
    if any(hitype_of(leaf) is not None for leaf in leaves):
        raise UnsupportedError(
            "bdims_at_front: a value of a type of a library's own has no axis with a number",
            fix="move what belongs to it by operations of the library",
        )
    places = structure.flatten_up_to(dims) if not _is_none(dims) else [None] * len(leaves)
    return tree_unflatten(
        structure,
        [
            bdim_at_front(as_array(x), dim, axis_data.size)
            for x, dim in zip(leaves, places, strict=True)
        ],
    )


def unmap_avals(axis_data: AxisData, avals: Tree, dims: Tree) -> Tree:
    """Return the types of one batch element, given the types of the batch.

    Example:
        >>> from treadle.experimental.hijax import ShapedArray, unmap_avals
        >>> from treadle.interpreters.batching import AxisData
        >>> unmap_avals(AxisData("i", 3), (ShapedArray((2, 3), "float32"),), (1,))
        (ShapedArray(float32[2]),)
    """
    leaves, structure = tree_flatten(avals)
    places = structure.flatten_up_to(dims)
    found: list[ShapedArray | HiType] = [
        aval if dim is None else aval.dec_rank(axis_data.size, dim)
        for aval, dim in zip(leaves, places, strict=True)
    ]
    return tree_unflatten(structure, found)
