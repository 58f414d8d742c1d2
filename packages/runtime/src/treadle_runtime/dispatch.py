"""Starting compiled programs: arrays to buffers, results to arrays, errors, and waiting for effects."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import numpy as np

from treadle_compiler import (
    LoadedExecutable,
    LoweredCallback,
    LoweredModule,
    compile_lowered,
    jaxlib,
)
from treadle_ir import ArrayType
from treadle_runtime.array import Buffer, DeviceArray, Gone, Key
from treadle_runtime.callbacks import Validated, validated
from treadle_runtime.client import execution_error
from treadle_runtime.devices import Device, Placement, base_device


def translated(error: Exception) -> Exception:
    """What is raised in the place of an exception of jaxlib; others stay as they are."""
    return execution_error(error) if isinstance(error, jaxlib().core.JaxRuntimeError) else error


@final
class Launch:
    """A compiled program on one device with everything that a call of it needs."""

    __slots__ = ("callbacks", "device", "executable", "execute", "handlers", "ordered", "types")

    def __init__(
        self,
        executable: LoadedExecutable,
        types: tuple[ArrayType, ...],
        device: Device,
        callbacks: tuple[Validated, ...] = (),
        *,
        ordered: bool = False,
    ) -> None:
        self.executable = executable
        self.types = types
        self.device = device
        self.callbacks = callbacks
        self.ordered = ordered
        self.handlers = device.backend.handlers(
            [(t.shape, np.bool_ if t.dtype.names else t.dtype) for t in types], device.raw
        )
        self.execute = self.run_with_callbacks if callbacks else self.run

    def run(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Start it; results come without waiting.

        Raises:
            ExecutionError: it failed at once. A failure that comes later shows when a result is read.
        """
        try:
            results: list[Buffer] = self.executable.execute_sharded(buffers).consume_with_handlers(
                self.handlers
            )
        except jaxlib().core.JaxRuntimeError as error:
            raise execution_error(error) from error
        return results

    def run_with_callbacks(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Start a program that calls Python back; an exception of a callback comes out as it was raised.

        A program whose callbacks are ordered is waited for, so that the next one's come after them.
        """
        core = jaxlib().core
        if self.ordered and buffers:
            if None in map(_present, buffers):
                raise TypeError("an array has no buffer")  # as execute_sharded would say
            core.batched_block_until_ready([*buffers])  # else the program might be put off
        try:
            started = self.executable.raw.execute_sharded(buffers, with_tokens=True)
            token = started.consume_token()
            results: list[Buffer] = started.consume_with_handlers(self.handlers)
            if self.ordered or self.device.platform == "cpu":
                # The CPU calls back on this very thread, so nothing is lost by waiting, and exceptions are here.
                token.block_until_ready()
            else:
                _pend(token)
        except core.JaxRuntimeError as error:
            for callback in self.callbacks:
                raised = callback.take_error()
                if raised is not None:
                    raise raised from None
            raise execution_error(error) from error
        return results


_pending: Final[list[Any]] = []  # tokens of programs with callbacks that may still be running
_lock: Final = threading.Lock()


def _pend(token: Any) -> None:
    with _lock:
        _pending.append(token)
        late = _pending.pop(0) if len(_pending) > 64 else None
    if late is not None:
        late.block_until_ready()


def effects_barrier() -> None:
    """Wait until all callbacks of programs started so far have run."""
    with _lock:
        waiting = [*_pending]
        _pending.clear()
    for token in waiting:
        token.block_until_ready()


def compile_program(
    lowered: LoweredModule,
    device: Device,
    flags: Mapping[str, object] | None = None,
) -> Launch:
    """Compile a lowered program for a device, and make it ready to be called."""
    callbacks: list[Validated] = []
    functions: list[Callable[..., object]] = []
    for each in lowered.callbacks:
        assert isinstance(each, LoweredCallback)
        checked = validated(each, [(type.shape, type.dtype) for type in each.results])
        callbacks.append(checked)
        functions.append(_with_token(checked) if each.ordered else checked)
    executable = compile_lowered(
        lowered, device.backend.raw, [device.raw], flags=flags, host_callbacks=functions
    )
    types: tuple[ArrayType, ...] = lowered.program.result_types  # type: ignore[assignment]  # no tokens
    ordered = any(effect.ordered for effect in lowered.program.effects)
    return Launch(executable, types, device, tuple(callbacks), ordered=ordered)


def _present(buffer: Buffer) -> bool | None:
    return None if buffer is None or type(buffer) is Gone else True


def _with_token(checked: Validated) -> Callable[..., object]:
    """An ordered callback as XLA calls it: a token, which has no value, goes in and comes out first."""

    def function(_: None, *operands: Any) -> tuple[Any, ...]:  # Any: NumPy arrays
        return (None, *checked(*operands))

    return function


def buffer_on(array: DeviceArray, device: Device) -> Buffer:
    """The array's buffer, brought to a device if it is elsewhere (the array itself stays where it is)."""
    home = array.present()
    if home is device:
        return array.buffer()
    if array._host is not None and array.type.dtype.names is None:
        return device.backend.put(array._host, device.raw, owned=True)
    if home.backend is device.backend:
        return device.backend.copy_to_device(array.buffer(), device.raw)
    return device.backend.adopt(array.buffer(), home.backend, device.raw)


def key_type(key: Key) -> ArrayType:
    """The type in a key."""
    if isinstance(key, tuple):
        return key[0]
    return key


def key_at(type: ArrayType, placement: Placement | None) -> Key:
    """What stands for a type at a placement in the caches' keys."""
    if placement is None or (not placement.committed and placement.device is base_device()):
        return type
    return (type, placement)
