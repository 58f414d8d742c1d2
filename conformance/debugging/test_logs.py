"""What is logged and refused when a function is traced: `log_compiles`, `explain_cache_misses`, `no_tracing`, leaks."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.platform import environment, skip_without_devices
from treadle.errors import (
    ArgumentError,
    EscapedTracerError,
    LeakedTracerError,
    TracingError,
    VerifyError,
)


@pytest.mark.cpu
def test_log_compiles_tells_of_first_calls(caplog: pytest.LogCaptureFixture) -> None:
    def logged(x: Any) -> Any:
        return tnp.sin(x) * 3.5

    f = treadle.jit(logged)
    with treadle.log_compiles():
        f(1.0)
        first = caplog.text
        f(2.0)
    assert caplog.text == first
    assert "Finished tracing logged" in first
    assert "Finished lowering logged for cpu" in first
    assert (
        "Finished XLA compilation of logged" in first or "Found the executable of logged" in first
    )
    assert {record.levelno for record in caplog.records} == {logging.WARNING}
    caplog.clear()
    f(tnp.ones(2))
    assert not caplog.records


def test_at_debug_level_it_is_logged_without_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="treadle"):
        treadle.jit(lambda x: x * 4.5)(1.0)
    assert "Finished lowering" in caplog.text
    assert "never traced before" in caplog.text
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}


def test_the_logging_level_adds_a_handler(capsys: pytest.CaptureFixture[str]) -> None:
    treadle.config.update("jax_logging_level", "DEBUG")
    treadle.jit(lambda x: x * 5.5)(1.0)
    assert "DEBUG:treadle: Finished lowering" in capsys.readouterr().err
    treadle.config.update("jax_logging_level", "NOTSET")
    treadle.jit(lambda x: x * 6.5)(1.0)
    assert not capsys.readouterr().err
    assert not logging.getLogger("treadle").handlers


def explanation(caplog: pytest.LogCaptureFixture, *calls: Any) -> str:
    for call in calls[:-1]:
        call()
    caplog.clear()
    with treadle.explain_cache_misses():
        calls[-1]()
    return caplog.text


def test_misses_are_explained(caplog: pytest.LogCaptureFixture) -> None:
    def scaled(x: Any, *, times: int = 2, name: str = "") -> Any:
        return treadle.tree.map(lambda leaf: leaf * times, x)

    f = treadle.jit(scaled, static_argnames=("times", "name"))
    x = np.ones(3, np.float32)
    assert "never traced before: scaled, of " in explanation(caplog, lambda: f(x))
    assert "argument x has a different type: f32[4] now, f32[3] before" in explanation(
        caplog, lambda: f(np.ones(4, np.float32))
    )
    assert "static arguments differ: times = 3 now, none before" in explanation(
        caplog, lambda: f(x, times=3)
    )
    assert "another structure: at [0]: tuple" in explanation(caplog, lambda: f((x,)))
    assert "weak type" in explanation(caplog, lambda: f(np.float32(1)), lambda: f(1.0))

    def with_x64() -> None:
        with treadle.enable_x64():
            f(x)

    assert "the context differs: enable_x64 is True, was False" in explanation(caplog, with_x64)
    assert not explanation(caplog, lambda: f(x))


def test_a_function_that_is_defined_again_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    def call() -> None:
        treadle.jit(lambda x: x + 1)(1.0)

    text = explanation(caplog, call, call)
    assert "never traced before" in text
    assert "defined again" in text


def test_no_tracing_refuses_new_signatures_only() -> None:
    f = treadle.jit(lambda x: x + 1)
    f(1.0)
    with treadle.no_tracing():
        assert f(2.0) == 3
        with pytest.raises(TracingError, match="re-tracing function <lambda> for `jit`") as caught:
            f(tnp.ones(3))
    assert isinstance(caught.value, RuntimeError)
    f(tnp.ones(3))


class Holder:
    value: Any = None


HOLDER, KEPT = Holder(), []  # type: ignore[var-annotated]


def test_leaks_are_found_when_the_transformation_ends() -> None:
    def into_an_object(x: Any) -> Any:
        HOLDER.value = tnp.sin(x)  # where it is made
        return x

    def into_a_list(x: Any, _: Any = None) -> Any:
        KEPT.append(x)
        return x, x

    leaks = {
        "in a Holder, in the variable HOLDER": lambda: treadle.jit(into_an_object)(1.0),
        "in a list, in the variable KEPT": lambda: treadle.jit(into_a_list)(1.0),
        "in a list": lambda: treadle.vmap(into_a_list)(tnp.ones(2)),
        "in a list, ": lambda: treadle.lax.scan(into_a_list, 1.0, tnp.ones(2)),
    }
    for where, call in leaks.items():
        with treadle.checking_leaks(), pytest.raises(LeakedTracerError) as caught:
            call()
        assert where in str(caught.value)
        KEPT.clear()
        HOLDER.value = None
    into = treadle.jit(into_an_object)
    into(1.0)
    with pytest.raises(EscapedTracerError):
        HOLDER.value + 1
    HOLDER.value = None


def kept(x: Any) -> Any:
    KEPT.append(x)
    return x


@pytest.mark.parametrize(
    "differentiate",
    [
        lambda: treadle.grad(kept)(1.0),
        lambda: treadle.value_and_grad(lambda x: kept(2 * x))(1.0),
        lambda: treadle.vjp(kept, 1.0),
        lambda: treadle.linearize(kept, 1.0),
        lambda: treadle.jacrev(kept)(1.0),
        lambda: treadle.hessian(lambda x: kept(x) ** 2)(1.0),
        lambda: treadle.grad(lambda x: treadle.grad(kept)(x))(1.0),
        lambda: treadle.fwd_and_bwd(kept, argnums=0)[0](1.0),
    ],
)
def test_leaks_of_derivatives_are_found(differentiate: Any) -> None:
    """As in JAX since 0.12; JAX 0.10 let them be."""
    try:
        differentiate()  # without the setting nothing is checked
        with treadle.checking_leaks(), pytest.raises(LeakedTracerError, match="in a list"):
            differentiate()
    finally:
        KEPT.clear()


def keeping_what_is_computed_at_once(x: Any) -> Any:
    KEPT.append(tnp.ones(2))
    return x


def test_what_does_not_leak_is_let_be() -> None:
    with treadle.check_tracer_leaks(True):
        treadle.grad(lambda x: (x, {"aux": 2 * x}), has_aux=True)(1.0)
        treadle.vjp(lambda x: (x, x), 1.0, has_aux=True)
        treadle.linearize(lambda x: (x, x), 1.0, has_aux=True)
        treadle.jacrev(lambda x: (x, x), has_aux=True)(1.0)
        treadle.grad(keeping_what_is_computed_at_once)(1.0)
        KEPT.clear()
        treadle.jit(treadle.hessian(lambda x: tnp.sin(x).sum()))(tnp.ones(2))
        treadle.vmap(treadle.grad(treadle.jit(lambda x: tnp.cos(x))))(tnp.ones(2))
        treadle.lax.cond(True, lambda x: x, lambda x: x + 1, 1.0)
        treadle.grad(treadle.checkpoint(lambda x: tnp.sin(x)))(1.0)
    gc.collect()


def test_enable_checks_verifies_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(program: Any) -> None:
        raise VerifyError("as if it were broken", where="")

    monkeypatch.setattr("treadle_ir.analysis.verifier.verify", broken)
    treadle.jit(lambda x: x + 7)(1.0)
    with treadle.enable_checks(), pytest.raises(VerifyError):
        treadle.jit(lambda x: x + 8)(1.0)
    monkeypatch.undo()
    with treadle.enable_checks():
        treadle.jit(treadle.grad(lambda x: tnp.sin(x) * 2))(1.0)


def test_programs_are_dumped(tmp_path: Path) -> None:
    def dumped(x: Any) -> Any:
        return tnp.sin(x) * 9.5

    treadle.config.update("jax_dump_ir_to", str(tmp_path / "ir"))
    treadle.config.update("jax_dump_ir_modes", "stablehlo,jaxpr")
    treadle.jit(dumped)(1.0)
    (module,) = (tmp_path / "ir").glob("*dumped*.mlir")
    (program,) = (tmp_path / "ir").glob("*dumped*.treadle")
    assert "stablehlo.sine" in module.read_text()
    assert "test_logs.py" in module.read_text()
    assert "sine" in program.read_text()
    treadle.config.update("jax_include_debug_info_in_dumps", False)
    treadle.config.update("jax_dump_ir_modes", "stablehlo")
    treadle.jit(lambda x: dumped(x) + 1)(1.0)
    assert not any("test_logs.py" in path.read_text() for path in tmp_path.glob("ir/*lambda*.mlir"))
    with pytest.raises(ArgumentError, match="names 'hlo', which is none of"):
        treadle.config.update("jax_dump_ir_modes", "hlo")
    (tmp_path / "file").write_text("")
    treadle.config.update("jax_dump_ir_to", tmp_path / "file")
    with pytest.raises(ArgumentError, match="cannot write"):
        treadle.jit(lambda x: dumped(x) + 2)(1.0)


def test_large_captured_arrays_are_warned_of() -> None:
    large = tnp.ones(1000)
    treadle.config.update("jax_captured_constants_warn_bytes", 4000)
    treadle.config.update("jax_captured_constants_report_frames", -1)
    with pytest.warns(
        UserWarning, match=r"captured arrays of 4000 bytes(.|\n)*f32\[1000\], used at"
    ):
        treadle.jit(lambda x: x + large)(1.0)
    treadle.config.update("jax_captured_constants_warn_bytes", -1)
    treadle.jit(lambda x: x - large)(1.0)


def test_what_checkpoints_store_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    treadle.config.update("jax_log_checkpoint_residuals", True)
    policy = treadle.checkpoint_policies.everything_saveable
    treadle.grad(treadle.checkpoint(lambda x: tnp.sin(tnp.cos(x)), policy=policy))(1.0)
    assert "checkpoint stores:" in caplog.text
    assert "of cosine at test_logs.py" in caplog.text


def test_callers_are_remembered_on_request() -> None:
    def innermost(x: Any) -> Any:
        return tnp.sin(x)

    def middle(x: Any) -> Any:
        return innermost(x)

    treadle.config.update("jax_include_full_tracebacks_in_locations", True)
    program = treadle.make_jaxpr(middle)(1.0).program
    shown = program.equations[0].source.show()
    assert "in test_callers_are_remembered_on_request.<locals>.innermost" in shown.splitlines()[0]
    assert "called from test_logs.py" in shown.splitlines()[1]
    assert len(shown.splitlines()) <= 5
    treadle.config.update("jax_tracer_error_num_traceback_frames", 1)
    program = treadle.make_jaxpr(lambda x: middle(x))(1.0).program
    assert len(program.equations[0].source.show().splitlines()) == 1


def test_misses_name_arguments_and_compare_with_the_last_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @partial(treadle.jit, static_argnums=1)
    def f(x: Any, how: Any) -> Any:
        return x

    class Way:
        def __repr__(self) -> str:
            return "<a way>"

    one, two = Way(), Way()
    x = np.ones(3, np.float32)
    for size in (3, 4, 5):
        f(np.ones(size, np.float32), one)
    assert "argument x has a different type: f32[6] now, f32[5] before" in explanation(
        caplog, lambda: f(np.ones(6, np.float32), one)
    )
    text = explanation(caplog, lambda: f(x, two))
    assert "static arguments differ: how = <a way>, which equals itself only now" in text
    assert "Identity object" not in text


PLACES = """
import logging, treadle, treadle.numpy as tnp
f = treadle.jit(lambda x, y: x + y)
f(tnp.ones(3), tnp.ones(3))
with treadle.explain_cache_misses():
    f(tnp.ones(3), treadle.device_put(tnp.ones(3), treadle.devices()[1]))
"""


def test_misses_by_place_are_explained(tmp_path: Path) -> None:
    skip_without_devices(2)
    (tmp_path / "places.py").write_text(PLACES)
    done = subprocess.run(
        [sys.executable, "places.py"],
        cwd=tmp_path,
        env={**os.environ, **environment(devices=2)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "COMPILATION CACHE MISS at places.py:6, in <module>:  f(tnp.ones(3), " in done.stderr
    assert "argument y has a different placement: " in done.stderr
    assert "argument x" not in done.stderr


def test_the_garbage_collector_runs_only_where_something_may_have_leaked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from treadle_ir.tracing import leaks  # noqa: PLC0415 - for this test

    collected = []
    monkeypatch.setattr(leaks.gc, "collect", lambda: collected.append(1))  # type: ignore[attr-defined]
    f = treadle.jit(lambda x: treadle.vmap(lambda y: tnp.sin(y) * 2)(x) + 1)
    kept: list[Any] = []
    with treadle.checking_leaks():
        f(tnp.ones(3))
        treadle.lax.scan(lambda c, x: (c + x, x), 1.0, tnp.ones(3))
        assert not collected
        with pytest.raises(treadle.errors.LeakedTracerError):
            treadle.jit(kept.append)(1.0)
    assert collected
