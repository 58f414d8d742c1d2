"""`roofline` and `roofline_and_grad`: what functions need of a machine, and the rules that libraries add.

What each of treadle's operations needs is `treadle_ir/analysis/roofline.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

import treadle
from treadle.experimental.roofline.own import (
    RooflineRuleContext as RooflineRuleContext,
    RooflineShape as RooflineShape,
    ValidRooflineDtype as ValidRooflineDtype,
    by_own_rules,
    register_roofline as register_roofline,
    register_standard_roofline as register_standard_roofline,
)
from treadle_ir.analysis import Pinned, RooflineResult as RooflineResult, program_roofline
from treadle_ir.core.mesh import MeshAxes
from treadle_ir.errors import boundaries, flags, functions, refused
from treadle_ir.rewrite import dce

__all__ = [
    "RooflineResult",
    "RooflineRuleContext",
    "RooflineShape",
    "ValidRooflineDtype",
    "register_roofline",
    "register_standard_roofline",
    "roofline",
    "roofline_and_grad",
]

Tree: TypeAlias = Any  # Any: trees of users' arguments and results
Function: TypeAlias = Callable[..., Tree]


def roofline(
    f: Function,
    mesh: MeshAxes | None = None,
    in_specs: Tree = None,
    out_specs: Tree = None,
    *,
    pin_lhs_in_vmem: bool = False,
    pin_rhs_in_vmem: bool = False,
    vjp: bool = False,
    print_jaxpr: bool = False,
) -> Callable[..., tuple[Tree, RooflineResult]]:
    """Return a function from the arguments of `f` to the types of its results, and what it needs of a device.

    `flops` and `hbm_bytes` are of what compilers do not fuse: products of matrices, convolutions, sorting, transforms,
    factorisations. `unfused_flops` and `unfused_hbm_bytes` are of all operations, each by itself. `peak_hbm_bytes` is
    what is kept at the worst moment between two operations. `ici_bytes` and `ici_latency` are of collectives: bytes
    over the busiest link of each mesh axis, a ring, and how many links one after the other. An operation of a library
    counts one operation for each element of its results, unless `register_roofline` says otherwise.

    Differs from JAX in that a scan counts as often as it runs, and branches and loops count at all; the largest branch,
    and a loop once or as often as its bound. Convolutions count under `flops`. Maxima over devices go round whole, as
    sums do.

    Args:
        f: the function.
        mesh: a mesh, with or without devices. With `in_specs` and `out_specs`, `f` runs in a `shard_map` over it, and
            what comes back is for each of the devices.
        in_specs: the specifications of arguments over the mesh.
        out_specs: the specifications of results over the mesh.
        pin_lhs_in_vmem: the left operands and the results of matrix products stay on the chip.
        pin_rhs_in_vmem: the right operands stay on the chip.
        vjp: count the function and its reverse-mode derivative; the types are then the derivatives' types.
        print_jaxpr: print the program that is looked at.

    Raises:
        ArgumentError: `f` is not a function, `mesh` is not a mesh, or a flag not a boolean.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.roofline import roofline
        >>> x = treadle.ShapeDtypeStruct((64, 32), tnp.float32)
        >>> out, found = roofline(lambda x: tnp.sin(x @ x.T))(x)
        >>> out, found.flops, found.unfused_flops, found.hbm_bytes
        (ShapeDtypeStruct(shape=(64, 64), dtype=float32), 262144, 266240, 32768)
    """
    functions("roofline", f=f)
    flags(
        "roofline",
        pin_lhs_in_vmem=pin_lhs_in_vmem,
        pin_rhs_in_vmem=pin_rhs_in_vmem,
        vjp=vjp,
        print_jaxpr=print_jaxpr,
    )
    spread = _spread(f, mesh, in_specs, out_specs)
    pinned = Pinned(pin_lhs_in_vmem, pin_rhs_in_vmem)

    def counted(*args: Tree) -> tuple[Tree, RooflineResult]:
        if not vjp:
            return _counted(spread, args, mesh, pinned, print_jaxpr)
        out = treadle.eval_shape(spread, *args)
        (_, gradients), found = _with_vjp(spread, out, args, mesh, pinned, print_jaxpr)
        return gradients, found

    return counted


def roofline_and_grad(
    f: Function,
    mesh: MeshAxes | None,
    in_specs: Tree,
    out_specs: Tree,
    *,
    pin_lhs_in_vmem: bool = False,
    pin_rhs_in_vmem: bool = False,
    print_jaxpr: bool = False,
) -> Callable[..., tuple[Tree, RooflineResult, RooflineResult]]:
    """Like `roofline`, with the additional cost of the reverse-mode derivative as a third result.

    Args:
        f: the function.
        mesh: a mesh, with or without devices, or None.
        in_specs: the specifications of arguments over the mesh.
        out_specs: the specifications of results over the mesh.
        pin_lhs_in_vmem: the left operands and the results of matrix products stay on the chip.
        pin_rhs_in_vmem: the right operands stay on the chip.
        print_jaxpr: print the programs that are looked at.

    Raises:
        ArgumentError: as `roofline`.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.roofline import roofline_and_grad
        >>> from treadle.sharding import AbstractMesh, PartitionSpec as P
        >>> x, w = [treadle.ShapeDtypeStruct((8, 8), tnp.float32) for _ in range(2)]
        >>> layer = lambda x, w: x @ w
        >>> mesh = AbstractMesh((4,), ("x",))
        >>> out, forward, backward = roofline_and_grad(layer, mesh, (P("x"), P()), P("x"))(x, w)
        >>> forward.flops, backward.flops, backward.ici_bytes
        (256, 512, {'x': 384})
    """
    functions("roofline_and_grad", f=f)
    flags(
        "roofline_and_grad",
        pin_lhs_in_vmem=pin_lhs_in_vmem,
        pin_rhs_in_vmem=pin_rhs_in_vmem,
        print_jaxpr=print_jaxpr,
    )
    spread = _spread(f, mesh, in_specs, out_specs)
    pinned = Pinned(pin_lhs_in_vmem, pin_rhs_in_vmem)

    def counted(*args: Tree) -> tuple[Tree, RooflineResult, RooflineResult]:
        out, forward = _counted(spread, args, mesh, pinned, print_jaxpr)
        _, both = _with_vjp(spread, out, args, mesh, pinned, print_jaxpr)
        return out, forward, both.without(forward)

    return counted


def _spread(f: Function, mesh: MeshAxes | None, in_specs: Tree, out_specs: Tree) -> Function:
    if mesh is not None and not isinstance(mesh, MeshAxes):
        raise refused("roofline", "mesh", "a Mesh, an AbstractMesh or None", mesh)
    if mesh is None or in_specs is None or out_specs is None:
        return f
    return treadle.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)


def _counted(
    f: Function, args: Sequence[Tree], mesh: MeshAxes | None, pinned: Pinned, shown: bool
) -> tuple[Tree, RooflineResult]:
    traced = treadle.jit(f).trace(*args)
    if shown:
        print(traced.jaxpr)
    found = program_roofline(
        dce(traced.program),
        None if mesh is None else mesh.abstract_mesh,
        pinned=pinned,
        own=by_own_rules(pinned),
    )
    return traced.out_info, found


def _with_vjp(
    f: Function,
    out: Tree,
    args: Sequence[Tree],
    mesh: MeshAxes | None,
    pinned: Pinned,
    shown: bool,
) -> tuple[Tree, RooflineResult]:
    """Return the function and its derivative backwards, for cotangents that are arguments, too."""

    def both(args: Sequence[Tree], cotangents: Tree) -> Tree:
        result, backwards = treadle.vjp(f, *args)
        return result, backwards(treadle.tree.map(_cotangent, result, cotangents))

    return _counted(both, (args, out), mesh, pinned, shown)


def _cotangent(result: Tree, given: Tree) -> Tree:
    """Integers have cotangents of no size."""
    if treadle.numpy.issubdtype(result.dtype, np.inexact):
        return given
    return np.zeros(result.shape, treadle.dtypes.float0)


boundaries(__name__)
