"""What programs of several processes do together: give to all, gather from all, wait for all, compare.

Every process makes the same calls in the same order. Data goes through XLA's collectives; with one process, everything
works and moves nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from treadle.experimental.host_local_arrays import (
    global_array_to_host_local_array_impl as global_array_to_host_local_array_impl,
    global_array_to_host_local_array_p as global_array_to_host_local_array_p,
    gtl_abstract_eval as gtl_abstract_eval,
    host_local_array_to_global_array_impl as host_local_array_to_global_array_impl,
    host_local_array_to_global_array_p as host_local_array_to_global_array_p,
    ltg_abstract_eval as ltg_abstract_eval,
    ltg_batcher as ltg_batcher,
)
from treadle.extend.core import Primitive
from treadle_ir import ArgumentError, PartitionSpec as PartitionSpec, UnsupportedError
from treadle_ir.errors import boundaries, flags, integer, names, refused, sequence
from treadle_ir.tree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from treadle_runtime import (
    Device,
    DeviceArray,
    Mesh,
    NamedSharding,
    ProcessFailureError as ProcessFailureError,
    ProcessMismatchError,
    device_put,
    devices,
    exchanged,
    live_processes,
    make_array_from_process_local_data,
    process_count,
    process_index,
)

__all__ = [
    "P",
    "ProcessFailureError",
    "assert_equal",
    "broadcast_one_to_all",
    "global_array_to_host_local_array",
    "global_array_to_host_local_array_impl",
    "global_array_to_host_local_array_p",
    "gtl_abstract_eval",
    "host_local_array_to_global_array",
    "host_local_array_to_global_array_impl",
    "host_local_array_to_global_array_p",
    "live_devices",
    "ltg_abstract_eval",
    "ltg_batcher",
    "process_allgather",
    "reached_preemption_sync_point",
    "sync_global_devices",
]

P = PartitionSpec
_AXIS: Final = "processes"


def process_allgather(in_tree: Any, tiled: bool = False) -> Any:  # Any: trees of arrays
    """Gather the values of every process on the host of each: NumPy arrays with a new first axis over the processes.

    An array that is sharded over the devices of several processes is returned unsharded instead.

    Args:
        in_tree: a tree of arrays or numbers, of the same shapes and element types in all processes.
        tiled: join them along the first axis they have, and do not make a new one.

    Raises:
        DistributedError: another process calls something else.

    Example:
        >>> from treadle.experimental import multihost_utils
        >>> multihost_utils.process_allgather({"loss": 2.0})
        {'loss': array([2.], dtype=float32)}
    """
    flags("process_allgather", tiled=tiled)

    def gathered(leaf: Any) -> Any:
        if isinstance(leaf, DeviceArray) and not leaf.is_fully_addressable:
            return _whole(leaf)
        rows = _whole(_over_processes(leaf))
        if not tiled:
            return rows
        return rows if rows.ndim == 1 else rows.reshape(-1, *rows.shape[2:])

    return tree_map(gathered, in_tree)


def broadcast_one_to_all(
    in_tree: Any, is_source: bool | None = None
) -> Any:  # Any: trees of arrays
    """Copy the values of one process to the host of each: NumPy arrays.

    Args:
        in_tree: a tree of arrays or numbers; the other processes' has the same structure, shapes and element types.
        is_source: whether this process is the source; by default process 0 is.

    Raises:
        ArgumentError: not exactly one process is the source.

    Example:
        >>> from treadle.experimental import multihost_utils
        >>> multihost_utils.broadcast_one_to_all([1, 2])
        [array(1, dtype=int32), array(2, dtype=int32)]
    """
    if is_source is not None:
        flags("broadcast_one_to_all", is_source=is_source)
    source = process_index() == 0 if is_source is None else is_source
    words = exchanged("broadcast_one_to_all", "source" if source else "other")
    if words.count("source") != 1:
        raise ArgumentError(
            f"broadcast_one_to_all: {words.count('source')} of {len(words)} processes are the source",
            fix="pass is_source=True in one process and False in the others",
        )
    number = words.index("source")
    return tree_map(lambda leaf: _whole(_over_processes(leaf)[number]), in_tree)


def sync_global_devices(name: str) -> None:
    """Wait until all processes get here, with the same name.

    Raises:
        ProcessMismatchError: another process is at a place of another name; also an AssertionError.
        DistributedError: another one does not come.

    Example:
        >>> from treadle.experimental import multihost_utils
        >>> multihost_utils.sync_global_devices("data is there")
    """
    names("sync_global_devices", name=name)
    words = exchanged(f"sync_global_devices {name!r}", name)
    others = {word: number for number, word in enumerate(words) if word != name}
    for other, number in others.items():
        raise ProcessMismatchError(
            f"sync_global_devices: process {process_index()} is at {name!r}, and process {number} at {other!r}",
            fix="call it in every process with the same name, in the same order",
        )


def reached_preemption_sync_point(step_id: int) -> bool:
    """Return whether processes agreed to save their work before this step, because one of them is to end.

    A process alone has no others to agree with: it is False.

    Raises:
        UnsupportedError: there are several processes; nothing tells them that one is to end.

    Example:
        >>> from treadle.experimental import multihost_utils
        >>> multihost_utils.reached_preemption_sync_point(3)
        False
    """
    integer("reached_preemption_sync_point", "step_id", step_id)
    if process_count() > 1:
        raise UnsupportedError(
            "reached_preemption_sync_point: nothing tells processes that one of them is to end",
            fix="save regularly, or agree with process_allgather on the order that each received",
        )
    return False


def assert_equal(in_tree: Any, fail_message: str = "") -> None:  # Any: trees of arrays
    """Check that all processes have the same.

    Raises:
        ProcessMismatchError: they do not agree; also an AssertionError. It is raised in every process.

    Example:
        >>> from treadle.experimental import multihost_utils
        >>> multihost_utils.assert_equal({"seed": 3})
    """
    names("assert_equal", fail_message=fail_message)
    leaves, structure = tree_flatten(in_tree)
    arrays = [np.asarray(device_put(leaf)) for leaf in leaves]
    kinds = ", ".join([f"{each.dtype}{list(each.shape)}" for each in arrays])
    tree = f"{structure} of {kinds}"
    sum_ = zlib.crc32(tree.encode())  # what is exchanged of it ends somewhere
    for each in arrays:
        sum_ = zlib.crc32(np.ascontiguousarray(each).tobytes(), sum_)
    words = exchanged("assert_equal", f"{sum_} {tree}"[:4000])
    for number, word in enumerate(words):
        if word != words[0]:
            shown = [each.partition(" ")[2][:200] for each in (word, words[0])]
            what = (
                "values"
                if shown[0] == shown[1]
                else f"a tree, {shown[0]}, not {shown[1]}, with values"
            )
            raise ProcessMismatchError(
                f"{fail_message or 'assert_equal'}: process {number} has other {what} than process 0"
                if what == "values"
                else f"{fail_message or 'assert_equal'}: process {number} has {shown[0]}, and process 0 {shown[1]}",
                fix="let one process decide, and give it to all with broadcast_one_to_all",
            )


def host_local_array_to_global_array(
    local_inputs: Any, global_mesh: Mesh, pspecs: Any
) -> Any:  # Any: trees of arrays, and of specifications that are a prefix of theirs
    """Make arrays over a mesh of several processes from each process's part of them.

    Args:
        local_inputs: a tree of arrays: this process's part of each.
        global_mesh: of the devices of all processes.
        pspecs: the specification of each array over it, or one for all.

    Raises:
        ShardingError: a part does not fit.

    Example:
        >>> import numpy as np, treadle
        >>> from treadle.experimental import multihost_utils
        >>> from treadle.sharding import PartitionSpec as P
        >>> mesh = treadle.make_mesh((1,), ("x",))
        >>> multihost_utils.host_local_array_to_global_array(np.ones(3), mesh, P("x")).shape
        (3,)
    """
    return _by_specification(host_local_array_to_global_array_p, local_inputs, global_mesh, pspecs)


def global_array_to_host_local_array(
    global_inputs: Any, global_mesh: Mesh, pspecs: Any
) -> Any:  # Any: as above
    """This process's part of arrays over a mesh of several processes, over its own devices.

    Args:
        global_inputs: a tree of arrays.
        global_mesh: of the devices of all processes.
        pspecs: the specification of each array over it, or one for all.

    Raises:
        ShardingError: an array cannot be sharded so.
        PlacementError: the devices of this process do not fill a part of the mesh.

    Example:
        >>> import numpy as np, treadle
        >>> from treadle.experimental import multihost_utils
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> mesh = treadle.make_mesh((1,), ("x",))
        >>> x = treadle.device_put(np.ones(3), NamedSharding(mesh, P("x")))
        >>> multihost_utils.global_array_to_host_local_array(x, mesh, P("x")).shape
        (3,)
    """
    return _by_specification(global_array_to_host_local_array_p, global_inputs, global_mesh, pspecs)


@contextmanager
def live_devices(devices: list[Device]) -> Iterator[list[Device]]:
    """Yield the devices whose processes are alive, the same list in all of these; wait for them at both ends.

    It is of use with the setting `enable_recoverability`: without it, a process that hears of a lost one ends.

    Raises:
        ProcessFailureError: a process was lost, or started again, in the block.

    Example:
        >>> import treadle
        >>> from treadle.experimental import multihost_utils
        >>> with multihost_utils.live_devices(treadle.devices()) as alive:
        ...     len(alive)
        1
    """
    wanted = sequence("live_devices", "devices", devices)
    for each in wanted:
        if not isinstance(each, Device):
            raise refused("live_devices", "each of devices", "a device", each)
    before = live_processes()
    yield [device for device in wanted if device.process_index in before]
    after = live_processes()
    lost = [number for number, start in before.items() if after.get(number) != start]
    if lost:
        raise ProcessFailureError(
            f"live_devices: of processes {sorted(before)}, {sorted(lost)} did not live to the end of the block",
            fix="do the work of the block again, with the devices that are alive now",
        )


# --- inside


def _over_processes(leaf: Any) -> DeviceArray:
    """Return an array whose row of each number is on the first device of the process with that number."""
    first = {device.process_index: device for device in reversed(devices())}
    mesh = Mesh(np.array([first[number] for number in range(process_count())]), (_AXIS,))
    elements = np.asarray(device_put(leaf))
    return make_array_from_process_local_data(
        NamedSharding(mesh, PartitionSpec(_AXIS)),
        elements[None],
        (process_count(), *elements.shape),
    )


def _whole(array: Any) -> np.ndarray[Any, Any]:
    """Return all elements of an array over devices of several processes."""
    sharding = array.sharding
    if not array.is_fully_replicated and isinstance(sharding, NamedSharding):
        array = device_put(array, NamedSharding(sharding.mesh, PartitionSpec()))
    return np.asarray(array.addressable_data(0))


def _by_specification(operation: Primitive, tree: Any, mesh: Any, specifications: Any) -> Any:
    """Return the tree with the operation applied to each leaf, with its specification."""
    name = operation.name
    if not isinstance(mesh, Mesh):
        raise refused(name, "global_mesh", "a mesh", mesh)

    def is_specification(node: object) -> bool:
        return node is None or isinstance(node, PartitionSpec)

    leaves, structure = tree_flatten(tree)
    if is_specification(specifications):
        found = [specifications] * len(leaves)
    else:
        found = tree_leaves(specifications, is_leaf=is_specification)
    if len(found) != len(leaves) or not all(map(is_specification, found)):
        raise ArgumentError(
            f"{name}: pspecs must be a PartitionSpec, or one for each of {len(leaves)} arrays",
            fix="pass a tree of PartitionSpec of the structure of the arrays",
        )
    return tree_unflatten(
        structure,
        [
            operation.bind(leaf, global_mesh=mesh, pspec=PartitionSpec() if spec is None else spec)
            for leaf, spec in zip(leaves, found, strict=True)
        ],
    )


boundaries(__name__)
