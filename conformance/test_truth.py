"""The truth's own parts, where no law of the reference would show them at fault."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.truth import widened
from treadle_ir.core.dtypes import BY_NAME

pytestmark = pytest.mark.programs


@pytest.mark.parametrize(("name", "bits"), [("f16", 0x7C01), ("f32", 0x7F800001)])
def test_a_signalling_nan_is_a_nan_without_a_warning(name: str, bits: int) -> None:
    dtype = BY_NAME[name]
    signalling = np.asarray([bits], f"u{dtype.itemsize}").view(dtype)
    assert np.isnan(widened(signalling, dtype)).all()
