"""Compiled functions as bytes, for another process on the same kind of machine."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import boundaries
from treadle_ir.tree import PyTreeDef
from treadle_runtime import Compiled, Device, devices, from_bytes, to_bytes

__all__ = ["deserialize_and_load", "serialize"]


def serialize(compiled: Compiled) -> tuple[bytes, PyTreeDef, PyTreeDef]:
    """Return a compiled function as bytes, and the structures of its arguments and results, which pickle.

    The bytes are for the very same release of jaxlib, kind of processor, platform and flags.

    Raises:
        ArgumentError: it is not a compiled function, or a static argument cannot be pickled.
        UnsupportedError: it calls Python back, or runs on several devices.

    Example:
        >>> import treadle
        >>> from treadle.experimental.serialize_executable import deserialize_and_load, serialize
        >>> compiled = treadle.jit(lambda x: x * 2).lower(3.0).compile()
        >>> data, in_tree, out_tree = serialize(compiled)
        >>> print(deserialize_and_load(data, in_tree, out_tree)(4.0))
        8.0
    """
    data = to_bytes(compiled)
    return data, compiled.in_tree, compiled.out_tree


def deserialize_and_load(
    serialized: bytes,
    in_tree: PyTreeDef,
    out_tree: PyTreeDef,
    backend: str | None = None,
    execution_devices: Sequence[Device] | None = None,
) -> Compiled:
    """Return the compiled function of what `serialize` gave: where new arrays are, or on a platform, or on a device.

    Loading runs code: never load what somebody else may have written.

    Raises:
        ArgumentError: the bytes are damaged, or were made for another machine or release.
        UnsupportedError: there is not exactly one device.
    """
    for name, tree in (("in_tree", in_tree), ("out_tree", out_tree)):
        if not isinstance(tree, PyTreeDef):
            raise ArgumentError(
                f"deserialize_and_load: {name} is a {type(tree).__name__}, but must be a structure",
                fix="pass the three things that `serialize` gave",
            )
    device = None
    if execution_devices is not None:
        if len(execution_devices) != 1:
            raise UnsupportedError(
                f"deserialize_and_load: there are {len(execution_devices)} devices, but must be one"
            )
        device = execution_devices[0]
    elif backend is not None:
        device = devices(backend)[0]
    return from_bytes(serialized, in_tree, out_tree, device)


boundaries(__name__)
