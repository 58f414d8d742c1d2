"""In which memory of its devices an array is: `device_put(x, memory.Space.Host)`."""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_runtime import Space as Space

__all__ = ["Space"]

boundaries(__name__)
