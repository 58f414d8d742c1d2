"""treadle-insight alone: explanations of programs, with no NumPy-shaped interface."""

from importlib.util import find_spec

import numpy as np

from treadle_insight import explain
from treadle_ir import ops

assert find_spec("treadle_numpy") is None

table = np.ones((1500, 1500), np.float32)
report = explain(lambda x: ops.multiply(x, table))(table)
assert [finding.kind for finding in report.findings()] == ["capture.large"]
print(report)
print("treadle-insight works alone")
