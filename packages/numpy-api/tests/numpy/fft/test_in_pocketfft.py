"""Transforms of real numbers by half of them agree with the operations."""

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.calling import host_functions
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp
from treadle_numpy.numpy.fft import in_pocketfft

FUNCTIONS = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"]


def made(name, x):
    """The counterpart for an operand like this."""
    return host_functions[getattr(tnp.fft, name).__wrapped__]([ArrayType(x.shape, x.dtype)])


@pytest.mark.parametrize("letter", "fd")
@pytest.mark.parametrize("shape", [(6, 5), (1, 1), (3, 4, 7), (300, 300)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_gives_what_the_operations_give(name, shape, letter):
    x = np.random.default_rng(0).standard_normal(shape).astype(letter)
    (found,) = made(name, x)(x)
    with X64.override(True):
        expected = np.asarray(getattr(tnp.fft, name).__wrapped__(x))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    size = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=100 * np.finfo(letter).eps * size)
    np.testing.assert_allclose(
        found, getattr(np.fft, name)(x.astype("d")), atol=100 * np.finfo(letter).eps * size
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_not_finite_is_left_to_the_operations(name):
    for numbers in ([np.nan], [np.inf], [np.inf, -np.inf]):
        for shape in [(2, 3), (2, 3, 4)]:
            x = np.ones(shape)
            x.flat[-len(numbers) :] = numbers
            assert made(name, x)(x) is None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_types_have_no_counterpart(name):
    for x in (np.ones((2, 2), complex), np.ones((2, 2), int), np.ones((0, 2)), np.float32(1)):
        assert made(name, x) is None


def test_two_axes_are_needed_for_two():
    assert made("fft2", np.ones(3)) is None
    assert made("fftn", np.ones(3)) is not None


def test_without_the_module_there_are_no_counterparts(monkeypatch):
    monkeypatch.setattr(in_pocketfft, "module_or_none", lambda *names: None)
    assert made("fft", np.ones(3)) is None
