"""What was measured, read back: planes (a device, the host), lines in them (a thread, a stream), events in these.

The classes are jaxlib's. `ProfileData.from_file(path)` and `ProfileData.from_serialized_xspace(data)` read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle_ir.errors import boundaries
from treadle_runtime import profile_data_module

if TYPE_CHECKING:
    ProfileData = Any  # jaxlib has no types
    ProfileEvent = Any
    ProfileLine = Any
    ProfilePlane = Any

__all__ = ["ProfileData", "ProfileEvent", "ProfileLine", "ProfilePlane"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(profile_data_module(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


boundaries(__name__)
