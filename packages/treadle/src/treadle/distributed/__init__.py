"""Several processes that run one program: `initialize` in each, or `python -m treadle.distributed.run -n 4 script.py`.

[docs/distributed.md](https://github.com/treadle/treadle/blob/main/docs/distributed.md) describes how to start them,
and the errors when one fails.
"""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_runtime import (
    DistributedError as DistributedError,
    ProcessFailureError as ProcessFailureError,
    initialize as initialize,
    is_initialized as is_initialized,
    shutdown as shutdown,
)

__all__ = [
    "DistributedError",
    "ProcessFailureError",
    "initialize",
    "is_initialized",
    "shutdown",
]

boundaries(__name__)
