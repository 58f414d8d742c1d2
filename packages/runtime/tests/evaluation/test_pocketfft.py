"""Transforms that pocketfft computes, compared with the reference kernels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.fft  # noqa: F401 - it takes longer than an example may, and the kernels import it
from hypothesis import given, strategies as st

from treadle_ir import ArrayType, eval_rules
from treadle_ir.core import inferred
from treadle_ir.primitives.fourier import Fft, FftKind
from treadle_runtime.evaluation.host_kernels import host_kernel
from treadle_runtime.evaluation.pocketfft import MOST

C64 = np.dtype(np.complex64)
KINDS = ("fft", "ifft", "rfft", "irfft")


def operand(kind: FftKind, shape: tuple[int, ...], double: bool) -> np.ndarray:
    """Random numbers that a transform of the last axes to this shape, or from it, takes."""
    drawn = np.random.default_rng(0)
    if kind == "irfft":
        shape = (*shape[:-1], shape[-1] // 2 + 1)
    x = drawn.normal(size=shape)
    if kind != "rfft":
        x = x + 1j * drawn.normal(size=shape)
    return x if double else x.astype(np.float32 if kind == "rfft" else np.complex64)


@given(
    kind=st.sampled_from(KINDS),
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple),
    rank=st.integers(1, 3),
    double=st.booleans(),
    reversed_axes=st.booleans(),
)
def test_it_is_the_transform_of_the_reference_kernel(
    kind: FftKind, shape: tuple[int, ...], rank: int, double: bool, reversed_axes: bool
) -> None:
    rank = min(rank, len(shape))
    primitive = Fft(kind, shape[len(shape) - rank :])
    x = operand(kind, shape, double)
    if reversed_axes:  # in columns in memory
        x = np.asfortranarray(x)
    x.flags.writeable = False
    before = x.copy()
    type = ArrayType(x.shape, x.dtype)
    kernel = host_kernel(primitive, [type])
    assert kernel is not None
    found = kernel(x)
    (expected,) = eval_rules[primitive](primitive, x)
    (result,) = inferred(primitive, (type,))[0]
    assert isinstance(result, ArrayType)
    assert (found.shape, found.dtype) == (result.shape, result.dtype)
    tolerance = 1e-12 if double else 1e-5
    scale = np.abs(x).sum() + 1
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("length", [MOST, MOST + 1])
def test_it_serves_up_to_so_many_elements(length: int) -> None:
    kernel = host_kernel(Fft("fft", (length,)), [ArrayType((length,), C64)])
    assert (kernel is not None) == (length <= MOST)


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_nothing_is_left_to_the_reference_kernel(shape: tuple[int, ...]) -> None:
    assert host_kernel(Fft("fft", shape[-1:]), [ArrayType(shape, C64)]) is None
    assert host_kernel(Fft("irfft", (0,)), [ArrayType((2, 0), C64)]) is None


def test_without_the_module_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_duccfft.pyduccfft", "_pocketfft.pypocketfft"):
        monkeypatch.setitem(sys.modules, f"scipy.fft.{name}", None)
    assert host_kernel(Fft("fft", (3,)), [ArrayType((3,), C64)]) is None


def test_scipy_is_imported_by_the_first_transform() -> None:
    script = """
import sys
import numpy as np
from treadle_ir import evaluating, ops
from treadle_runtime import RuntimeEvaluator, from_host

with evaluating(RuntimeEvaluator()):
    x = ops.negate(from_host(np.ones(3, np.complex64)))
    assert "scipy" not in sys.modules
    ops.fft(x, kind="fft", lengths=(3,))
    assert "scipy.fft" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
