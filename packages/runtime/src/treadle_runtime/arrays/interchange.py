"""Protocols by which other libraries read the memory of arrays without a copy: Python's buffers, CUDA's arrays."""

from __future__ import annotations

import time
from typing import Any, Final

from treadle_ir import Array
from treadle_runtime.placement.format import Format, row_major
from treadle_runtime.placement.sharding import Sharding

_interrupted: Final[
    list[tuple[int, float]]
] = []  # the array whose buffer Ctrl-C kept from its reader, and when
_AT_ONCE: Final = 0.1  # seconds


def raise_swallowed_interrupt(array: object) -> None:
    """Raise the KeyboardInterrupt that `np.asarray` has taken for "no buffer", before it waits another time.

    NumPy drops every exception of `__buffer__`, and calls `__array__` at once.
    """
    if _interrupted:
        (who, when) = _interrupted.pop()
        if who == id(array) and time.monotonic() - when < _AT_ONCE:
            raise KeyboardInterrupt


class Interchange(Array):
    """What other libraries, and those who look at memory, may ask of an array that has elements."""

    __slots__ = ()

    @property
    def sharding(self) -> Sharding:
        """How it is sharded over devices."""
        raise NotImplementedError

    def unsafe_buffer_pointer(self) -> int:
        """Return the address of the elements on their device."""
        raise NotImplementedError

    def __buffer__(self, flags: int) -> memoryview:
        """Return the elements as a buffer that cannot be written to. Python asks for it from 3.12 on."""
        try:
            return self.__array__().data  # not `np.asarray`, which asks for this first
        except KeyboardInterrupt:
            _interrupted[:] = [(id(self), time.monotonic())]
            raise

    def __release_buffer__(self, view: memoryview) -> None:
        """Do nothing: the view keeps the elements alive."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:  # Any: as the protocol says
        """Where the elements are on a GPU, for Numba, CuPy and others.

        Raises:
            AttributeError: they are not on a GPU.
        """
        platform = next(iter(self.sharding.device_set)).platform
        if platform not in ("gpu", "cuda"):
            raise AttributeError(
                f"__cuda_array_interface__ is for arrays on a GPU, and this one is on {platform}"
            )
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.unsafe_buffer_pointer(), True),
            "version": 3,
        }

    @property
    def format(self) -> Format:
        """The order of the elements in memory, and the devices that they are on."""
        return Format(row_major(self.ndim), self.sharding)

    @property
    def traceback(self) -> None:
        """None: where an array was made is not recorded. Errors name the user's line themselves."""
        return None
