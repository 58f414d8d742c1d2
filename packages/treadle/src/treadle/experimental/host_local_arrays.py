"""Arrays over a mesh of several processes and this process's part of them: two operations, each the other's transpose.

They are operations of their own, so that derivatives and batches go through them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from treadle.core import AbstractValue, ShapedArray, type_of_aval
from treadle.extend.core import Primitive
from treadle.interpreters import ad, mlir
from treadle.interpreters.batching import AxisData, fancy_primitive_batchers
from treadle_ir import Array, ArrayType, PartitionSpec, UnsupportedError
from treadle_ir.errors import boundaries, refused
from treadle_runtime import (
    DeviceArray,
    Mesh,
    NamedSharding,
    device_put,
    make_array_from_process_local_data,
    make_array_from_single_device_arrays,
)

__all__ = [
    "global_array_to_host_local_array_impl",
    "global_array_to_host_local_array_p",
    "gtl_abstract_eval",
    "host_local_array_to_global_array_impl",
    "host_local_array_to_global_array_p",
    "ltg_abstract_eval",
    "ltg_batcher",
]

Tree: TypeAlias = Any  # Any: what the rules of a library's operation take and return

host_local_array_to_global_array_p = Primitive("host_local_array_to_global_array")
global_array_to_host_local_array_p = Primitive("global_array_to_host_local_array")


@host_local_array_to_global_array_p.def_impl
def host_local_array_to_global_array_impl(
    arr: Tree, *, global_mesh: Mesh, pspec: PartitionSpec
) -> Array:
    """Return the array whose part in this process is given.

    Raises:
        ShardingError: the part does not fit.
    """
    return make_array_from_process_local_data(NamedSharding(global_mesh, pspec), arr)


@global_array_to_host_local_array_p.def_impl
def global_array_to_host_local_array_impl(
    arr: Tree, *, global_mesh: Mesh, pspec: PartitionSpec
) -> Array:
    """This process's part of an array, over its own devices.

    Raises:
        ShardingError: the array cannot be sharded so.
        PlacementError: the devices of this process do not fill a part of the mesh.
    """
    whole: DeviceArray = device_put(arr, NamedSharding(global_mesh, pspec))
    if whole.is_fully_addressable:
        return whole
    here = NamedSharding(global_mesh.local_mesh, pspec)
    parts = [shard.data for shard in whole.addressable_shards if shard.data is not None]
    size = [
        part * pieces
        for part, pieces in zip(parts[0].shape, _pieces(here, whole.ndim), strict=True)
    ]
    return make_array_from_single_device_arrays(tuple(size), here, parts)


@host_local_array_to_global_array_p.def_abstract_eval
def ltg_abstract_eval(
    arr: AbstractValue, *, global_mesh: Mesh, pspec: PartitionSpec
) -> ShapedArray:
    """Return the type of the global array, given the type of the local part.

    Raises:
        PlacementError: the devices of this process do not fill a part of the mesh.
    """
    return _resized(arr, global_mesh, pspec, lambda size, all_, here: size * all_ // here)


@global_array_to_host_local_array_p.def_abstract_eval
def gtl_abstract_eval(
    arr: AbstractValue, *, global_mesh: Mesh, pspec: PartitionSpec
) -> ShapedArray:
    """Return the type of the local part, given the type of the global array.

    Raises:
        PlacementError: the devices of this process do not fill a part of the mesh.
    """
    return _resized(arr, global_mesh, pspec, lambda size, all_, here: size * here // all_)


def _resized(
    arr: AbstractValue, mesh: Mesh, spec: PartitionSpec, sized: Callable[[int, int, int], int]
) -> ShapedArray:
    if not isinstance(mesh, Mesh):
        raise refused("host_local_array_to_global_array", "global_mesh", "a mesh", mesh)
    type = type_of_aval(arr)
    assert isinstance(type, ArrayType)
    if not mesh.is_multi_process:
        return ShapedArray(type.shape, type.dtype)
    ndim = len(type.shape)
    counts = zip(
        type.shape,
        _pieces(NamedSharding(mesh, spec), ndim),
        _pieces(NamedSharding(mesh.local_mesh, spec), ndim),
        strict=True,
    )
    return ShapedArray(tuple([sized(*each) for each in counts]), type.dtype)


def _pieces(sharding: NamedSharding, ndim: int) -> list[int]:
    """Into how many pieces a sharding divides each axis."""
    sizes = dict(zip(sharding.mesh.axis_names, sharding.mesh.axis_sizes, strict=True))
    return [math.prod([sizes[name] for name in names]) for names in sharding.layout(ndim)]


def _unchanged(x: Array, *, global_mesh: Mesh, pspec: PartitionSpec) -> Array:
    """Return `x` unchanged, in compiled functions where one process has the global array."""
    if global_mesh.is_multi_process:
        raise UnsupportedError(
            "host_local_array_to_global_array: a compiled function is given whole arrays of several processes",
            fix="convert arrays outside of the compiled function",
        )
    return x


def ltg_batcher(
    insert_axis: bool,
    axis_data: AxisData,
    vals_in: Sequence[Array],
    dims_in: Sequence[int],
    global_mesh: Mesh,
    pspec: PartitionSpec,
) -> tuple[Array, int]:
    """Return the rule of both operations for a batch, of which each process has all elements.

    `insert_axis` is of JAX's rules for programs over several devices: False.
    """
    return _batched(
        host_local_array_to_global_array_p, axis_data, vals_in, dims_in, global_mesh, pspec
    )


def _batched(
    operation: Primitive,
    axis_data: AxisData,
    vals_in: Sequence[Array],
    dims_in: Sequence[int],
    global_mesh: Mesh,
    pspec: PartitionSpec,
) -> tuple[Array, int]:
    (x,), (dim,) = vals_in, dims_in
    parts = [*pspec, *[None] * (x.ndim - 1 - len(pspec))]
    parts.insert(dim, axis_data.spmd_name)
    return operation.bind(x, global_mesh=global_mesh, pspec=PartitionSpec(*parts)), dim


def _register(operation: Primitive, back: Primitive) -> None:
    def transpose(ct: Tree, _: Tree, **params: Tree) -> list[Tree]:
        return [back.bind(ad.instantiate_zeros(ct), **params)]

    ad.deflinear2(operation, transpose)
    fancy_primitive_batchers[operation] = partial(_batched, operation)
    mlir.register_lowering(operation, mlir.lower_fun(_unchanged, multiple_results=False))


_register(host_local_array_to_global_array_p, global_array_to_host_local_array_p)
_register(global_array_to_host_local_array_p, host_local_array_to_global_array_p)

boundaries(__name__)
