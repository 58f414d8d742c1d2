"""Devices as grids for meshes."""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_runtime import (
    create_device_mesh as create_device_mesh,
    create_hybrid_device_mesh as create_hybrid_device_mesh,
    device_kind_handler_dict as device_kind_handler_dict,
)

__all__ = ["create_device_mesh", "create_hybrid_device_mesh", "device_kind_handler_dict"]

boundaries(__name__)
