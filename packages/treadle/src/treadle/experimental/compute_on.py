"""On which part of an accelerator operations are computed: `compute_on`."""

from __future__ import annotations

import re
from typing import Final

from treadle.experimental.xla_metadata import metadata_block
from treadle_ir import ArgumentError
from treadle_ir.errors import boundaries
from treadle_ir.settings import overriding

__all__ = ["compute_on"]

_TYPES: Final = {"device_host": "host", "device": "dense", "tpu_sparsecore": "sparseoffload"}
_STREAM: Final = re.compile(r"gpu_stream:(\d+)")


def compute_on(compute_type: str) -> overriding:
    """Choose where compiled programs compute what runs in a `with` block, or in a function that this decorates.

    Operations get attributes for XLA, as with `set_xla_metadata`, which follows them where it can: on the CPU nothing
    changes. The innermost block counts.

    Args:
        compute_type: `device_host`, the processor that the device is attached to; `device`; `tpu_sparsecore`; or
            `gpu_stream:` and the number of a stream.

    Raises:
        ArgumentError: `compute_type` is none of these.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> @compute_on("device_host")
        ... def f(x):
        ...     return tnp.sin(x)
        >>> '_xla_compute_type = "host"' in treadle.jit(f).lower(1.0).as_text()
        True
    """
    if not isinstance(compute_type, str):
        raise ArgumentError(
            f"compute_on: where to compute is of type {type(compute_type).__name__}, which must be a string",
            fix='name it, as in compute_on("device_host")',
        )
    stream = _STREAM.fullmatch(compute_type)
    if stream is None and compute_type not in _TYPES:
        raise ArgumentError(
            f"compute_on: {compute_type!r} is not a place to compute",
            fix="choose one of `device_host`, `device`, `tpu_sparsecore` and `gpu_stream:` with a number",
        )
    return metadata_block(
        {
            "_xla_compute_type": _TYPES.get(compute_type),
            "_xla_stream_annotation": stream and stream[1],
            "inlineable": stream and "false",
        }
    )


boundaries(__name__)
