"""API: the names that the FAQ uses."""

from __future__ import annotations

import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row
from treadle import lax, nn


@row("API-01")
@pytest.mark.parametrize(
    "name",
    [
        "jit",
        "grad",
        "vmap",
        "pmap",
        "jvp",
        "vjp",
        "jacfwd",
        "jacrev",
        "make_jaxpr",
        "device_put",
        "devices",
        "default_device",
        "pure_callback",
        "config",
        "Array",
        "debug",
    ],
)
def test_api_01_transforms_at_top_level(name: str) -> None:
    assert hasattr(sut, name)


@row("API-02")
def test_api_02_pjit_is_jit() -> None:
    assert sut.pjit is sut.jit
    assert float(sut.pjit(lambda x: x + 1)(1.0)) == 2.0


@row("API-03")
def test_api_03_xla_computation_returns_hlo_text() -> None:
    text = sut.xla_computation(lambda x: tnp.cos(x))(0.0).as_hlo_text()
    assert "cosine" in text
    assert text.startswith("HloModule")


@row("API-04")
@pytest.mark.parametrize(
    "name",
    [
        "log",
        "exp",
        "sqrt",
        "where",
        "cos",
        "sin",
        "abs",
        "sign",
        "round",
        "floor",
        "ceil",
        "maximum",
        "max",
        "greater",
        "argsort",
        "argmax",
        "array",
        "arange",
        "ones",
        "zeros",
        "full",
        "eye",
        "pi",
        "ndarray",
        "int32",
        "float32",
        "sum",
    ],
)
def test_api_04_array_functions(name: str) -> None:
    assert hasattr(tnp, name)


@row("API-05")
def test_api_05_control_flow_functionals() -> None:
    for function in (lax.scan, lax.cond, lax.while_loop, lax.fori_loop):
        assert callable(function)


@row("API-06")
def test_api_06_smooth_functions() -> None:
    for function in (nn.sigmoid, nn.softmax, nn.soft_sign, nn.softplus, nn.relu, nn.squareplus):
        assert callable(function)


@row("API-07")
def test_api_07_import_spellings_name_the_same_objects() -> None:
    from treadle import (  # noqa: PLC0415 - the spelling is what is tested
        device_put,
        jit,
        numpy as jnp,
        tree_util,
    )
    from treadle.experimental import io_callback  # noqa: PLC0415

    assert jnp is tnp
    assert jit is sut.jit
    assert device_put is sut.device_put
    assert tree_util.tree_map is sut.tree_util.tree_map
    assert callable(io_callback)


@row("API-08")
def test_api_08_arrays_print_as_numpy_would(capsys: pytest.CaptureFixture[str]) -> None:
    print(tnp.array(6))
    print(tnp.array(1.0))
    print(tnp.array([0.0, 0.0, 1.0]))
    assert capsys.readouterr().out == "6\n1.0\n[0. 0. 1.]\n"
