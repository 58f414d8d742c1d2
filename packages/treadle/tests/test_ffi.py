"""`treadle.ffi`: functions compiled from C++ against jaxlib's headers, called by programs."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import ffi
from treadle.errors import (
    ArgumentError,
    DerivativeError,
    ExecutionError,
    MissingRuleError,
    UnsupportedError,
)

F32 = np.float32
SOURCE = Path(__file__).with_name("foreign_targets.cc")
COMPILER = shutil.which("g++") or shutil.which("clang++")
X = np.arange(12, dtype=F32).reshape(3, 4) - 5


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The compiled targets, registered by the names of their symbols."""
    if COMPILER is None:
        pytest.skip("there is no C++ compiler here")
    path = tmp_path_factory.mktemp("ffi") / "targets.so"
    command = [COMPILER, "-std=c++17", "-shared", "-fPIC", "-O1", "-w"]
    subprocess.run([*command, f"-I{ffi.include_dir()}", str(SOURCE), "-o", str(path)], check=True)
    loaded = ctypes.cdll.LoadLibrary(str(path))
    for name in ("rms_norm", "in_memory", "attributes", "counted"):
        ffi.register_ffi_target(f"test_{name}", ffi.pycapsule(getattr(loaded, name)))
    loaded.calls.restype = ctypes.c_int64
    return loaded


def like(x: Any) -> Any:
    return treadle.ShapeDtypeStruct(x.shape, F32)


def rms_norm(x: Any, eps: float = 0.5, vmap_method: Any = "broadcast_all") -> Any:
    return ffi.ffi_call("test_rms_norm", like(x), vmap_method=vmap_method)(x, eps=F32(eps))


def expected(x: Any, eps: float = 0.5) -> Any:
    x = np.asarray(x, np.float64)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps)


def close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-6, atol=1e-6)


def test_runs_by_itself_and_compiled(library: ctypes.CDLL) -> None:
    close(rms_norm(X), expected(X))
    close(treadle.jit(rms_norm)(X), expected(X))
    close(treadle.jit(lambda x: tnp.sin(rms_norm(x * 2)).sum())(X), np.sin(expected(2 * X)).sum())
    assert rms_norm(X[:, :0]).shape == (3, 0)


def test_in_loops_and_branches(library: ctypes.CDLL) -> None:
    def twice(x: Any) -> Any:
        return treadle.lax.fori_loop(0, 2, lambda _, x: rms_norm(x), x)

    close(treadle.jit(twice)(X), expected(expected(X)))
    branch = treadle.jit(lambda p, x: treadle.lax.cond(p, rms_norm, lambda x: x, x))
    close(branch(True, X), expected(X))
    close(branch(False, X), X)


METHODS = ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [0, 1])
def test_batches_as_its_method_says(library: ctypes.CDLL, method: str, axis: int) -> None:
    function = functools.partial(rms_norm, vmap_method=method)
    wanted = np.moveaxis(expected(np.moveaxis(X, axis, 0)), 0, axis)
    mapped = treadle.vmap(function, in_axes=axis, out_axes=axis)
    close(mapped(X), wanted)
    close(treadle.jit(mapped)(X), wanted)
    stacked = np.stack([X, 2 * X])
    close(treadle.vmap(treadle.vmap(function))(stacked), expected(stacked))


def test_a_batch_without_a_method_is_refused(library: ctypes.CDLL) -> None:
    with pytest.raises(MissingRuleError, match="test_rms_norm"):
        treadle.vmap(functools.partial(rms_norm, vmap_method=None))(X)


def test_has_the_derivative_that_custom_jvp_gives_it(library: ctypes.CDLL) -> None:
    with pytest.raises(DerivativeError, match="test_rms_norm"):
        treadle.grad(lambda x: rms_norm(x).sum())(X)

    @treadle.custom_jvp
    def norm(x: Any) -> Any:
        return rms_norm(x)

    def plain(x: Any) -> Any:
        return x / tnp.sqrt((x**2).mean(-1, keepdims=True) + 0.5)

    @norm.defjvp
    def norm_jvp(primals: Any, tangents: Any) -> Any:
        return norm(*primals), treadle.jvp(plain, primals, tangents)[1]

    wanted = treadle.grad(lambda x: tnp.sin(plain(x)).sum())(X)
    close(treadle.jit(treadle.grad(lambda x: tnp.sin(norm(x)).sum()))(X), wanted)


@pytest.mark.parametrize("run", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_what_the_target_reports_is_an_error_with_the_users_line(
    library: ctypes.CDLL, run: Callable[..., Any]
) -> None:
    def function(x: Any) -> Any:
        return tnp.sin(rms_norm(x @ x.T)).sum()

    with pytest.raises(
        ExecutionError, match=r"expected F32 but got S32.*'test_rms_norm'"
    ) as caught:
        run(function)(tnp.ones((64, 64), np.int32))
    if run is treadle.jit:
        assert "test_ffi.py" in str(caught.value)
        assert "in rms_norm" in str(caught.value)
    with pytest.raises(ExecutionError, match="rms_norm needs an axis"):
        run(rms_norm)(F32(3))
    with pytest.raises(ExecutionError, match=r"ttribute"):
        run(lambda x: ffi.ffi_call("test_rms_norm", like(x))(x, epsilon=F32(1)))(X)


def test_attributes_arrive_by_kind(library: ctypes.CDLL) -> None:
    declared = treadle.ShapeDtypeStruct((6,), F32)
    got = ffi.ffi_call("test_attributes", declared)(
        flag=True,
        whole=-7,
        real=2.5,
        text='say "\n"',
        numbers=np.array([1, 2, 3], np.int32),
        nested={"inner": 9},
    )
    assert np.asarray(got).tolist() == [1, -7, 2.5, 7, 6, 9]


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_results_and_layouts(library: ctypes.CDLL, kind: type) -> None:
    declared = kind([like(X), treadle.ShapeDtypeStruct((), np.int32)])
    elements, count = got = ffi.ffi_call("test_in_memory", declared)(X)
    assert type(got) is kind
    assert int(count) == 12
    close(elements, X)
    columns = ffi.ffi_call("test_in_memory", declared, input_layouts=[(1, 0)])
    close(columns(X)[0], X.T.reshape(3, 4))
    both = ffi.ffi_call(
        "test_in_memory", declared, input_layouts=[(1, 0)], output_layouts=[(1, 0), None]
    )
    close(both(X)[0], X)
    close(treadle.vmap(lambda x: x)(both(X)[0]), X)


def test_layouts_follow_a_batch(library: ctypes.CDLL) -> None:
    declared = [treadle.ShapeDtypeStruct((3, 4), F32), treadle.ShapeDtypeStruct((), np.int32)]
    stacked = np.stack([X, 2 * X])
    for method in ("sequential", "sequential_unrolled"):
        call = ffi.ffi_call("test_in_memory", declared, input_layouts=[(1, 0)], vmap_method=method)
        elements, counts = treadle.vmap(call)(stacked)
        close(elements, np.stack([x.T.reshape(3, 4) for x in stacked]))
        assert np.asarray(counts).tolist() == [12, 12]


def test_memory_is_taken_over_only_where_it_has_no_other_use(library: ctypes.CDLL) -> None:
    call = ffi.ffi_call("test_counted", like(X), input_output_aliases={0: 0})
    x = tnp.asarray(X)
    close(call(x), X + 1)
    close(x, X)
    close(treadle.jit(lambda x: call(x) + x)(x), 2 * X + 1)


def test_effects_are_kept(library: ctypes.CDLL) -> None:
    def unused(effect: bool) -> Any:
        def function(x: Any) -> Any:
            ffi.ffi_call("test_counted", like(x), has_side_effect=effect)(x)
            return x

        return treadle.jit(function)

    counts = []
    for effect in (False, True):
        before = library.calls()
        close(unused(effect)(X), X)
        counts.append(library.calls() - before)
    assert counts == [0, 1]


SEVERAL = """
import ctypes, sys
import numpy as np
import treadle
from treadle import ffi
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P

library = ctypes.cdll.LoadLibrary(sys.argv[1])
ffi.register_ffi_target("rms_norm", ffi.pycapsule(library.rms_norm))
mesh = treadle.make_mesh((4,), ("x",), (AxisType.Auto,))
parts = NamedSharding(mesh, P("x"))
x = np.arange(24, dtype=np.float32).reshape(8, 3)

def norm(x):
    declared = treadle.ShapeDtypeStruct(x.shape, np.float32)
    return ffi.ffi_call("rms_norm", declared, vmap_method="broadcast_all")(x, eps=np.float32(0.5))

def check(y):
    np.testing.assert_allclose(y, x / np.sqrt((x**2).mean(-1, keepdims=True) + 0.5), rtol=1e-6)

laid = treadle.device_put(x, parts)
check(norm(laid))
check(treadle.jit(norm)(laid))
mapped = treadle.jit(treadle.shard_map(norm, mesh=mesh, in_specs=P("x"), out_specs=P("x")))
check(mapped(laid))
assert mapped(laid).sharding.spec == P("x")
ffi.register_ffi_target_as_batch_partitionable("rms_norm")
partitioned = treadle.jit(norm, out_shardings=parts)
check(partitioned(laid))
print("done")
"""


def test_over_several_devices(library: ctypes.CDLL) -> None:
    """The call sees replicated arrays by default, shards within shard_map."""
    run = subprocess.run(
        [sys.executable, "-c", SEVERAL, library._name],
        env={**os.environ, "TREADLE_NUM_CPU_DEVICES": "4"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.stdout.strip() == "done", run.stderr


def test_programs_name_the_target() -> None:
    program = treadle.make_jaxpr(rms_norm)(X)
    (equation,) = program.jaxpr.eqns
    assert equation.primitive.name == "ffi_call"
    assert equation.params["target_name"] == "test_rms_norm"
    text = treadle.jit(rms_norm).lower(X).as_text()
    assert "@test_rms_norm" in text
    assert "eps = 5.000000e-01 : f32" in text


def test_registrations_are_checked(library: ctypes.CDLL) -> None:
    capsule = ffi.pycapsule(library.counted)
    ffi.register_ffi_target("test_counted", capsule)  # the same again
    ffi.register_ffi_target("test_by_stage", {"execute": capsule})
    close(ffi.ffi_call("test_by_stage", like(X))(X), X + 1)
    with pytest.raises(ArgumentError, match="refuses"):
        ffi.register_ffi_target("test_counted", ffi.pycapsule(library.rms_norm))
    with pytest.raises(ArgumentError, match="must provide an execute"):
        ffi.register_ffi_target("test_no_stage", {"running": capsule})
    with pytest.raises(ArgumentError, match="capsule"):
        ffi.register_ffi_target("test_no_capsule", library.counted)
    with pytest.raises(ArgumentError, match="ctypes"):
        ffi.pycapsule(len)
    with pytest.raises(ArgumentError, match="type_registration"):
        ffi.register_ffi_type("test_type", 3)
    with pytest.raises(ArgumentError, match="type_id"):
        ffi.register_ffi_type("test_type", {"other": capsule})
    with pytest.raises(UnsupportedError, match="register_ffi_type"):
        ffi.register_ffi_type_id("test_type", capsule)
    with pytest.raises(ArgumentError, match="string"):
        ffi.register_ffi_target_as_batch_partitionable(3)  # type: ignore[arg-type]
