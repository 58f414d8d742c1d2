from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import MissingRuleError, ops, stage, type_of

A = np.eye(3, dtype=np.float32)
NAMED: dict[str, tuple[Callable[..., Sequence[Any]], str]] = {
    "lu": (ops.lu, "cusolver_getrf_ffi"),
    "qr": (lambda x: ops.qr(x), "cusolver_geqrf_ffi"),
    "eigh": (lambda x: ops.eigh(x), "cusolver_syevd_ffi"),
    "svd": (lambda x: ops.svd(x), "cusolver_gesvd_ffi"),
    "tridiagonal": (lambda x: ops.tridiagonal(x), "cusolver_sytrd_ffi"),
    "cholesky": (lambda x: [ops.cholesky(x)], "stablehlo.cholesky"),
    "triangular": (lambda x: [ops.triangular_solve(x, x)], "stablehlo.triangular_solve"),
}


def text(function: Callable[..., Sequence[Any]], platform: str, *operands: Any) -> str:
    staged = stage(function, *[type_of(x) for x in operands])
    return lower_program(staged.program, platform=platform).text


@pytest.mark.parametrize("name", NAMED)
def test_cuda_calls_the_twins(name: str) -> None:
    function, target = NAMED[name]
    assert target in text(function, "cuda", A)


def test_routines_are_named_by_the_element_type() -> None:
    for dtype, routine in {"f4": "ssyevd", "f8": "dsyevd", "c8": "cheevd", "c16": "zheevd"}.items():
        assert f"lapack_{routine}_ffi" in text(lambda x: ops.eigh(x), "cpu", A.astype(dtype))


def test_a_platform_without_a_routine_says_so() -> None:
    with pytest.raises(
        MissingRuleError, match="schur: there is no routine for it on platform cuda"
    ):
        text(lambda x: ops.schur(x), "cuda", A)
    with pytest.raises(MissingRuleError, match="eigh: there is no routine for it on platform tpu"):
        text(lambda x: ops.eigh(x), "tpu", A)


def test_scipy_is_imported_for_programs_that_need_lapack_only() -> None:
    script = """
import sys
from treadle_compiler.xla import register_calls
from treadle_compiler import jaxlib
jaxlib()
register_calls("stablehlo.add")
assert "scipy" not in sys.modules
register_calls('call_target_name = "lapack_sgetrf_ffi"')
assert "scipy.linalg" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_eigenvalues_alone_are_asked_for_without_vectors() -> None:
    assert "mode = 86" in text(lambda x: ops.eigh(x), "cpu", A)  # V
    assert "mode = 78" in text(lambda x: [ops.eigvalsh(x)], "cpu", A)  # N
