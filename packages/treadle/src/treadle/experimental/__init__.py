"""What JAX keeps under `experimental`."""

from __future__ import annotations

from treadle_runtime import io_callback as io_callback
