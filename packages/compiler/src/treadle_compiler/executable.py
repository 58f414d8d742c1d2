"""A compiled program on its devices, as the runtime calls it.

`LoadedExecutable` is a thin value around jaxlib's object. It adds no call of its own: the hot path is

    results = executable.execute_sharded(buffers)          # a bound C++ method
    arrays = results.consume_with_handlers(handlers)        # handlers are made once, see Backend.handlers

Parameter and result types are kept by the caller, who knows them. Nothing here or below checks them: XLA runs
an i32 buffer as f32 without an error, so the caller's key must hold shapes and dtypes exactly.

Cost of getting n results out, us (add of a constant, n results of 10 elements; 0.10.2 | 0.12.0):

    results                                        1            10             100
    execute_sharded alone                          2.3 | 2.5    8.3 | 7.9      69.9 | 70.0
    + consume_with_handlers, bare jaxlib arrays    2.6 | 2.8    10.3 | 10.0    88.7 | 81.8
    + own class by list comprehension              2.9 | 3.1    11.5 | 11.3    95.9 | 92.9
    + own class by handler.wrap(cls)               2.7 | 3.1    11.5 | 11.1    94.0 | 92.6
    own objects holding (results, i), consumed     2.8 | 3.0    10.0 | 9.4     77.1 | 77.3
      together when the first is asked for

`handler.wrap` is level with a list comprehension (0.06 us for each result either way), so choose what reads
better. Deferring `consume_with_handlers` saves 0.15 us for each result, a sixth at 100 results and nothing at 1: worth
it only for results that are mostly fed straight back. What remains, 0.7 us a result, is XLA's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

from treadle_compiler.ending import Held, held, hold_at_end
from treadle_compiler.fork import (
    Refusal,
    never_destroyed,
    refuse,
    refuse_in_children,
)
from treadle_compiler.options import CompileOptions


@final
class LoadedExecutable(Held):
    """A compiled program, loaded on its devices.

    `raw` is jaxlib's object and for the border files only. `execute_sharded` takes a sequence of jaxlib arrays and
    returns results that `consume_with_handlers(handlers)` turns into arrays. In a forked child both are exchanged for
    what raises `ForkError`, and at the end of the process for what waits: so look them up for each call, and keep
    neither (`fork.py`, `ending.py`). `from_cache` says whether the
    program was read from disk.
    """

    __slots__ = (
        "__weakref__",
        "devices",
        "execute_sharded",
        "from_cache",
        "keep_alive",
        "options",
        "platform",
        "raw",
    )

    raw: Any  # jaxlib's LoadedExecutable: jaxlib has no types
    execute_sharded: Callable[..., Any]  # jaxlib arrays in, jaxlib's ExecuteResults out

    def __init__(
        self,
        raw: Any,
        *,
        devices: tuple[Any, ...],
        options: CompileOptions,
        platform: str,
        keep_alive: tuple[object, ...] = (),
        from_cache: bool = False,
    ) -> None:
        self.raw = raw
        self.execute_sharded = raw.execute_sharded
        self.devices = devices
        self.options = options
        self.platform = platform
        self.keep_alive = keep_alive  # host callbacks live as long as the program that calls them
        self.from_cache = from_cache
        refuse_in_children(self)
        hold_at_end(self)

    def refuse(self) -> None:
        """Raise `ForkError` from now on: called in a forked child."""
        never_destroyed(self.raw)
        self.raw, self.execute_sharded = Refusal(), refuse

    def hold(self) -> None:
        """Let only the thread start it that ends the process, and wait for it: called when the process ends."""
        self.execute_sharded = held(self.execute_sharded, settles=True)

    def execute(self, buffers: Sequence[Any], handlers: Sequence[Any]) -> list[Any]:
        """Start the computation and return its arrays without waiting for them."""
        results: list[Any] = self.execute_sharded(buffers).consume_with_handlers(handlers)
        return results

    def __repr__(self) -> str:
        where = ", ".join(str(number) for number in self.options.device_ids)
        return f"<LoadedExecutable on {self.platform}:{where}, effort {self.options.effort}>"
