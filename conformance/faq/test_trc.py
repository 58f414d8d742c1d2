"""TRC: tracers and NumPy, and the ways out: printing and callbacks."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row
from treadle import core, errors, lax
from treadle.experimental import io_callback
from treadle.interpreters import partial_eval


@row("TRC-01")
def test_trc_01_the_type_inside_jit(capsys: pytest.CaptureFixture[str]) -> None:
    sut.jit(lambda x: (print(type(x)), x)[1])(1.0)
    assert capsys.readouterr().out == (
        "<class 'treadle.interpreters.partial_eval.DynamicJaxprTracer'>\n"
    )


@row("TRC-02")
def test_trc_02_jit_tracers_have_a_public_class() -> None:
    seen: list[type] = []
    sut.jit(lambda x: (seen.append(type(x)), x)[1])(1.0)  # type: ignore[func-returns-value]
    assert seen == [partial_eval.DynamicJaxprTracer]
    assert issubclass(seen[0], core.Tracer)


TO_NUMPY: Final[dict[str, Callable[[Any], Any]]] = {
    "asarray": np.asarray,
    "array": np.array,
    "sin": np.sin,
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.item(),
}


@row("TRC-03")
@pytest.mark.parametrize("convert", TO_NUMPY.values(), ids=TO_NUMPY)
def test_trc_03_a_tracer_cannot_become_a_numpy_array(convert: Callable[[Any], Any]) -> None:
    runs: list[Callable[[Any], Any]] = [
        lambda f: sut.jit(f)(1.0),
        lambda f: sut.vmap(f)(tnp.ones(2)),
        lambda f: sut.make_jaxpr(f)(1.0),
    ]
    for run in runs:
        with pytest.raises(TypeError):
            run(lambda x: (convert(x), x)[1])


@row("TRC-04")
def test_trc_04_its_error_class() -> None:
    with pytest.raises(errors.TracerArrayConversionError):
        sut.jit(lambda x: np.asarray(x))(1.0)


@row("TRC-05")
@pytest.mark.parametrize(
    "run",
    [
        lambda f: lax.scan(lambda c, _: (f(c), None), 1.0, None, length=2),
        lambda f: lax.cond(True, f, lambda x: x, 1.0),
        lambda f: lax.fori_loop(0, 2, lambda i, x: f(x), 1.0),
    ],
    ids=["scan", "cond", "fori"],
)
def test_trc_05_also_inside_functionals(run: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        run(lambda x: np.asarray(x))


@row("TRC-06")
def test_trc_06_debug_print_prints_on_each_call(capfd: pytest.CaptureFixture[str]) -> None:
    @sut.jit
    def f(x: Any) -> Any:
        sut.debug.print("x={} twice={y}", x, y=x * 2)
        return x

    f(1)
    f(2)
    sut.effects_barrier()
    assert capfd.readouterr().out == "x=1 twice=2\nx=2 twice=4\n"


@row("TRC-07")
def test_trc_07_debug_print_under_grad_and_vmap(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        sut.debug.print("v {}", x)
        return x * x

    assert float(sut.grad(f)(3.0)) == 6.0
    sut.effects_barrier()
    assert capfd.readouterr().out == "v 3.0\n"
    sut.vmap(f)(tnp.arange(3))
    sut.effects_barrier()
    assert sorted(capfd.readouterr().out.splitlines()) == ["v 0", "v 1", "v 2"]


@row("TRC-08")
def test_trc_08_pure_callback_runs_host_code() -> None:
    def descending(x: Any) -> Any:
        return np.sort(np.asarray(x))[::-1].copy()

    @sut.jit
    def f(x: Any) -> Any:
        return sut.pure_callback(descending, sut.ShapeDtypeStruct(x.shape, x.dtype), x) * 2

    assert f(tnp.array([2, 3, 1])).tolist() == [6, 4, 2]


@row("TRC-09")
def test_trc_09_pure_callback_under_vmap() -> None:
    def f(x: Any) -> Any:
        result = sut.ShapeDtypeStruct((), x.dtype)
        return sut.pure_callback(
            lambda x: np.sin(x, dtype=np.float32), result, x, vmap_method="sequential"
        )

    x = tnp.arange(3.0)
    np.testing.assert_allclose(np.asarray(sut.vmap(f)(x)), np.sin(np.arange(3.0)), rtol=1e-6)
    np.testing.assert_allclose(
        np.asarray(sut.jit(sut.vmap(f))(x)), np.sin(np.arange(3.0)), rtol=1e-6
    )


def _host_sin(x: Any) -> Any:
    return sut.pure_callback(
        lambda x: np.sin(x, dtype=np.float32), sut.ShapeDtypeStruct((), np.float32), x
    )


@row("TRC-10")
def test_trc_10_pure_callback_has_no_gradient() -> None:
    with pytest.raises(ValueError, match=r"(?i)callback"):
        sut.grad(_host_sin)(1.0)


@row("TRC-11")
def test_trc_11_pure_callback_with_custom_jvp() -> None:
    f = sut.custom_jvp(_host_sin)
    f.defjvp(lambda primals, tangents: (f(*primals), tnp.cos(primals[0]) * tangents[0]))
    np.testing.assert_allclose(float(f(1.0)), math.sin(1.0), rtol=1e-6)
    np.testing.assert_allclose(float(sut.grad(f)(1.0)), math.cos(1.0), rtol=1e-6)
    np.testing.assert_allclose(float(sut.jit(sut.grad(f))(1.0)), math.cos(1.0), rtol=1e-6)


@row("TRC-12")
def test_trc_12_io_callback_sends_values_out_on_each_run() -> None:
    log: list[int] = []

    @sut.jit
    def f(x: Any) -> Any:
        io_callback(lambda x: log.append(int(x)), None, x, ordered=True)
        return x

    for i in range(3):
        f(i)
    sut.effects_barrier()
    assert log == [0, 1, 2]


@row("TRC-13")
def test_trc_13_io_callback_brings_data_in_on_each_run(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "data.npy"

    @sut.jit
    def f(x: Any) -> Any:
        return x + io_callback(lambda: np.load(file), sut.ShapeDtypeStruct((2,), np.float32))

    np.save(file, np.array([1, 2], np.float32))
    assert f(1.0).tolist() == [2.0, 3.0]
    np.save(file, np.array([5, 6], np.float32))
    assert f(1.0).tolist() == [6.0, 7.0]
