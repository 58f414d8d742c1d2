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
    "svd": (lambda x: ops.svd(x), "cusolver_gesvdj_ffi"),
    "svd by rotations": (lambda x: ops.svd(x, algorithm="jacobi"), "cusolver_gesvdj_ffi"),
    "svd by a polar decomposition": (
        lambda x: ops.svd(x, algorithm="polar"),
        "cusolver_gesvdp_ffi",
    ),
    "pivots": (ops.lu, "cu_lu_pivots_to_permutation"),
    "eig": (ops.eig, "cuhybrid_eig_real"),
    "complex eig": (lambda x: ops.eig(ops.convert(x, dtype=np.dtype("c8"))), "cuhybrid_eig_comp"),
    "qr with pivots": (lambda x: ops.qr(x, pivoting=True), "cuhybrid_geqp3"),
    "tridiagonal": (lambda x: ops.tridiagonal(x), "cusolver_sytrd_ffi"),
    "cholesky": (lambda x: [ops.cholesky(x)], "cusolver_potrf_ffi"),
    "triangular": (lambda x: [ops.triangular_solve(x, x)], "stablehlo.triangular_solve"),
}


def text(function: Callable[..., Sequence[Any]], platform: str, *operands: Any) -> str:
    staged = stage(function, *[type_of(x) for x in operands])
    return lower_program(staged.program, platform=platform).text


@pytest.mark.parametrize("name", NAMED)
def test_cuda_calls_the_twins(name: str) -> None:
    function, target = NAMED[name]
    assert target in text(function, "cuda", A)


def test_cuda_s_calls_depend_on_sizes() -> None:
    tall = np.zeros((1025, 3), np.float32)
    assert "cusolver_gesvd_ffi" in text(lambda x: ops.svd(x), "cuda", tall)
    for rows in (1, 5):
        x, b = np.ones(rows, np.float32), np.ones((rows, 2), np.float32)
        systems = text(lambda *given: [ops.tridiagonal_solve(*given)], "cuda", x, x, x, b)
        assert "cusparse_gtsv2_ffi" in systems
        assert ("stablehlo.pad" in systems) == (rows < 3)  # of which cuSPARSE takes no fewer


@pytest.mark.parametrize("platform", ["cpu", "cuda"])
def test_it_is_looked_whether_matrices_are_finite(platform: str) -> None:
    for function in (ops.eigh, ops.svd):
        assert "stablehlo.and" in text(lambda x, of=function: of(x), platform, A)
    assert "stablehlo.and" not in text(lambda x: [ops.cholesky(x)], platform, A)


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
