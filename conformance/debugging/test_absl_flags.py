"""Settings from the flags of absl, for programs that read them at once. absl is an extra of treadle's."""

from __future__ import annotations

import subprocess
import sys


def test_flags_of_absl_are_read_now() -> None:
    code = (
        "import treadle\n"
        "treadle.config.parse_flags_with_absl()\n"
        "treadle.config.parse_flags_with_absl()\n"  # each module of tests does it
        "print(treadle.config.treadle_default_matmul_precision, treadle.config.jax_debug_nans)"
    )
    flags = ["--jax_default_matmul_precision=highest", "--treadle_debug_nans=true", "--other=1"]
    done = subprocess.run(
        [sys.executable, "-c", code, *flags], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["highest", "True"]
