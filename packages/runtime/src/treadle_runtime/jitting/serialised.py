"""Serialisation of compiled functions: the XLA executable, and the data that a call needs.

The bytes are only valid for the same release of jaxlib, the same kind of processor and the same flags: a different
release loads them without an error, and may compute wrong results. So they begin with these, and with a checksum.
Loading runs code: untrusted bytes are as dangerous as untrusted programs.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from typing import Any, Final

import numpy as np

from treadle_compiler import (
    LoadedExecutable,
    LoweredModule,
    compile_text,
    deserialise,
    platform_fingerprint,
    serialise,
)
from treadle_ir import ArgumentError, ArrayType, Program, UnsupportedError
from treadle_ir.errors import refused
from treadle_ir.tracing import Arguments
from treadle_ir.tree import PyTreeDef
from treadle_runtime.arrays.array import elements_of, from_host
from treadle_runtime.jitting.compiled_call import CompiledCall
from treadle_runtime.jitting.compiling import Lowering, Prepared
from treadle_runtime.jitting.stages import Compiled
from treadle_runtime.jitting.traced import Timing, Traced
from treadle_runtime.launch import Launch
from treadle_runtime.placement.devices import Device, devices
from treadle_runtime.placement.placement import Placement, committed, default_placement

_MAGIC: Final = b"treadle executable 1\n"
_DIGEST: Final = hashlib.sha256


def to_bytes(compiled: Compiled) -> bytes:
    """Serialise a compiled function to bytes, without the structures of its arguments and results.

    Raises:
        ArgumentError: it is none, or a static argument cannot be pickled.
        UnsupportedError: it calls Python back, or runs on several devices.
    """
    if not isinstance(compiled, Compiled):
        raise refused("serialize", "compiled", "what `jit(f).lower(x).compile()` returns", compiled)
    call, lowering, arguments, split = compiled.parts
    launch = call.launch
    if launch.callbacks:
        raise UnsupportedError(
            f"serialize: {call.name} calls Python functions back, which bytes cannot hold",
            fix="take the callbacks out, or export the function",
        )
    if len(launch.executable.devices) != 1:
        raise UnsupportedError(f"serialize: {call.name} runs on several devices")
    parts: dict[str, Any] = {  # Any: of all kinds
        "executable": serialise(_complete(launch.executable, lowering.module.text)),
        "text": lowering.module.text,
        "options": launch.executable.options,
        "fingerprint": _fingerprint(launch.placement.device),
        "platform": launch.placement.device.platform,
        "name": call.name,
        "operands": [operand.type for operand in call.operands],
        "results": [placed.type for placed in launch.results],
        "kept": call.kept,
        "donated": call.donated,
        "captured": [(np.asarray(elements_of(x)), x.type.weak) for x in call.captured],
        "statics": arguments.statics,
        "split": split,
    }
    try:
        data = pickle.dumps(parts)
    except Exception as error:  # whatever a static value's class raises
        raise ArgumentError(
            f"serialize: a static argument of {call.name} cannot be pickled: {error}",
            fix="give it a class that pickles",
        ) from error
    return _MAGIC + _DIGEST(data).digest() + data


def from_bytes(
    data: object, in_tree: PyTreeDef, out_tree: PyTreeDef, device: Device | None
) -> Compiled:
    """Return the compiled function of `to_bytes`, on a device or where new arrays are.

    Raises:
        ArgumentError: the bytes are damaged, or were made by another jaxlib, on another processor or platform.
    """
    if not isinstance(data, bytes):
        raise refused("deserialize_and_load", "serialized", "the bytes that `serialize` gave", data)
    start = len(_MAGIC)
    end = start + _DIGEST().digest_size
    if data[:start] != _MAGIC or data[start:end] != _DIGEST(data[end:]).digest():
        raise ArgumentError(
            "deserialize_and_load: these bytes are not what `serialize` gave, or they are damaged"
        )
    parts = pickle.loads(data[end:])
    placement = _placement(parts["platform"], device)
    home = placement.device
    if parts["fingerprint"] != _fingerprint(home):
        raise ArgumentError(
            f"deserialize_and_load: {parts['name']} was compiled by another release of jaxlib, for another "
            "processor, or with other flags",
            fix="compile it again here",
        )
    options = replace(parts["options"], device_ids=(home.id,))
    executable = deserialise(home.backend.raw, parts["executable"], [home.raw], options)
    operands = tuple([placement.of(type) for type in parts["operands"]])
    results = tuple([placement.of(type) for type in parts["results"]])
    types: tuple[ArrayType, ...] = tuple(parts["operands"])
    name = parts["name"]
    nothing = Program((), (), ())  # the program is not among the bytes, only what XLA made of it
    traced = Traced(nothing, (), out_tree, Timing(name, types, from_disk=True))
    captured = tuple(
        [from_host(x, weak=weak, placement=placement) for x, weak in parts["captured"]]
    )
    launch = Launch(executable, placement, results)
    call = CompiledCall(name, traced, launch, operands, captured, parts["kept"], parts["donated"])
    module = LoweredModule(parts["text"], nothing, home.backend.platform, name, (), frozenset())
    lowering = Lowering(
        traced, captured, Prepared(nothing, (), {}), module, placement, operands, name, ()
    )
    statics = parts["statics"]
    structure = in_tree if statics is not None else in_tree.children()[0]
    arguments = Arguments([None] * len(operands), structure, statics)
    return Compiled(call, lowering, arguments, parts["split"])


def _complete(executable: LoadedExecutable, text: str) -> LoadedExecutable:
    """Return the executable with its machine code, which XLA:CPU omits if it was loaded from bytes itself."""
    if not executable.from_cache:
        return executable
    client = executable.devices[0].client
    return compile_text(client, text, executable.devices, executable.options)


def _fingerprint(device: Device) -> str:
    return platform_fingerprint(device.backend.raw)


def _placement(platform: str, device: Device | None) -> Placement:
    if device is not None:
        return committed(device)
    default = default_placement()
    return default if default.device.platform == platform else committed(devices(platform)[0])
