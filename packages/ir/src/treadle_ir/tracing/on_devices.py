"""Device-only attributes: the class of all arrays has them, too, so that a traced array explains why it lacks them."""

# ruff: noqa: D102 - the classes of arrays on devices document them

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from treadle_ir.tracing.array import Array


class _Member:
    """An attribute that classes of arrays with elements override."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(
        self, x: Any, owner: type
    ) -> _Member:  # Any: an array, whose class derives from this one
        if x is None:
            return self
        raise AttributeError(
            f"an array of type {x.type} has no {self._name!r}: it has no elements on devices, since it stands for "
            "arrays while a function is traced\n  fix: ask outside of the function; its type, with axes of a mesh "
            "if they are explicit, is `treadle.typeof(x)`",
            name=self._name,
            obj=x,
        )


class OnDevices:
    """The attributes: of elements, of shardings, of buffers; for type checkers, as arrays on devices define them."""

    __slots__ = ()

    if TYPE_CHECKING:
        # as Python's own values, where the elements are known
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __array__(
            self, dtype: Any = None, copy: bool | None = None
        ) -> np.ndarray[Any, np.dtype[Any]]: ...  # of whatever element type is asked for
        def item(self, *index: int) -> Any: ...  # a Python number of the element type's kind
        def tolist(self) -> Any: ...  # nested lists of Python numbers

        # of concrete arrays, on devices; the classes of devices and shardings are the runtime's
        @property
        def device(self) -> Any: ...
        @property
        def sharding(self) -> Any: ...
        @property
        def committed(self) -> bool: ...
        @property
        def is_fully_addressable(self) -> bool: ...
        @property
        def is_fully_replicated(self) -> bool: ...
        @property
        def addressable_shards(self) -> list[Any]: ...
        @property
        def global_shards(self) -> list[Any]: ...
        def devices(self) -> set[Any]: ...
        def addressable_data(self, index: int) -> Array: ...
        def block_until_ready(self) -> Array: ...
        def is_ready(self) -> bool: ...
        def copy_to_host_async(self) -> None: ...
        def on_device_size_in_bytes(self) -> int: ...
        def is_deleted(self) -> bool: ...
        def delete(self) -> None: ...
        def unsafe_buffer_pointer(self) -> int: ...
        def __dlpack__(
            self,
            *,
            stream: object = None,
            max_version: tuple[int, int] | None = None,
            dl_device: tuple[Any, int] | None = None,
            copy: bool | None = None,
        ) -> Any: ...  # the capsule of the protocol
        def __dlpack_device__(self) -> tuple[int, int]: ...


for _name in (
    *(
        "item",
        "device",
        "devices",
        "sharding",
        "committed",
        "is_fully_addressable",
        "is_fully_replicated",
    ),
    *("addressable_data", "addressable_shards", "global_shards", "copy_to_host_async", "is_ready"),
    *("on_device_size_in_bytes", "is_deleted", "delete", "unsafe_buffer_pointer"),
):
    setattr(OnDevices, _name, _Member(_name))
