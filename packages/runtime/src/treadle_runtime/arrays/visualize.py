"""Drawings of how arrays are sharded over devices: `debug.visualize_sharding` and related functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_ir import ArgumentError, ops
from treadle_ir.core.dtypes import is_key
from treadle_ir.errors import flags, functions, integers
from treadle_ir.tracing import Tracer
from treadle_ir.tree import tree_leaves
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.placement.devices import Device
from treadle_runtime.placement.sharding import Sharding


def inspect_array_sharding(value: Any, *, callback: Callable[[Sharding], object]) -> None:
    """Call `callback` with the sharding of each array of the tree `value`, also of traced arrays.

    XLA chooses how arrays within a jitted function are sharded over several devices. So `callback` is called when the
    program has been compiled, once for each place in the program, and not when the program runs again. Under `vmap` it
    receives the sharding of the complete batch, and within `shard_map` a fully replicated sharding of the shard.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> @treadle.jit
        ... def doubled(x):
        ...     treadle.debug.inspect_array_sharding(x * 2, callback=lambda sharding: print(sharding.num_devices))
        ...     return x * 2
        >>> x = doubled(tnp.ones(3))
        1
        >>> x = doubled(tnp.ones(3))

    Raises:
        ArgumentError: `callback` is not a function, or a leaf is not an array.
    """
    functions("inspect_array_sharding", callback=callback)
    for leaf in tree_leaves(value):
        if isinstance(leaf, DeviceArray):
            callback(leaf.sharding)
        elif isinstance(leaf, Tracer):
            words = ops.random_unwrap(leaf) if is_key(leaf.dtype) else leaf
            ops.inspect_sharding(words, callback=callback)
        else:
            raise ArgumentError(f"inspect_array_sharding: {leaf!r} of {type(leaf)} is not an array")


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Print how an array is sharded over devices.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> treadle.debug.visualize_array_sharding(tnp.ones((2, 2)))
        +-------+
        | CPU 0 |
        +-------+

    Raises:
        ArgumentError: `arr` is not an array, or does not have one or two axes.
    """
    shape = getattr(arr, "shape", None)
    if shape is None:
        raise ArgumentError(f"visualize_array_sharding: {arr!r} of {type(arr)} is not an array")
    inspect_array_sharding(
        arr, callback=lambda sharding: visualize_sharding(shape, sharding, **kwargs)
    )


def visualize_sharding(
    shape: Sequence[int],
    sharding: Sharding,
    *,
    use_color: bool = True,
    scale: float = 1.0,
    min_width: int = 9,
    max_width: int = 80,
    color_map: Any = None,
) -> None:
    """Print how arrays of a shape with one or two axes are sharded over devices, as a grid of shards and their devices.

    `use_color`, `scale` and `color_map` have no effect: the drawing consists of plain characters.

    Raises:
        ArgumentError: `shape` does not have one or two axes, or `sharding` is not a sharding.
        ShardingError: an array of this shape cannot be sharded like this.

    Example:
        >>> import numpy as np
        >>> from treadle_runtime import Mesh, NamedSharding, devices
        >>> from treadle_ir import PartitionSpec
        >>> mesh = Mesh(np.array(devices()[:1]), ("x",))
        >>> visualize_sharding((4, 2), NamedSharding(mesh, PartitionSpec("x")))
        +-------+
        | CPU 0 |
        +-------+
    """
    flags("visualize_sharding", use_color=use_color)
    sizes = integers("visualize_sharding", "shape", shape)
    if len(sizes) not in (1, 2):
        raise ArgumentError(
            f"visualize_sharding: the shape has {len(sizes)} axes, but only 1 and 2 can be drawn",
            fix="reshape it, or draw a slice",
        )
    if not isinstance(sharding, Sharding):
        raise ArgumentError(
            f"visualize_sharding: {sharding!r} of {type(sharding)} is not a sharding"
        )
    texts = [[_text(devices) for devices in row] for row in _grid(sizes, sharding)]
    longest = max([len(text) for row in texts for text in row])
    most = max((max_width - 1) // len(texts[0]) - 3, 1)
    width = min(max(longest, min_width - 4), most)
    line = "+" + f"{'-' * (width + 2)}+" * len(texts[0])
    print(line)
    for row in texts:
        print("|" + "".join([f" {text[:width].center(width)} |" for text in row]), line, sep="\n")


def _text(devices: Sequence[Device]) -> str:
    """Return the text for the devices that hold a shard: `CPU 0`, or `CPU 0,1`."""
    numbers = ",".join([str(number) for number in sorted([device.id for device in devices])])
    return f"{devices[0].platform.upper()} {numbers}"


def _grid(shape: tuple[int, ...], sharding: Sharding) -> list[list[list[Device]]]:
    """Return the devices of each shard, by rows and columns; an array with one axis is a row."""
    cells: dict[tuple[int, ...], list[Device]] = {}
    for device, part in sharding.devices_indices_map(shape).items():
        place = tuple([each.start or 0 for each in part])
        cells.setdefault(place if len(place) == 2 else (0, *place), []).append(device)
    rows, columns = sorted({place[0] for place in cells}), sorted({place[1] for place in cells})
    return [[cells[row, column] for column in columns] for row in rows]
