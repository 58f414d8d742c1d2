"""Between host and devices: `device_put`, `device_get`, and waiting for whole trees."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from treadle_ir import ArgumentError, PlacementError, Tracer
from treadle_ir.tree import broadcast_prefix, tree_flatten
from treadle_runtime.array import DeviceArray
from treadle_runtime.devices import Device, as_device
from treadle_runtime.dispatch import buffer_on
from treadle_runtime.sharding import SingleDeviceSharding
from treadle_runtime.signature import as_argument

T = TypeVar("T")


def device_put(
    x: Any,
    device: Any = None,
    *,
    src: Any = None,
    donate: bool = False,
    may_alias: bool | None = None,
) -> Any:
    """A tree of arrays on a device, committed to it; without a device, arrays where they are.

    Without a device, what is no array yet becomes one on the default device, uncommitted. The arrays given stay
    valid unless `donate`.

    Args:
        x: a tree of arrays, NumPy arrays and numbers.
        device: a `Device`, a `SingleDeviceSharding`, None, or a tree of these that is a prefix of `x`.
        src: ignored.
        donate: give the memory of the arrays away.
        may_alias: whether the result may share memory with the argument; it does where that is possible.

    Raises:
        PlacementError: not a device.
        ArgumentError: a leaf that is no array and no number.
    """
    leaves, structure = tree_flatten(x)
    if device is None or isinstance(device, Device | SingleDeviceSharding | str):
        targets = [device] * len(leaves)
    else:
        targets = broadcast_prefix(device, x, is_leaf=lambda each: each is None)
    return structure.unflatten(
        [_put(leaf, _device(target), donate) for leaf, target in zip(leaves, targets, strict=True)]
    )


def _device(target: Any) -> Device | None:
    if target is None or isinstance(target, Device):
        return target
    if isinstance(target, SingleDeviceSharding):
        return target.device
    if isinstance(target, str):
        return as_device(target)
    raise PlacementError(
        f"device_put: {target!r} of type {type(target).__name__} is not a device",
        fix="pass one of treadle.devices(), a SingleDeviceSharding, or a tree of them",
    )


def _put(leaf: Any, device: Device | None, donate: bool) -> Any:
    if isinstance(leaf, Tracer):
        return leaf  # where a traced value is, the compiled program decides
    if type(leaf) is not DeviceArray:
        try:
            leaf = as_argument(leaf)
        except ArgumentError as error:
            error.add_note("  while: putting it on a device with device_put")
            raise
        if device is None:
            return leaf
        put = DeviceArray(leaf.type, (leaf.type, device.committed), leaf._host)
        if device.platform != "cpu":
            put.buffer()  # start the transfer now
        return put
    if device is None:
        leaf.present()
        return leaf
    home = leaf.present()
    key = (leaf.type, device.committed)
    if device.platform == "cpu" and (
        leaf._host is not None or (home is device and leaf.is_ready())
    ):
        put = DeviceArray(
            leaf.type, key, leaf.elements()
        )  # elements never change, so memory may be shared
    elif home is device:
        put = DeviceArray(
            leaf.type, key, None, device.backend.copy_to_device(leaf.buffer(), device.raw)
        )
    else:
        put = DeviceArray(leaf.type, key, None, buffer_on(leaf, device))
    if donate:
        leaf.vanish("donated to device_put")
    return put


def device_get(x: Any) -> Any:
    """A tree of NumPy arrays (read-only) from a tree of arrays; waits for them. Other leaves stay as they are."""
    leaves, structure = tree_flatten(x)
    for leaf in leaves:
        if type(leaf) is DeviceArray:
            leaf.copy_to_host_async()
    return structure.unflatten(
        [
            leaf if isinstance(leaf, int | float | complex | bool) else np.asarray(leaf)
            for leaf in leaves
        ]
    )


def block_until_ready(x: T) -> T:
    """Wait for all arrays of a tree; returns the tree."""
    for leaf in tree_flatten(x)[0]:
        if type(leaf) is DeviceArray:
            leaf.block_until_ready()
    return x


def copy_to_host_async(x: T) -> T:
    """Start to bring all arrays of a tree to the host; returns the tree."""
    for leaf in tree_flatten(x)[0]:
        if type(leaf) is DeviceArray:
            leaf.copy_to_host_async()
    return x
