"""Programs on a GPU agree with those on the CPU: transformations, callbacks, stages, files, several threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export, lax
from treadle.experimental import checkify, io_callback, serialize_executable

pytestmark = pytest.mark.gpu

X = np.random.default_rng(0).normal(size=(6, 6)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(4, 3, 3, 3)).astype(np.float32)
IMAGES = np.random.default_rng(2).normal(size=(2, 3, 16, 16)).astype(np.float32)


@pytest.fixture(autouse=True)
def whole_products() -> Any:
    """Without TF32, which rounds the factors of products to 11 bits."""
    with treadle.default_matmul_precision("highest"):
        yield


def _pooled(x: Any) -> Any:
    return lax.reduce_window(x, -math.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").sum()


def _of_a_product(x: Any) -> Any:
    return tnp.tanh(x @ x).sum()


def _of_shares(x: Any) -> Any:
    return x / x.sum()


def _convolved(x: Any, w: Any) -> Any:
    return lax.conv_general_dilated(x, w, (2, 1), "VALID").sum()


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "gradient": (treadle.grad(_of_a_product), (X,)),
    "hessian": (treadle.hessian(_of_a_product), (X[:2, :2],)),
    "vmap": (treadle.vmap(_of_shares), (X,)),
    "scan": (lambda x: lax.scan(lambda a, b: (a + b, a * b), tnp.zeros(6), x), (X,)),
    "while": (
        lambda x: lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * 2), (0, x)),
        (X,),
    ),
    "cond": (lambda x: lax.cond(x.sum() > 0, tnp.sin, tnp.cos, x), (X,)),
    "sort": (lambda x: (tnp.sort(x, 1), tnp.argsort(x, 1), lax.top_k(x, 3)), (X,)),
    "sums": (lambda x: (tnp.cumsum(x, 1), lax.associative_scan(tnp.add, x), tnp.median(x)), (X,)),
    "segments": (lambda x: treadle.ops.segment_sum(x, tnp.array([0, 0, 1, 1, 2, 2])), (X,)),
    "fft": (lambda x: (tnp.fft.fft2(x), tnp.fft.irfft(tnp.fft.rfft(x))), (X,)),
    "convolution": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"), (IMAGES, W)),
    "its gradient": (treadle.grad(_convolved, (0, 1)), (IMAGES, W)),
    "pooling": (treadle.grad(_pooled), (IMAGES,)),
    "attention": (
        lambda x: treadle.nn.dot_product_attention(*[x.reshape(2, 16, 3, 16)] * 3, is_causal=True),
        (IMAGES,),
    ),
    "expm": (lambda x: treadle.scipy.linalg.expm(x), (X,)),
    "bits": (lambda x: treadle.random.bits(treadle.random.key(3), (1000,)), (X,)),
    "wide bits": (lambda x: treadle.random.bits(treadle.random.key(3, impl="rbg"), (1000,)), (X,)),
    "normal": (lambda x: treadle.random.normal(treadle.random.key(3), (1000,)), (X,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_gpu_agrees_with_the_cpu(name: str) -> None:
    function, operands = PROGRAMS[name]
    cpu = treadle.devices("cpu")[0]
    found = treadle.jit(function)(*operands)
    with treadle.default_device(cpu):
        expected = treadle.jit(function)(*[treadle.device_put(x, cpu) for x in operands])
    for x, y in zip(treadle.tree.leaves(found), treadle.tree.leaves(expected), strict=True):
        assert x.devices() == {treadle.devices()[0]}
        assert y.devices() == {cpu}
        exact = "bits" in name
        np.testing.assert_allclose(
            np.asarray(x), np.asarray(y), rtol=0 if exact else 2e-4, atol=0 if exact else 2e-4
        )


def test_callbacks() -> None:
    twice = treadle.jit(
        lambda x: treadle.pure_callback(
            lambda a: np.asarray(a) * 2, treadle.ShapeDtypeStruct((6, 6), "f4"), x
        )
    )
    np.testing.assert_array_equal(twice(X), X * 2)
    seen: list[Any] = []

    @treadle.jit
    def noted(x: Any) -> Any:
        def step(i: Any, x: Any) -> Any:
            treadle.debug.callback(lambda j: seen.append(int(j)), i, ordered=True)
            return x + 1

        return lax.fori_loop(0, 3, step, x)

    np.testing.assert_array_equal(noted(X), X + 1 + 1 + 1)
    treadle.effects_barrier()
    assert seen == [0, 1, 2]
    total = treadle.jit(
        lambda x: io_callback(
            lambda a: np.float32(a.sum()), treadle.ShapeDtypeStruct((), "f4"), x, ordered=True
        )
    )
    np.testing.assert_allclose(total(X), X.sum(), rtol=1e-5)


def test_an_error_of_a_callback_is_told_in_its_own_words() -> None:
    def bad(_: Any) -> Any:
        raise ValueError("no such thing")

    failing = treadle.jit(
        lambda x: treadle.pure_callback(bad, treadle.ShapeDtypeStruct((), "f4"), x)
    )
    with pytest.raises(treadle.errors.ExecutionError, match="raised ValueError: no such thing"):
        failing(X).block_until_ready()
    np.testing.assert_array_equal(treadle.jit(lambda x: x + 1)(X), X + 1)


def test_checks() -> None:
    with treadle.debug_nans(True), pytest.raises(FloatingPointError, match="log"):
        treadle.jit(tnp.log)(tnp.array([-1.0]))
    error, _ = treadle.jit(checkify.checkify(lambda x, i: x[i], errors=checkify.index_checks))(
        X, 50
    )
    assert "out of bounds" in str(error.get())


def test_stages_and_files(tmp_path: Path) -> None:
    compiled = treadle.jit(lambda x: tnp.tanh(x @ x)).lower(X).compile()
    assert compiled.cost_analysis()["flops"] > 0
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_array_equal(again(X), compiled(X))
    here = export.export(treadle.jit(lambda x: x * 2 + 1))(X)
    assert here.platforms == ("cuda",)
    np.testing.assert_allclose(export.deserialize(here.serialize()).call(X), X * 2 + 1, rtol=1e-6)
    both = export.export(treadle.jit(tnp.sin), platforms=["cpu", "cuda"])(X)
    np.testing.assert_allclose(export.deserialize(both.serialize()).call(X), np.sin(X), rtol=1e-6)
    chosen = treadle.jit(lambda x: lax.platform_dependent(x, cpu=lambda x: x, cuda=lambda x: x + 7))
    np.testing.assert_array_equal(chosen(X), X + 7)
    with treadle.profiler.trace(str(tmp_path)):
        compiled(X).block_until_ready()
    assert any(tmp_path.rglob("*.xplane.pb"))


def test_meshes_of_one_device() -> None:
    mesh = treadle.make_mesh((1,), ("x",))
    spread = treadle.device_put(X, treadle.NamedSharding(mesh, treadle.P("x")))
    np.testing.assert_allclose(treadle.jit(lambda x: x.sum(0))(spread), X.sum(0), rtol=1e-5)
    total = treadle.shard_map(
        lambda x: lax.psum(x, "x"), mesh=mesh, in_specs=treadle.P("x"), out_specs=treadle.P()
    )
    np.testing.assert_array_equal(treadle.jit(total)(X), X)


def test_several_threads() -> None:
    right: list[bool] = []

    def work(i: int) -> None:
        found = treadle.jit(lambda x: tnp.sin(x * i).sum())(X)
        right.append(abs(float(found) - float(np.sin(X * i).sum())) < 1e-3)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 8


def test_what_cusolver_lacks_says_so() -> None:
    for function in (lax.linalg.schur, lax.linalg.hessenberg):
        with pytest.raises(NotImplementedError, match="no routine for it on platform cuda"):
            function(tnp.asarray(X))
