"""Kernels on NumPy and Python's numbers that are faster than the reference kernels for small arrays.

`numpy_kernel` finds the kernel of an operation. It gives the same bits as the reference kernel, with two exceptions:
special functions, which are as exact, and sums and convolutions, which add in a different order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle_runtime.evaluation.host.numpy_kernels import numpy_kernel as numpy_kernel
    from treadle_runtime.evaluation.host.threefry import bits_together as bits_together

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_runtime.evaluation.host.numpy_kernels": "numpy_kernel",
            "treadle_runtime.evaluation.host.threefry": "bits_together",
        },
    )
