from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, ConcretizationError
from treadle.extend import core


def test_the_state_of_tracing() -> None:
    outside = core.get_opaque_trace_state()
    seen: list[Any] = []

    def f(x: Any) -> Any:
        seen.append(
            (
                core.get_opaque_trace_state() == outside,
                core.get_opaque_trace_state() == core.get_opaque_trace_state(),
                core.unsafe_am_i_under_a_jit_DO_NOT_USE(),
                core.unsafe_am_i_under_a_vmap_DO_NOT_USE(),
                core.unsafe_get_axis_names_DO_NOT_USE(),
            )
        )
        return x

    f(1.0)
    treadle.jit(f)(1.0)
    treadle.vmap(f, axis_name="i")(np.ones(2))
    assert seen == [
        (True, True, False, False, []),
        (False, True, True, False, []),
        (False, True, False, True, ["i"]),
    ]


def test_a_mesh_and_settings_are_no_part_of_the_state_of_tracing() -> None:
    outside = core.get_opaque_trace_state()
    with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        assert core.get_opaque_trace_state() == outside
    with treadle.default_matmul_precision("highest"):
        assert core.get_opaque_trace_state() == outside


def test_operations_are_given_to_a_trace() -> None:
    with core.take_current_trace() as outside:
        assert outside is core.find_top_trace(())
    seen = []

    def f(x: Any) -> Any:
        with core.set_current_trace(outside):
            seen.append(float(tnp.sin(0.0)))
        return x

    treadle.jit(f)(1.0)
    assert seen == [0.0]
    with pytest.raises(ArgumentError, match="a trace"):
        core.set_current_trace(3)  # type: ignore[arg-type]


def test_types_of_batches() -> None:
    aval = treadle.typeof(np.ones((3, 2), np.float32))
    assert core.unmapped_aval(3, 0, core.mapped_aval(3, 0, aval)) == aval
    assert core.mapped_aval(3, None, aval) is aval
    assert core.unmapped_aval(3, None, aval) is aval
    with pytest.raises(ArgumentError, match="size 4"):
        core.mapped_aval(4, 0, aval)
    with pytest.raises(ArgumentError, match="unmapped_aval"):
        core.unmapped_aval(4, 7, aval)


def test_values() -> None:
    assert core.valid_jaxtype(np.float32(1.0))
    assert not core.valid_jaxtype(object())
    assert core.concrete_or_error(int, 3.0) == 3
    assert core.primal_dtype_to_tangent_dtype(np.float32) == np.float32
    assert core.primal_dtype_to_tangent_dtype(np.int32) == treadle.float0
    with pytest.raises(ConcretizationError):
        treadle.jit(lambda x: core.concrete_or_error(int, x))(1.0)


def test_axes_for_collectives() -> None:
    seen: list[bool] = []

    def f(x: Any) -> Any:
        seen.append(core.nonempty_axis_env_DO_NOT_USE())
        return x

    f(1.0)
    treadle.vmap(f)(np.ones(2))
    treadle.vmap(f, axis_name="rows")(np.ones(2))
    assert seen == [False, False, True]


def test_programs_are_checked() -> None:
    jaxpr = treadle.make_jaxpr(lambda x: tnp.sin(x) + 1)(1.0).jaxpr
    core.check_jaxpr(jaxpr)
    (sine, add) = jaxpr.eqns
    swapped = core.Jaxpr(jaxpr.constvars, jaxpr.invars, jaxpr.outvars, [add, sine])
    with pytest.raises(core.JaxprTypeError):
        core.check_jaxpr(swapped)
    with pytest.raises(ArgumentError, match="check_jaxpr"):
        core.check_jaxpr(3)  # type: ignore[arg-type]


def test_classes_of_arrays() -> None:
    assert {np.ndarray, np.float32, np.bool_} <= core.array_types
    assert str not in core.array_types
    assert isinstance(treadle.lax.create_token(), core.Token)
