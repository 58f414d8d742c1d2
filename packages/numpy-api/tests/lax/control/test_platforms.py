from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import StructureError
from treadle_numpy import lax


def chosen(x: Any) -> Any:
    return lax.platform_dependent(
        x, tpu=lambda x: x + 1, cpu=lambda x: x * x, default=lambda x: x + 3
    )


def test_the_function_of_the_platform_runs(staged: Any) -> None:
    assert chosen(4.0) == 16.0
    assert staged(chosen, np.float32(4.0)) == 16.0
    assert grad(chosen)(4.0) == 8.0
    assert staged(grad(chosen), np.float32(4.0)) == 8.0


def test_the_default_runs_elsewhere(staged: Any) -> None:
    elsewhere = lambda x: lax.platform_dependent(x, tpu=lambda x: -x, default=lambda x: x + 3)  # noqa: E731
    assert elsewhere(4.0) == 7.0
    assert staged(elsewhere, np.float32(4.0)) == 7.0
    assert lax.platform_dependent(4.0, default=lambda x: x) == 4.0


def test_errors(staged: Any) -> None:
    with pytest.raises(UnsupportedError, match="runs on none of tpu, rocm"):
        lax.platform_dependent(1.0, tpu=lambda x: x, rocm=lambda x: x)
    with pytest.raises(ArgumentError, match="`gpu` is not a platform"):
        lax.platform_dependent(1.0, gpu=lambda x: x)
    with pytest.raises(ArgumentError, match="there is no function"):
        lax.platform_dependent(1.0)
    with pytest.raises(ArgumentError, match="cpu"):
        lax.platform_dependent(1.0, cpu=3)  # type: ignore[arg-type]
    different = lambda x: lax.platform_dependent(x, cpu=lambda x: x, default=lambda x: (x, x))  # noqa: E731
    with pytest.raises(StructureError, match="must have the same pytree structure"):
        staged(different, np.float32(1.0))
