"""shard_map: a function that each device of a mesh runs on its own parts of the arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, final

from treadle_ir import ArgumentError, Array, PartitionSpec, Program, type_of
from treadle_ir.calling import flatten_arrays
from treadle_ir.core import DimShardings, MeshAxes, layout_of, partial_sums_of, spec_of
from treadle_ir.errors import (
    PlacementError,
    ShardingTypeError,
    flags,
    functions,
    refused,
    sequence,
    shown,
    wraps,
)
from treadle_ir.refs import Ref, TransformedRef, lending, new_ref, references_once, store
from treadle_ir.settings import current_context
from treadle_ir.sharding import shardings_here
from treadle_ir.tracing import StagingTrace, Tracer, explicit_mesh
from treadle_ir.tree import (
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
    spread_prefix,
    tree_leaves,
    tree_unflatten,
)
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.parallel.parts import OnParts
from treadle_runtime.placement.mesh import MESH, Mesh
from treadle_runtime.placement.named import NamedSharding

Tree: TypeAlias = Any  # a pytree: any Python object


@final
class InferSpecs:
    """The class of `Infer`: arguments keep their shardings."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Infer"

    def __reduce__(self) -> str:
        return "Infer"


Infer: Final = InferSpecs()


def shard_map(
    f: Callable[..., Tree] | None = None,
    /,
    *,
    out_specs: Tree,
    in_specs: Tree = Infer,
    mesh: MeshAxes | None = None,
    axis_names: Iterable[str] = frozenset(),
    check_vma: bool = True,
) -> Callable[..., Tree]:
    """Return a function that each device of a mesh runs on its own shards of the arguments.

    Within it the axes of the mesh have names that collectives take (`lax.psum(x, "x")`). Arguments are sharded along
    the axes that their specifications name, and replicated along the others; results are assembled in the same way.

    Args:
        f: takes and returns trees of arrays; without it, a decorator.
        out_specs: a tree of PartitionSpecs that is a prefix of the results of `f`.
        in_specs: a tuple of such trees, one for each argument, or one for all; None for replicated arguments. By
            default arguments keep their shardings.
        mesh: the mesh; by default the mesh in force (`set_mesh`).
        axis_names: the manual axes, which `f` sees; the others are automatic. All by default.
        check_vma: refuse a result that differs between devices along an axis that its specification does not name,
            and differentiate such that a value which all devices share counts as one. Without it each device has a
            value of its own, as under `vmap`.

    Returns:
        A function of the arguments of `f`, unsharded, that returns the unsharded results.

    Raises:
        ArgumentError: when called, if there is no mesh, or specifications are not prefixes or not PartitionSpecs.
        ShardingError: when called, if an argument or a result cannot be sharded as specified, or `check_vma` finds a
            result that differs between devices.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P
        >>> mesh = treadle.make_mesh((1,), ("x",))
        >>> total = treadle.shard_map(
        ...     lambda part: treadle.lax.psum(part.sum(), "x"), mesh=mesh, in_specs=P("x"), out_specs=P()
        ... )
        >>> total(tnp.arange(4.0))
        Array(6., dtype=float32)
    """
    if f is None:
        return functools.partial(
            shard_map,
            out_specs=out_specs,
            in_specs=in_specs,
            mesh=mesh,
            axis_names=axis_names,
            check_vma=check_vma,
        )
    functions("shard_map", f=f)
    flags("shard_map", check_vma=check_vma)
    if mesh is not None and not isinstance(mesh, MeshAxes):
        raise refused("shard_map", "mesh", "a Mesh or an AbstractMesh", mesh)
    for argument, specs in (("in_specs", in_specs), ("out_specs", out_specs)):
        _check_specs(argument, specs)
    given_axes = (axis_names,) if isinstance(axis_names, str) else axis_names
    if not isinstance(given_axes, (set, frozenset)):
        given_axes = sequence("shard_map", "axis_names", given_axes)
    for name in given_axes:
        if not isinstance(name, str):
            raise refused("shard_map", "each of axis_names", "a string", name)
    names = frozenset(given_axes)
    function = f
    programs: list[Program] = []  # of earlier calls: equal ones are compiled once

    def run(
        function: Callable[..., Tree],
        args: tuple[Tree, ...],
        specs: Callable[[Tree, list[PartitionSpec]], list[PartitionSpec]],
    ) -> Tree:
        """Run a function of arrays; `specs` returns the specifications of its results."""
        over = _mesh(mesh)
        manual = _manual_axes(over, names)
        leaves, structure = flatten_arrays(args, "shard_map: argument ")
        paths = [keystr(path) for path in leaf_paths(args)]
        described = [f"argument {path}" for path in paths]
        if in_specs is Infer:
            wanted = [_spec(x, what, over) for x, what in zip(leaves, described, strict=True)]
        else:
            wanted = _spread("in_specs", in_specs, args)
            if over.are_all_axes_explicit and len(manual) == len(over.axis_names):
                _refuse_moves(leaves, wanted, described, over)
        parts = OnParts(function, over, manual, check_vma, programs)
        return parts(leaves, structure, described, wanted, lambda results: specs(results, wanted))

    @wraps(function)
    def mapped(*args: Tree) -> Tree:
        leaves, structure = flatten_leaves_and_structure(args)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (Ref, TransformedRef))]
        if not places:
            return run(function, args, lambda results, _: _spread("out_specs", out_specs, results))

        def on_arrays(*parts: Tree) -> tuple[Tree, list[Array]]:
            """Return the results of the function, and the final values of references to the shards of arrays."""
            inside = tree_leaves(parts)
            own = [new_ref(inside[i]) for i in places]
            for i, ref in zip(places, own, strict=True):
                inside[i] = ref
            return function(*tree_unflatten(structure, inside)), [ref[...] for ref in own]

        given = [leaves[i] for i in places]
        paths = leaf_paths(args)
        cells = references_once(
            "shard_map", given, lambda: [f"argument {keystr(paths[i])}" for i in places]
        )
        held = [leaf[...] if i in places else leaf for i, leaf in enumerate(leaves)]
        with lending(cells):
            results, after = run(
                on_arrays,
                tree_unflatten(structure, held),
                lambda results, wanted: [
                    *_spread("out_specs", out_specs, results[0]),
                    *[wanted[i] for i in places],
                ],
            )
        store(given, after)
        return results

    return mapped


def _check_specs(argument: str, specs: Tree) -> None:
    if specs is Infer and argument == "in_specs":
        return
    for leaf in tree_leaves(specs):
        if not isinstance(leaf, PartitionSpec):
            raise refused("shard_map", f"each leaf of {argument}", "a PartitionSpec", leaf)


def _spread(argument: str, specs: Tree, tree: Tree) -> list[PartitionSpec]:
    """Return a specification for each leaf of a tree."""
    if argument == "in_specs" and isinstance(specs, list):
        specs = tuple(specs)
    if argument == "out_specs":
        return spread_prefix("shard_map: out_specs and the results", specs, tree)
    what = "shard_map: in_specs and the arguments"
    found = spread_prefix(what, specs, tree, lambda each: each is None)
    return [PartitionSpec() if each is None else each for each in found]


def _mesh(given: MeshAxes | None) -> Mesh | Any:
    """Return the given mesh, or the mesh in force if none is given. Any: or an AbstractMesh."""
    current = current_context().get(MESH)
    mesh = current if given is None else given
    if mesh is None or mesh.empty:
        raise ArgumentError(
            "shard_map: no mesh is given, and none is in force",
            fix="pass mesh=, or call it within `with treadle.set_mesh(mesh):`",
        )
    known = isinstance(current, Mesh) and current.shape_tuple == mesh.shape_tuple
    return current if known and not isinstance(mesh, Mesh) else mesh


def _bound() -> frozenset[object]:
    """Return the axes of the enclosing shard_maps."""
    return frozenset([name for name, _, kind in current_context().axes if kind != "mapped"])


def _manual_axes(mesh: MeshAxes, names: frozenset[Any]) -> tuple[str, ...]:
    """Return the axes that the function sees, in the order of the mesh."""
    for name in names:
        if name not in mesh.axis_names:
            raise ArgumentError(
                f"shard_map: axis_names has {shown(name)}, but the mesh has the axes {mesh.axis_names}",
                fix="name axes of the mesh",
            )
    around = _bound()
    twice = names & around
    if twice:
        raise ArgumentError(
            f"shard_map: the axes {sorted(map(str, twice))} belong to a shard_map around it already",
            fix="name the other axes of the mesh in axis_names",
        )
    chosen = names or frozenset(mesh.axis_names) - around
    if not chosen:
        raise ArgumentError(
            f"shard_map: all axes of the mesh, {mesh.axis_names}, belong to a shard_map around it already",
            fix="call the function directly: it has its shard already",
        )
    return tuple([name for name in mesh.axis_names if name in chosen])


def _refuse_moves(
    leaves: Sequence[Array],
    specs: Sequence[PartitionSpec],
    described: Sequence[str],
    mesh: MeshAxes,
) -> None:
    """Refuse specifications that would reshard a sharded array: over explicit axes, users must reshard it themselves.

    Replicated arrays may have any specification, since no data moves.
    """
    shardings = shardings_here(leaves) or (None,) * len(leaves)
    for x, spec, known, what in zip(leaves, specs, shardings, described, strict=True):
        dims: DimShardings | None = None if known is None else known.dims
        if isinstance(x, DeviceArray):
            sharding = x.sharding
            if (
                not isinstance(sharding, NamedSharding)
                or sharding.mesh.shape_tuple != mesh.shape_tuple
            ):
                continue
            dims = layout_of(sharding.spec, x.ndim, what)
        if (
            dims is None
            or not (any(dims) or partial_sums_of(dims).unreduced)
            or len(spec) > len(dims)
            or PartitionSpec.UNCONSTRAINED in spec
        ):
            continue
        if layout_of(spec, len(dims), what) != dims:
            raise ShardingTypeError(
                f"shard_map: {what}, of type {type_of(x)}, is sharded as {spec_of(dims)} over explicit axes, but "
                f"in_specs says {spec}",
                fix="leave in_specs out, or reshard it first: `reshard(x, P(...))`",
            )


def _spec(x: Array, what: str, mesh: MeshAxes) -> PartitionSpec:
    """Return the specification of an array over the mesh: of a concrete array's sharding, or a traced array's type.

    Raises:
        PlacementError: the compiler decides the sharding, or the array is over another mesh.
    """
    if isinstance(x, DeviceArray):
        sharding = x.sharding
        if not isinstance(sharding, NamedSharding):
            return PartitionSpec()
        if sharding.mesh.shape_tuple == mesh.shape_tuple:
            return sharding.spec
    elif mesh.explicit_axes:
        staged_over = _staged_over(x)
        shown = x.__treadle_sharding__(mesh.axes)
        if staged_over is not None and staged_over.shape_tuple == mesh.shape_tuple:
            if shown is not None:
                return spec_of(shown.dims)
        elif staged_over is None:  # types show no mesh: the array is replicated
            return PartitionSpec() if shown is None else spec_of(shown.dims)
    raise PlacementError(
        f"shard_map: how {what} is sharded over the mesh is not known here",
        fix="give in_specs",
    )


def _staged_over(x: object) -> MeshAxes | None:
    """Return the mesh with explicit axes that was in force where a traced array was staged; None if there was none."""
    while isinstance(x, Tracer):
        if isinstance(x.owner, StagingTrace):
            return explicit_mesh(x.owner.context)
        x = x.behind()
    return None
