"""GRD: where a gradient is right, where it is zero, where it does not exist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.special

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import output_of, row
from treadle import errors, lax, nn
from treadle.scipy import special


def _gradients(function: Any, *points: float) -> list[float]:
    return [float(sut.grad(function)(x)) for x in points]


def vector_output(x: Any) -> Any:
    return tnp.array([tnp.sin(x), tnp.cos(x)])


@row("GRD-01")
def test_grd_01_sign_is_flat() -> None:
    assert _gradients(tnp.sign, -2.0, 3.0) == [0.0, 0.0]


@row("GRD-02")
def test_grd_02_sign_at_zero() -> None:
    assert _gradients(tnp.sign, 0.0) == [0.0]


@row("GRD-03")
@pytest.mark.parametrize("name", ["round", "floor", "ceil"])
def test_grd_03_rounding_is_flat(name: str) -> None:
    assert _gradients(getattr(tnp, name), -1.5, 0.3, 2.7) == [0.0, 0.0, 0.0]


@row("GRD-04")
@pytest.mark.parametrize("name", ["round", "floor", "ceil"])
def test_grd_04_rounding_at_its_jumps(name: str) -> None:
    assert _gradients(getattr(tnp, name), -1.0, 0.0, 2.0, 2.5) == [0.0, 0.0, 0.0, 0.0]


@row("GRD-05")
def test_grd_05_an_integer_cast_stops_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    def cast_and_square(x: Any) -> Any:
        return x.astype(tnp.int32).astype(tnp.float32) ** 2

    print(f"Gradient of cast_and_square at 2.7: {sut.grad(cast_and_square)(2.7)}")
    assert capsys.readouterr().out == "Gradient of cast_and_square at 2.7: 0.0\n"


@row("GRD-06")
def test_grd_06_comparisons_are_locally_constant() -> None:
    assert (tnp.array(2.0) > 0).dtype == np.bool_
    assert _gradients(lambda x: (x > 0) * 1.0, -2.0, 2.0) == [0.0, 0.0]


@row("GRD-07")
def test_grd_07_abs_off_zero() -> None:
    assert _gradients(tnp.abs, -3.0, 3.0) == [-1.0, 1.0]


@row("GRD-08")
def test_grd_08_abs_at_the_kink(capsys: pytest.CaptureFixture[str]) -> None:
    print(sut.grad(tnp.abs)(0.0))
    assert capsys.readouterr().out == "0.0\n"


@row("GRD-09")
def test_grd_09_maximum_and_relu_at_the_kink() -> None:
    assert _gradients(lambda x: tnp.maximum(x, 0.0), -1.0, 0.0, 2.0) == [0.0, 0.5, 1.0]
    assert _gradients(nn.relu, -1.0, 0.0, 2.0) == [0.0, 0.0, 1.0]


@row("GRD-10")
def test_grd_10_log_near_zero_is_steep(capsys: pytest.CaptureFixture[str]) -> None:
    print(sut.grad(tnp.log)(1e-20))
    print(f"{sut.grad(tnp.log)(1e-20)}")
    assert capsys.readouterr().out == "1e+20\n1.0000000200408773e+20\n"


@row("GRD-11")
def test_grd_11_log_at_zero() -> None:
    assert _gradients(tnp.log, 0.0) == [math.inf]


@row("GRD-12")
def test_grd_12_division_by_tiny_numbers() -> None:
    assert not math.isfinite(sut.grad(lambda x: 1 / x)(1e-25))


@row("GRD-13")
def test_grd_13_logsumexp_is_stable() -> None:
    x = tnp.array([1000.0, 1000.0])
    np.testing.assert_allclose(float(special.logsumexp(x)), 1000 + math.log(2), rtol=1e-6)
    assert sut.grad(special.logsumexp)(x).tolist() == [0.5, 0.5]


@row("GRD-14")
def test_grd_14_log_of_sum_of_exp_is_not() -> None:
    def f(x: Any) -> Any:
        return tnp.log(tnp.sum(tnp.exp(x)))

    x = tnp.array([1000.0, 1000.0])
    assert float(f(x)) == math.inf
    assert np.isnan(np.asarray(sut.grad(f)(x))).all()


@row("GRD-15")
def test_grd_15_gradients_can_be_clipped() -> None:
    assert float(tnp.clip(sut.grad(tnp.log)(1e-20), -1, 1)) == 1.0


@row("GRD-16")
@pytest.mark.parametrize("prefix", ["jax", "treadle"])
def test_grd_16_float64_by_config(prefix: str) -> None:
    printed = output_of(f"""
import treadle as sut, treadle.numpy as tnp
print(tnp.array(1.0).dtype)
sut.config.update("{prefix}_enable_x64", True)
print(tnp.array(1.0).dtype)
g = sut.grad(tnp.log)(1e-200)
print(g.dtype, g)
""")
    assert printed == "float32\nfloat64\nfloat64 1e+200"


@row("GRD-17")
def test_grd_17_only_the_branch_taken_is_differentiated() -> None:
    assert _gradients(lambda x: x**2 if x > 1.0 else 3.0 * x, 2.0, 0.5, 1.0) == [4.0, 3.0, 3.0]


@row("GRD-18")
def test_grd_18_a_while_on_values() -> None:
    def f(x: Any) -> Any:
        while x < 10:
            x = x * 2
        return x

    assert _gradients(f, 3.0, 11.0) == [4.0, 1.0]


@row("GRD-19")
def test_grd_19_a_for_on_values() -> None:
    def f(x: Any) -> Any:
        y = 1.0
        for _ in range(int(x)):
            y = y * x
        return y

    assert _gradients(f, 3.0) == [27.0]


@row("GRD-20")
def test_grd_20_switching_branches_is_invisible() -> None:
    assert _gradients(lambda x: 1.0 if x > 0 else 0.0, -1.0, 1.0) == [0.0, 0.0]


@row("GRD-21")
def test_grd_21_everything_together() -> None:
    inner = sut.jit(lambda x: tnp.tanh(x) * 2)

    def f(x: Any) -> Any:
        total: Any = 0.0
        for i in range(3):
            total = total + inner(x * i)
        rows = sut.vmap(lambda y: y * tnp.sin(x))(tnp.arange(3.0))
        slope = sut.grad(lambda y: y**3)(x)
        looped = lax.fori_loop(0, 3, lambda i, y: y * x, 1.0)
        chosen = lax.cond(x > 0, lambda: x * 2, lambda: x * 3)
        return total + tnp.sum(rows) + slope + special.erf(x) + looped + chosen

    with sut.enable_x64():
        x, h = 0.7, 1e-6
        expected = (float(f(tnp.array(x + h))) - float(f(tnp.array(x - h)))) / (2 * h)
        np.testing.assert_allclose(float(sut.grad(f)(tnp.array(x))), expected, rtol=1e-7)


@row("GRD-22")
def test_grd_22_random_numbers_of_numpy_are_constants() -> None:
    drawn = np.random.default_rng(0).random()
    rng = np.random.default_rng(0)
    assert _gradients(lambda x: x * rng.random(), 2.0) == [np.float32(drawn)]


@row("GRD-23")
def test_grd_23_numpy_on_regular_data_is_constant() -> None:
    assert _gradients(lambda x: x * np.sum(np.arange(4.0)), 2.0) == [6.0]


@row("GRD-24")
def test_grd_24_numpy_on_a_tracer_raises() -> None:
    with pytest.raises(errors.TracerArrayConversionError, match="NumPy function"):
        sut.grad(lambda x: np.sin(x))(1.0)


@row("GRD-25")
def test_grd_25_a_value_taken_out_is_a_constant() -> None:
    np.testing.assert_allclose(
        _gradients(lambda x: x * np.sin(x.item()), 3.5), [math.sin(3.5)], rtol=1e-6
    )
    assert _gradients(lambda x: x * int(x), 3.5) == [3.0]


@row("GRD-26")
def test_grd_26_external_libraries_are_not_differentiated() -> None:
    erf = scipy.special.erf
    assert _gradients(lambda x: 0.0 * x + erf(x.item()), 0.3) == [0.0]
    assert _gradients(lambda x: erf(x.item()), 0.3) == [0.0]
    assert _gradients(lambda x: x + erf(x.item()), 0.3) == [1.0]


@row("GRD-27")
def test_grd_27_our_own_scipy_is() -> None:
    expected = 2 / math.sqrt(math.pi) * math.exp(-0.09)
    np.testing.assert_allclose(_gradients(special.erf, 0.3), [expected], rtol=1e-6)


@row("GRD-28")
def test_grd_28_np_sum_of_a_tracer_gives_the_true_gradient() -> None:
    gradient = sut.grad(lambda x: tnp.sum(x) * np.sum(x))(tnp.array([1.0, 2.0]))
    assert gradient.tolist() == [6.0, 6.0]


@row("GRD-29")
@pytest.mark.parametrize("transform", [sut.jit, sut.grad])
def test_grd_29_a_leaked_tracer_cannot_be_used(transform: Any) -> None:
    leaked: list[Any] = []

    def f(x: Any) -> Any:
        leaked.append(x * 2)
        return x * 3

    transform(f)(1.0)
    with pytest.raises(errors.UnexpectedTracerError):
        leaked[0] + 1


@row("GRD-30")
def test_grd_30_side_effects_under_pmap_happen_while_tracing() -> None:
    log: list[Any] = []

    def f(x: Any) -> Any:
        log.append("traced")
        return x + 1

    g = sut.pmap(f)
    g(tnp.ones(1))
    after_one = len(log)
    g(tnp.ones(1))
    g(tnp.zeros(1))
    assert after_one >= 1
    assert len(log) == after_one


@row("GRD-31")
def test_grd_31_vector_output_raises() -> None:
    with pytest.raises(TypeError) as caught:
        sut.grad(vector_output)(0.5)
    expected = "Gradient only defined for scalar-output functions. Output had shape: (2,)."
    assert str(caught.value).startswith(expected)


@row("GRD-32")
@pytest.mark.parametrize("shape", [(1,), (2, 2)])
def test_grd_32_rank_counts_not_size(shape: tuple[int, ...]) -> None:
    with pytest.raises(TypeError) as caught:
        sut.grad(lambda x: x * tnp.ones(shape))(0.5)
    assert f"Output had shape: {shape}." in str(caught.value)


@row("GRD-33")
def test_grd_33_several_arrays_one_scalar() -> None:
    a, b = tnp.array([1.0, 2.0]), tnp.array([3.0, 5.0])
    da, db = sut.grad(lambda a, b: tnp.sum(a * b**2), argnums=(0, 1))(a, b)
    assert da.tolist() == [9.0, 25.0]
    assert db.tolist() == [6.0, 20.0]


@row("GRD-34")
def test_grd_34_the_output_must_be_real() -> None:
    with pytest.raises(TypeError, match="real-valued outputs"):
        sut.grad(lambda x: x.astype(tnp.int32))(2.0)


@row("GRD-35")
@pytest.mark.parametrize("jacobian", [sut.jacfwd, sut.jacrev])
def test_grd_35_jacobians(jacobian: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(jacobian(vector_output)(0.5)), [math.cos(0.5), -math.sin(0.5)], rtol=1e-6
    )

    def f(x: Any) -> Any:
        return tnp.array([x[0] * x[1], x[1] * x[2] ** 2])

    np.testing.assert_allclose(
        np.asarray(jacobian(f)(tnp.array([1.0, 2.0, 3.0]))), [[2, 1, 0], [0, 9, 12]], rtol=1e-6
    )


@row("GRD-36")
def test_grd_36_jvp() -> None:
    value, tangent = sut.jvp(vector_output, (0.5,), (2.0,))
    np.testing.assert_allclose(np.asarray(value), [math.sin(0.5), math.cos(0.5)], rtol=1e-6)
    np.testing.assert_allclose(
        np.asarray(tangent), [2 * math.cos(0.5), -2 * math.sin(0.5)], rtol=1e-6
    )


@row("GRD-37")
def test_grd_37_vjp() -> None:
    _, pull = sut.vjp(vector_output, 0.5)
    (cotangent,) = pull(tnp.array([1.0, 3.0]))
    np.testing.assert_allclose(float(cotangent), math.cos(0.5) - 3 * math.sin(0.5), rtol=1e-5)


@row("GRD-38")
def test_grd_38_a_smooth_replacement_of_a_step() -> None:
    assert _gradients(lambda x: tnp.where(x > 0, 1.0, 0.0), 0.0) == [0.0]
    assert _gradients(nn.sigmoid, 0.0) == [0.25]
