"""Placements: a sharding, and whether it was requested; and types with a placement, which are part of cache keys.

An array that was put on devices explicitly is committed, and decides where computations with it run. All other arrays
are uncommitted and follow. `BASE` is the default placement: uncommitted, on the first device of the default platform,
which is looked up only when it is needed.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, final
from weakref import WeakValueDictionary

from treadle_ir import ArrayType
from treadle_ir.primitives.memory import DEVICE_MEMORY
from treadle_ir.process import fork_safe_rlock
from treadle_ir.settings import Setting, current_context, overriding
from treadle_runtime.placement.devices import Device, as_device, base_device, host_is_default
from treadle_runtime.placement.sharding import Sharding, SingleDeviceSharding


@final
class PlacedType:
    """The type of an array and its placement: one object for each pair, part of every cache key."""

    __slots__ = ("__weakref__", "placement", "type")

    def __init__(self, type: ArrayType, placement: Placement) -> None:
        """Only `Placement.of` may call this."""
        self.type: Final = type
        self.placement: Final = placement

    def with_shape(self, shape: tuple[int, ...]) -> PlacedType:
        """Return the placed type with the same placement and another shape."""
        return self.placement.of(self.type.with_shape(shape))

    def __reduce__(self) -> tuple[Any, ...]:
        return _placed, (self.type, self.placement)

    def __repr__(self) -> str:
        return f"{self.type} {self.placement!r}"


def _placed(type: ArrayType, placement: Placement) -> PlacedType:
    return placement.of(type)


_RECENT: Final = 8192


@final
class Placement:
    """How an array is sharded over devices, and whether that was requested. There are two for each sharding."""

    __slots__ = ("__weakref__", "_placed", "_recent", "_sharding", "committed", "compute_placement")

    _interned: ClassVar[WeakValueDictionary[tuple[Sharding, bool], Placement]] = (
        WeakValueDictionary()
    )
    _lock: Final = fork_safe_rlock()

    def __init__(self, sharding: Sharding | None, committed: bool) -> None:
        """Only `placement_of` may call this: it returns the one placement of a sharding."""
        self._sharding = sharding
        self.committed: Final = committed
        # Where computations with its arrays run, if they are in a memory in which devices do not compute.
        self.compute_placement: Placement | None = None
        self._placed: Final[WeakValueDictionary[ArrayType, PlacedType]] = WeakValueDictionary()
        # In front of it, at a tenth of the cost; strong, and emptied when it has grown large.
        self._recent: Final[dict[ArrayType, PlacedType]] = {}

    @property
    def sharding(self) -> Sharding:
        """How an array with this placement is sharded over devices."""
        if self._sharding is None:
            self._sharding = SingleDeviceSharding(base_device())
        return self._sharding

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that hold a shard."""
        return self.sharding.devices

    @property
    def device(self) -> Device:
        """The device, or the first of several."""
        return self.sharding.devices[0]

    @property
    def on_host(self) -> bool:
        """Whether it is on the CPU, fully replicated if there are several devices: then NumPy may do the work."""
        if self._sharding is None:
            return host_is_default()
        return (
            self.device.platform == "cpu"
            and self.is_fully_replicated
            and self._sharding.is_fully_addressable
        )

    @property
    def is_fully_replicated(self) -> bool:
        """Whether each of its devices has the complete array."""
        sharding = self._sharding
        return sharding is None or sharding.num_devices == 1 or sharding.is_fully_replicated

    def of(self, type: ArrayType) -> PlacedType:
        """Return the placed type of `type` with this placement."""
        found = self._recent.get(type)
        if found is not None:
            return found
        with Placement._lock:
            found = self._placed.get(type)
            if found is None:
                assert type.sharding is None, "the placement has it"
                found = self._placed[type] = PlacedType(type, self)
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[type] = found
            return found

    def __repr__(self) -> str:
        return (
            f"<{'committed to' if self.committed else 'on'} {', '.join(map(repr, self.devices))}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return placement_of, (self.sharding, self.committed)


BASE: Final = Placement(None, committed=False)


def placement_of(sharding: Sharding, committed: bool) -> Placement:
    """Return the one placement of a sharding, committed or not."""
    if not committed and sharding is BASE.sharding:
        return BASE
    with Placement._lock:
        found = Placement._interned.get((sharding, committed))
        if found is None:
            found = Placement._interned[sharding, committed] = Placement(sharding, committed)
            if sharding.memory_kind != DEVICE_MEMORY:
                found.compute_placement = placement_of(
                    sharding.with_memory_kind(DEVICE_MEMORY), committed
                )
        return found


def uncommitted(device: Device) -> Placement:
    """Return the uncommitted placement on a device."""
    return placement_of(SingleDeviceSharding(device), committed=False)


def committed(device: Device) -> Placement:
    """Return the committed placement on a device."""
    return placement_of(SingleDeviceSharding(device), committed=True)


# --- the default --------------------------------------------------------------------------------------


def _parsed(value: object) -> Device | str | None:
    if value is None or value == "":
        return None
    if isinstance(value, (Device, str)):
        return value
    raise ValueError("is neither a device nor the name of a platform")


def _over_mesh(value: object) -> Placement | None:
    if value is None or isinstance(value, Placement):
        return value
    raise ValueError("is not a placement")


DEFAULT_DEVICE: Final[Setting[Device | str | None]] = Setting(
    "default_device",
    None,
    parse=_parsed,
    help="Where uncommitted work goes, and where new arrays are: a device, or the first one of a platform.",
)


# The placement of the results of uncommitted work while `set_mesh` has a mesh in force: fully replicated over it.
OVER_MESH: Final[Setting[Placement | None]] = Setting(
    "_results_over",
    None,
    parse=_over_mesh,
    help="Where the results of work on uncommitted arrays are, before the default device.",
)


def default_placement() -> Placement:
    """Return the placement of uncommitted arrays now."""
    device = current_context().get(DEFAULT_DEVICE)
    return BASE if device is None else uncommitted(as_device(device))


def default_of_results() -> Placement:
    """Return the placement, at present, of the results of computations with uncommitted arrays or no arrays."""
    return current_context().get(OVER_MESH) or default_placement()


@final
class default_device:  # noqa: N801 - reads as a statement
    """`with default_device(devices()[1]):` creates arrays and runs uncommitted work there for a while.

    Results stay uncommitted. `None` leaves things as they are.
    """

    __slots__ = ("_device", "_override")

    def __init__(self, device: Device | str | None) -> None:
        self._device = None if device is None else as_device(device)
        self._override: overriding | None = None
        if self._device is not None:
            self._override = DEFAULT_DEVICE.override(self._device)

    def __enter__(self) -> Device | None:
        if self._override is not None:
            self._override.__enter__()
        return self._device

    def __exit__(self, *error: object) -> None:
        if self._override is not None:
            self._override.__exit__()
