"""Between host and devices: `device_put`, `device_get`, and waiting for whole trees."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

import treadle_compiler as compiler
from treadle_compiler import check_fork
from treadle_ir import ArgumentError, Array, ArrayType, PartitionSpec, Program, Value, ops
from treadle_ir.calling import as_operand
from treadle_ir.core.dtypes import is_extended
from treadle_ir.errors import PlacementError, capture, flags, refused
from treadle_ir.events import ArrayCommitted, emit, listeners
from treadle_ir.settings import current_context
from treadle_ir.tracing import Tracer
from treadle_ir.tree import leaves_in_any_order, spread_prefix, tree_flatten
from treadle_runtime.arrays.array import (
    Buffer,
    DeviceArray,
    buffer_at,
    buffer_of,
    device_of,
    elements_of,
    forget_host,
    give_away,
    moved_to,
)
from treadle_runtime.arrays.deleted import Deleted
from treadle_runtime.arrays.from_user import as_argument, as_device_array
from treadle_runtime.arrays.spread import spread
from treadle_runtime.client.backend import wait_for
from treadle_runtime.launch import Launch, compile_program
from treadle_runtime.placement.devices import Device, as_device
from treadle_runtime.placement.format import Format, sharding_of_format
from treadle_runtime.placement.guards import guard
from treadle_runtime.placement.named import NamedSharding, constrained, in_memory
from treadle_runtime.placement.partition import fully_replicated, memories, partitioning
from treadle_runtime.placement.placement import (
    PlacedType,
    Placement,
    default_placement,
    placement_of,
)
from treadle_runtime.placement.requested import concrete
from treadle_runtime.placement.sharding import Sharding, SingleDeviceSharding, Space

T = TypeVar("T")


def device_put(
    x: Any,
    device: Any = None,
    *,
    src: Any = None,
    donate: bool = False,
    may_alias: bool | None = None,
) -> Any:
    """Transfer a tree of arrays to a device, or shard it over several devices; the results are committed there.

    Without a `device`, arrays stay where they are, and other values become uncommitted arrays on the default device.
    The arguments stay valid unless `donate`.

    Args:
        x: a tree of arrays, NumPy arrays and numbers.
        device: a `Device`, a sharding, a `Format`, a `PartitionSpec` over the mesh in force, a `memory.Space` to leave
            arrays with their devices, None, or a tree of these that is a prefix of `x`.
        src: ignored.
        donate: give the memory of the arrays away.
        may_alias: whether the result may share memory with the argument; it does where that is possible, unless False.

    Returns:
        A tree like `x`, of arrays with the same shapes and dtypes.

    Raises:
        PlacementError: not a device; a specification, and no mesh in force.
        ShardingError: an array cannot be sharded so.
        UnsupportedError: a format asks for another order in memory than the row-major one.
        ForkError: to a device, in a process forked after XLA had been started.
        ArgumentError: a leaf that is neither an array nor a number; the memory is both given away and shared.

    Example:
        >>> from treadle_runtime import devices
        >>> x = device_put(np.arange(3.0), devices()[0])
        >>> x.device == devices()[0], x.committed
        (True, True)
    """
    if donate is not False or may_alias is not None:
        flags("device_put", donate=donate, may_alias=may_alias)
    if donate and may_alias:
        raise ArgumentError(
            "device_put: may_alias and donate cannot be True at the same time",
            fix="leave `may_alias` out: memory that is given away is used for the result",
        )
    leaves, structure = tree_flatten(x)
    if device is None or isinstance(device, Device | Sharding | Space | str | PartitionSpec):
        targets = [device] * len(leaves)
    else:
        targets = spread_prefix(
            "device_put: the device and the arrays", device, x, lambda each: each is None
        )
    put = [
        _put(leaf, _sharding(target, leaf), donate)
        for leaf, target in zip(leaves, targets, strict=True)
    ]
    if listeners:
        for array in put:
            if type(array) is DeviceArray and array.placed.placement.committed:
                emit(ArrayCommitted(array, capture()))
    if may_alias is False and not donate:
        put = [
            ops.copy(there) if there is leaf and not isinstance(leaf, Tracer) else there
            for there, leaf in zip(put, leaves, strict=True)
        ]
    return structure.unflatten(put)


def _sharding(target: Any, leaf: Any) -> Sharding | Space | None:
    if target is None:
        return None
    check_fork()
    if isinstance(target, Space):
        if isinstance(leaf, Tracer):
            return target
        placement = leaf.placed.placement if type(leaf) is DeviceArray else default_placement()
        return placement.sharding.with_memory_kind(target.value)
    if isinstance(target, Device):
        return SingleDeviceSharding(target)
    if isinstance(target, Format):
        return sharding_of_format("device_put: the device", target, np.ndim(leaf))
    if isinstance(target, Sharding | PartitionSpec):
        return concrete("device_put", "the device", target)
    if isinstance(target, str):
        return SingleDeviceSharding(as_device(target))
    raise PlacementError(
        f"device_put: {target!r} of type {type(target).__name__} is not a device",
        fix="pass one of treadle.devices(), a sharding, or a tree of them",
    )


def _put(leaf: Any, sharding: Sharding | Space | None, donate: bool) -> Any:
    if isinstance(sharding, Space):
        return ops.to_memory(leaf, kind=sharding.value)
    if isinstance(leaf, Tracer):  # where a traced value is, the compiled program decides
        return leaf if sharding is None else in_memory(constrained(leaf, sharding), sharding)
    if sharding is not None and isinstance(sharding, NamedSharding):
        return _put_over(leaf, sharding, donate)
    target = None if sharding is None else placement_of(sharding, committed=True)
    device = None if target is None else target.device
    if type(leaf) is not DeviceArray:
        try:
            leaf = as_argument(leaf)
        except ArgumentError as error:
            error.add_note("  while: putting it on a device with device_put")
            raise
        if current_context().instrumented:
            guard(
                "host-to-device", leaf.type, device or leaf.placed.placement.device, explicit=True
            )
        if target is None:
            return leaf
        put = DeviceArray(target.of(leaf.type), leaf.host)
        if target.device.platform != "cpu":
            buffer_of(put)  # start the transfer now
        return put
    home = device_of(leaf)
    if target is None or sharding is None:
        return leaf
    device, memory = target.device, sharding.memory_kind
    placed = target.of(leaf.type)
    if current_context().instrumented:
        guard("device-to-device", leaf.type, device, explicit=True)
    if device.platform == "cpu" and (leaf.host is not None or (home is device and leaf.is_ready())):
        # elements never change, so memory may be shared
        put = DeviceArray(placed, elements_of(leaf))
    elif home is device and leaf.sharding.num_devices == 1:
        copy = device.backend.copy_to_device(buffer_of(leaf), device.raw, memory)
        put = DeviceArray(placed, None, copy)
    else:
        put = DeviceArray(placed, None, moved_to(leaf, sharding, explicit=True))
    if donate:
        give_away(leaf, Deleted("donated to device_put", capture()))
    return put


def _put_over(leaf: Any, sharding: NamedSharding, donate: bool) -> DeviceArray:
    """Return an array over a mesh."""
    # its parts are copied, and so not it
    shared = type(leaf) is np.ndarray and leaf.dtype.names is None
    if type(leaf) is not DeviceArray:
        try:
            leaf = as_device_array(as_operand(leaf)) if shared else as_argument(leaf)
        except ArgumentError as error:
            error.add_note("  while: putting it on devices with device_put")
            raise
    device_of(leaf)
    if not shared:  # `spread` looks by itself
        sharding.shard_shape(leaf.type.shape)  # that it fits
    placed = placement_of(sharding, committed=True).of(leaf.type)
    if current_context().instrumented:
        guard("device-to-device", leaf.type, sharding.devices[0], explicit=True)
    if not shared and _has_sharding(leaf, sharding):
        put = DeviceArray(placed, leaf.host, leaf.raw)
        if leaf.raw is not None:
            local = [device.raw for device in leaf.sharding.local_devices]
            put.raw = leaf.sharding.devices[0].backend.same(
                leaf.raw, local, _raw(sharding, leaf.type), sharding.memory_kind
            )
    elif shared:
        put = DeviceArray(placed, None, spread(elements_of(leaf), sharding, owned=False))
    elif leaf.sharding.num_devices > 1 and leaf.sharding.devices == sharding.devices:
        put = (
            _through_the_host(leaf, placed)
            if _is_in_host_memory(sharding)
            else DeviceArray(placed, None, resharded(leaf, sharding))
        )
    else:
        put = DeviceArray(placed, None, buffer_at(leaf, placed.placement, explicit=True))
    if donate:
        give_away(leaf, Deleted("donated to device_put", capture()))
    return put


def _has_sharding(array: DeviceArray, sharding: Sharding) -> bool:
    """Return whether each device has the shard that `sharding` assigns to it, even if in another of its memories."""
    here = array.sharding
    if here.devices != sharding.devices:
        return False
    return here.with_memory_kind(sharding.memory_kind).is_equivalent_to(sharding, array.type.ndim)


def _raw(sharding: Sharding, type: ArrayType) -> Any:  # Any: jaxlib's sharding
    return sharding.raw(len(compiler.device_shape(type)))


def _through_the_host(leaf: DeviceArray, placed: PlacedType) -> DeviceArray:
    """Return an array put elsewhere by reading it; the host's copy of a large one is not kept."""
    had = leaf.host is not None
    put = DeviceArray(placed, elements_of(leaf))
    if not had:
        forget_host(leaf)
    buffer_of(put)
    return put


def _is_in_host_memory(sharding: Sharding) -> bool:
    """Return whether all shards are in the host's memory, where reading is free and XLA's data exchange is not."""
    return sharding.devices[0].platform == "cpu" and sharding.is_fully_addressable


def device_get(x: Any) -> Any:
    """Copy a tree of arrays to the host, as read-only NumPy arrays; wait until they are computed.

    Args:
        x: a tree of arrays and other values.

    Returns:
        A tree like `x`. Other leaves are unchanged, and so are random keys, which have no NumPy dtype, and traced
        arrays, which have no elements yet.

    Example:
        >>> device_get({"name": "a", "w": device_put(np.int32([1, 2]))})
        {'name': 'a', 'w': array([1, 2], dtype=int32)}
    """
    leaves, structure = tree_flatten(x)
    for leaf in leaves:
        if type(leaf) is DeviceArray:
            leaf.copy_to_host_async()
            if not is_extended(leaf.type.dtype):
                elements_of(leaf, explicit=True)
    return structure.unflatten(
        [
            leaf
            if not hasattr(type(leaf), "__array__") or isinstance(leaf, Tracer) or _is_keys(leaf)
            else _elements(leaf)
            for leaf in leaves
        ]
    )


def _elements(leaf: Any) -> np.ndarray[Any, np.dtype[Any]]:  # Any: something with `__array__`
    try:
        return np.asarray(leaf)
    except (TypeError, ValueError) as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # from within the object's own method
        raise refused("device_get", "a leaf", "something that NumPy can read", leaf) from None


def _is_keys(leaf: Any) -> bool:
    return isinstance(leaf, Array) and is_extended(leaf.dtype)


def block_until_ready(x: T) -> T:
    """Wait until all arrays of a tree are computed, and return the tree.

    Args:
        x: a tree of arrays and other values, which are ignored, as traced arrays are.

    Returns:
        `x`.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> treadle.block_until_ready({"a": tnp.ones(2)})
        {'a': Array([1., 1.], dtype=float32)}
    """
    tree: Any = x
    if type(tree) is DeviceArray:
        tree.block_until_ready()
        return x
    leaves = leaves_in_any_order(x)
    buffers = [leaf.raw for leaf in leaves if type(leaf) is DeviceArray]
    if None in buffers:
        buffers = [raw for raw in buffers if raw is not None]
    if Deleted in map(type, buffers):
        for leaf in leaves:
            if type(leaf) is DeviceArray:
                device_of(leaf)  # raises, and says where it went
    if buffers:
        wait_for(buffers)
    return x


def copy_to_host_async(x: T) -> T:
    """Start to bring all arrays of a tree to the host; returns the tree.

    Example:
        >>> tree = copy_to_host_async({"w": device_put(np.arange(3.0))})
        >>> np.asarray(tree["w"])  # waits for the copy only
        array([0., 1., 2.], dtype=float32)
    """
    for leaf in leaves_in_any_order(x):
        if type(leaf) is DeviceArray:
            leaf.copy_to_host_async()
    return x


def resharded(array: DeviceArray, sharding: NamedSharding) -> Buffer:
    """Return the buffer of an array after resharding it over the devices that it is on."""
    launch = _launch(array.type, array.placed.placement, sharding)
    (buffer,) = launch.run([buffer_of(array)])
    return buffer


@lru_cache(maxsize=256)
def _launch(type: ArrayType, placement: Placement, sharding: NamedSharding) -> Launch:
    parameter = Value(type)
    program = Program((parameter,), (), (parameter,))
    where = fully_replicated(placement_of(sharding, committed=True))
    lowered = compiler.lower_program(
        program,
        name="reshard",
        platform=where.device.backend.platform,
        partitioning=partitioning(where, [placement.of(type)], [type], [sharding]),
        memories=memories(where, [placement.of(type)], 1, [sharding]),
    )
    return compile_program(lowered, where, wanted=[sharding])
