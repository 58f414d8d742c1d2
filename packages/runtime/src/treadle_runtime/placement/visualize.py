"""How arrays lie over devices, drawn with lines: `debug.visualize_sharding` and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treadle_ir import ArgumentError, Tracer, flags, functions, integers
from treadle_ir.tree import tree_flatten
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.placement.placement import default_placement
from treadle_runtime.placement.sharding import Sharding


def inspect_array_sharding(value: Any, *, callback: Callable[[Sharding], object]) -> None:
    """Call a function with the sharding of each array of a tree; of a traced one, with where its program will run.

    Raises:
        ArgumentError: `callback` is no function.
    """
    functions("inspect_array_sharding", callback=callback)
    for leaf in tree_flatten(value)[0]:
        if isinstance(leaf, DeviceArray):
            callback(leaf.sharding)
        elif isinstance(leaf, Tracer):
            callback(default_placement().sharding)
        else:
            raise ArgumentError(f"inspect_array_sharding: {leaf!r} of {type(leaf)} is no array")


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Print how an array lies over devices.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> treadle.debug.visualize_array_sharding(tnp.ones((2, 2)))
        +-------+
        | CPU 0 |
        +-------+
    """
    shape = getattr(arr, "shape", None)
    if shape is None:
        raise ArgumentError(f"visualize_array_sharding: {arr!r} of {type(arr)} is no array")
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
    """Print how arrays of a shape with one or two axes lie over devices.

    `use_color`, `scale` and `color_map` have no effect: it is drawn with plain characters.

    Raises:
        ArgumentError: another number of axes, or no sharding.
    """
    flags("visualize_sharding", use_color=use_color)
    sizes = integers("visualize_sharding", "shape", shape)
    if len(sizes) not in (1, 2):
        raise ArgumentError(
            f"visualize_sharding: the shape has {len(sizes)} axes, but only 1 and 2 can be drawn",
            fix="reshape it, or draw a slice",
        )
    if not isinstance(sharding, Sharding):
        raise ArgumentError(f"visualize_sharding: {sharding!r} of {type(sharding)} is no sharding")
    names = sorted([f"{device.platform.upper()} {device.id}" for device in sharding.device_set])
    text = ",".join(names)
    width = min(max(len(text), min_width - 4), max(max_width - 4, 1))
    line = f"+{'-' * (width + 2)}+"
    print(line, f"| {text[:width].center(width)} |", line, sep="\n")
