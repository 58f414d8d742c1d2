"""Device-only attributes: the class of all arrays has them, too, so that a traced array explains why it lacks them."""

from __future__ import annotations

from typing import Any


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
    """The attributes: of elements, of shardings, and of buffers."""

    __slots__ = ()


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
