"""pmap: a function that each device runs on one element of its arguments.

It is `shard_map` over a mesh of the first devices, as many as there are elements, without a check of varying axes, in a
jitted function: each shard is one element with an axis of size 1, which the function does not see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Final, TypeAlias, final

from treadle_ir import ArgumentError, Array, AxisType, PartitionSpec, ops, type_of
from treadle_ir.calling import flatten_arrays
from treadle_ir.errors import (
    PlacementError,
    boundary,
    functions,
    integer_or_none,
    integers,
    names,
    refused,
    sequence,
    wraps,
)
from treadle_ir.settings import current_context
from treadle_ir.tracing import Arguments, EvalTrace, current_trace, installed_vmap, take_apart
from treadle_ir.tree import tree_unflatten
from treadle_runtime.abstract import ShapeDtypeStruct, abstract_placed
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.jitting.jit import jit
from treadle_runtime.jitting.miss import MISS
from treadle_runtime.jitting.options import name_of
from treadle_runtime.jitting.stages import Lowered
from treadle_runtime.parallel.mapped_axes import (
    Elements,
    checked_axes_tree,
    elements_of,
    result_axes,
)
from treadle_runtime.parallel.parts import OnParts
from treadle_runtime.placement.devices import (
    Device,
    devices as all_devices,
    process_count,
    process_index,
)
from treadle_runtime.placement.guards import Direction, guard
from treadle_runtime.placement.mesh import Mesh
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.transfer.device_put import device_put

Tree: TypeAlias = Any  # a pytree: any Python object

_UNNAMED: Final = "_pmap"  # the axis of the mesh, where the user does not name it


def pmap(
    fun: Callable[..., Tree],
    axis_name: str | None = None,
    *,
    in_axes: Any = 0,  # Any: trees of axes
    out_axes: Any = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    devices: Sequence[Device] | None = None,
    backend: str | None = None,
    axis_size: int | None = None,
    donate_argnums: int | Sequence[int] = (),
) -> PmapFunction:
    """Return a function that applies `fun` to each element of its arguments, each on a device of its own.

    The results equal the results of `vmap`, sharded over the devices along the axis of their elements. Within a
    function that is mapped over devices already (by `pmap` or `shard_map`), each device runs all elements, as `vmap`
    does.

    Args:
        fun: the function of one element.
        axis_name: a name for collectives (`psum`, `axis_index`) inside.
        in_axes: for each positional argument the axis that holds the elements (an int), None for an argument that all
            elements share, or a tree of these that is a prefix of the argument. One int stands for all. Keyword
            arguments are mapped over axis 0.
        out_axes: the axis of the elements in each result; None for results that are the same for all elements, of which
            the first is taken.
        static_broadcasted_argnums: positional arguments that are Python values, hashed and compared on every call.
        devices: the devices, the first for the first element; by default, the devices of the default platform.
        backend: the platform whose devices are used.
        axis_size: the number of elements; it is checked.
        donate_argnums: positional arguments whose memory results may reuse. Arrays that are sharded over the devices
            already are deleted by the call, others are copied there.

    Raises:
        ArgumentError: an argument of `pmap` is not of its kind.
        PlacementError: when called, if there are more elements than devices, or devices of other processes.
        ShapeError: when called, if axes do not fit the arguments or results.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> treadle.pmap(lambda x: 2 * x)(tnp.ones((1, 3)))
        Array([[2., 2., 2.]], dtype=float32)
    """
    functions("pmap", fun=fun)
    names("pmap", axis_name=axis_name, backend=backend)
    static = _numbers("static_broadcasted_argnums", static_broadcasted_argnums)
    donated = _numbers("donate_argnums", donate_argnums)
    return PmapFunction(
        fun,
        _UNNAMED if axis_name is None else axis_name,
        checked_axes_tree("in_axes", in_axes),
        checked_axes_tree("out_axes", out_axes),
        static,
        donated,
        _checked_devices(devices, backend),
        backend,
        integer_or_none("pmap", "axis_size", axis_size),
    )


def _numbers(argument: str, given: int | Sequence[int]) -> tuple[int, ...]:
    numbers = integers("pmap", argument, (given,) if isinstance(given, int) else given)
    for number in numbers:
        if number < 0:
            raise ArgumentError(
                f"pmap: {argument} has {number}", fix="count positional arguments from 0"
            )
    return tuple(sorted({*numbers}))


def _checked_devices(
    given: Sequence[Device] | None, backend: str | None
) -> tuple[Device, ...] | None:
    if given is None:
        return None
    found = sequence("pmap", "devices", given)
    for device in found:
        if not isinstance(device, Device):
            raise refused("pmap", "each of devices", "a device", device)
        if backend is not None and device not in all_devices(backend):
            raise ArgumentError(
                f"pmap: {device} of devices is none of the platform {backend!r}",
                fix="leave backend out",
            )
    if not found:
        raise ArgumentError(
            "'devices' argument to pmap must be non-empty, or None",
            fix="leave it out for all devices",
        )
    if len({*found}) != len(found):
        raise ArgumentError("pmap: a device stands in devices more than once", fix="name each once")
    return found


@boundary
@final
class PmapFunction:
    """A function mapped over devices; made by `pmap`."""

    def __init__(
        self,
        fun: Callable[..., Tree],
        axis_name: str,
        in_axes: Tree,
        out_axes: Tree,
        static: tuple[int, ...],
        donated: tuple[int, ...],
        devices: tuple[Device, ...] | None,
        backend: str | None,
        axis_size: int | None,
    ) -> None:
        wraps(fun)(self)
        self.__wrapped__ = fun
        self._axis_name = axis_name
        self._in_axes = in_axes
        self._out_axes = out_axes
        self._static = static
        self._devices = devices
        self._backend = backend
        self._axis_size = axis_size

        def elements(*args: Tree, **kwargs: Tree) -> Tree:
            return self._on_devices(args, kwargs)

        elements.__name__ = name_of(fun)
        self._compiled = jit(elements, static_argnums=static, donate_argnums=donated)

    def __call__(self, *args: Tree, **kwargs: Tree) -> Tree:
        """Run the function on each element."""
        result = self._compiled.cache.fast(args, kwargs)
        if result is not MISS:
            return result
        if any([kind != "mapped" for _, _, kind in current_context().axes]):
            return self._on_each_device(args, kwargs)
        arguments, found = self._mapped_arguments(args, kwargs)
        mesh = self._mesh(found.size)
        if isinstance(current_trace(), EvalTrace):
            there = [
                _in_place(leaf, sharding)
                for leaf, sharding in zip(
                    arguments.leaves, self._shardings(found, mesh), strict=True
                )
            ]
            args, kwargs = arguments.rebuilt(there)
        return self._compiled(*args, **kwargs)

    def lower(self, *args: Tree, **kwargs: Tree) -> Lowered:
        """Stage and lower for these arguments (or things with their `shape` and `dtype`), without running."""
        arguments, found = self._mapped_arguments(args, kwargs)
        mesh = self._mesh(found.size)
        there = []
        for leaf, sharding in zip(arguments.leaves, self._shardings(found, mesh), strict=True):
            type = abstract_placed(leaf).type
            there.append(
                ShapeDtypeStruct(type.shape, type.dtype, sharding=sharding, weak_type=type.weak)
            )
        args, kwargs = arguments.rebuilt(there)
        return self._compiled.lower(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:  # Any: as `jit`'s
        """Return the function itself on a class, a bound method on an instance."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<pmap of {self.__wrapped__!r}>"

    def _mapped_arguments(
        self, args: tuple[Tree, ...], kwargs: dict[str, Tree]
    ) -> tuple[Arguments, Elements]:
        """Return the arguments of a call, flattened, and their mapped axes."""
        if self._static and self._static[-1] >= len(args):
            raise ArgumentError(
                f"pmapped function has static_broadcasted_argnums={self._static} but was called with only "
                f"{len(args)} positional arguments",
                fix="pass all static broadcasted arguments positionally",
            )
        arguments = take_apart(args, kwargs, self._static)
        found = elements_of(arguments, self._in_axes, self._static, len(args), self._axis_size)
        return arguments, found

    def _mesh(self, size: int) -> Mesh:
        """Return a mesh of one axis with a device for each element."""
        if self._devices is None and process_count() > 1:
            raise PlacementError(
                f"pmap: the program runs in {process_count()} processes, and pmap maps over the devices of one",
                fix="use shard_map over a mesh of all devices, or pass devices=treadle.local_devices()",
            )
        available = all_devices(self._backend) if self._devices is None else self._devices
        if size > len(available):
            raise PlacementError(
                f"compiling computation that requires {size} logical devices, but only {len(available)} "
                "XLA devices are available",
                fix="use vmap, or start with TREADLE_NUM_CPU_DEVICES=<n> for more virtual CPU devices",
            )
        if not size:
            raise PlacementError("pmap: there are no elements", fix="use vmap, which takes none")
        for device in available[:size]:
            if device.process_index != process_index():
                raise PlacementError(
                    f"pmap: {device} belongs to process {device.process_index}",
                    fix="pass devices of this process, or use shard_map over a mesh of all devices",
                )
        return Mesh([*available[:size]], (self._axis_name,), AxisType.Auto)

    def _shardings(self, found: Elements, mesh: Mesh) -> list[NamedSharding]:
        return [NamedSharding(mesh, self._spec(axis)) for axis in found.axes]

    def _spec(self, axis: int | None) -> PartitionSpec:
        """Return the specification over the devices of an array whose elements are along `axis`."""
        return PartitionSpec() if axis is None else PartitionSpec(*[None] * axis, self._axis_name)

    def _on_devices(self, args: tuple[Tree, ...], kwargs: dict[str, Tree]) -> Tree:
        """Run the function with one element on each device."""
        arguments, found = self._mapped_arguments(args, kwargs)
        mesh = self._mesh(found.size)
        ends: list[PartitionSpec] = []

        def element(*parts: Array) -> Tree:
            leaves = [
                part if axis is None else _without(part, axis)
                for part, axis in zip(parts, found.axes, strict=True)
            ]
            own, named = arguments.rebuilt(leaves)
            results, structure = flatten_arrays(self.__wrapped__(*own, **named), "pmap: result ")
            axes = result_axes(
                self._out_axes,
                tree_unflatten(structure, range(len(results))),
                [result.ndim for result in results],
            )
            ends[:] = [self._spec(axis) for axis in axes]
            return tree_unflatten(
                structure,
                [
                    result if axis is None else _with(result, axis)
                    for result, axis in zip(results, axes, strict=True)
                ],
            )

        leaves, structure = flatten_arrays((*arguments.leaves,), "pmap: argument ")
        parts = OnParts(element, mesh, mesh.axis_names, False, [])
        specs = [self._spec(axis) for axis in found.axes]
        return parts(leaves, structure, arguments.paths(), specs, lambda _: ends)

    def _on_each_device(self, args: tuple[Tree, ...], kwargs: dict[str, Tree]) -> Tree:
        """Run the function with all elements on each device, within a function that is mapped over devices."""
        arguments, found = self._mapped_arguments(args, kwargs)

        def element(*leaves: Tree) -> Tree:
            own, named = arguments.rebuilt(leaves)
            return self.__wrapped__(*own, **named)

        vmap = installed_vmap("pmap")
        return vmap(element, found.axes, self._out_axes, self._axis_name, found.size)(
            *arguments.leaves
        )


def _without(part: Array, axis: int) -> Array:
    """Return a shard without the axis of the elements, of which it has one."""
    shape = type_of(part).shape
    return ops.reshape(part, shape=(*shape[:axis], *shape[axis + 1 :]))


def _with(result: Array, axis: int) -> Array:
    shape = type_of(result).shape
    return ops.reshape(result, shape=(*shape[:axis], 1, *shape[axis:]))


def _in_place(leaf: Any, sharding: NamedSharding) -> Any:  # Any: an array, or a number
    """Return an array over the devices; `leaf` itself if it has `sharding`, so that this very array is donated."""
    ours = type(leaf) is DeviceArray
    if ours and leaf.sharding.is_equivalent_to(sharding, leaf.type.ndim):
        return leaf
    if current_context().instrumented:  # an implicit transfer
        direction: Direction = "device-to-device" if ours else "host-to-device"
        guard(direction, abstract_placed(leaf).type, sharding)
    return device_put(leaf, sharding)
