"""Groups of an axis reach the text that is compiled: checked on four devices, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import treadle
from treadle import lax
from treadle.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(treadle.devices()), ("i",))
pairs = [[0, 1], [2, 3]]
summed = treadle.shard_map(
    lambda x: lax.psum(x, "i", axis_index_groups=pairs),
    mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False,
)
print(np.asarray(treadle.jit(summed)(np.arange(4, dtype=np.float32))).tolist())
"""


def test_sums_among_groups() -> None:
    environment = {**os.environ, "TREADLE_PLATFORMS": "cpu", "TREADLE_NUM_CPU_DEVICES": "4"}
    command = [sys.executable, "-c", PROGRAM]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "[1.0, 1.0, 5.0, 5.0]", ran.stderr
