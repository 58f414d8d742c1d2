"""Foreign calls have no derivative, and the error says what gives them one."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import jvp
from treadle_ir import ArrayType, bind
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.foreign import ForeignCall

F32 = np.dtype("f4")
CALL = ForeignCall("target", (ArrayType((), F32),), ((),), ((),))


def test_the_error_names_the_target_and_custom_jvp() -> None:
    with pytest.raises(DerivativeError, match="'target'") as caught:
        jvp(lambda x: bind(CALL, x)[0], (np.float32(1),), (np.float32(1),))
    assert any("custom_jvp" in note for note in caught.value.__notes__)
