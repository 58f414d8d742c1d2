"""With ml_dtypes 0.5, which lacks the integers of one bit, all else is there."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import ml_dtypes
for name in ("int1", "uint1"):
    vars(ml_dtypes).pop(name, None)  # which the installed release may have
ml_dtypes.__version__ = "0.5.4"
import numpy as np
import treadle_ir
import treadle_numpy.numpy as tnp
from treadle_ir.core import dtypes
assert {"i2", "u2", "i4", "f8e4m3fn"} <= dtypes.BY_NAME.keys() and not {"i1", "u1"} & dtypes.BY_NAME.keys()
assert tnp.add(np.ones(3, ml_dtypes.bfloat16), 1).dtype == ml_dtypes.bfloat16
assert tnp.issubdtype(tnp.int2, tnp.integer) and tnp.asarray(np.ones(2, ml_dtypes.int4)).dtype == ml_dtypes.int4
assert not {"int1", "uint1"} & {*tnp.__all__, *dir(tnp)}
for name in ("int1", "uint1"):
    try:
        getattr(tnp, name)
    except AttributeError as error:
        assert str(error) == f"{name} needs ml_dtypes 0.6, and 0.5.4 is installed: pip install 'ml_dtypes>=0.6'"
    else:
        raise AssertionError(name)
"""


def test_all_else_is_there() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
