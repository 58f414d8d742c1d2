"""Eight threads with settings of their own call the same functions: each gets what one thread alone gets."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle_runtime
from conformance.faults.process import run
from conformance.platform import skip_without_devices


def at_once(rounds: int) -> None:
    """Threads differ in the width of types, the default device, and whether jit is on."""
    threads = 8
    devices = treadle.devices()
    assert len(devices) == 4
    settings = [(i >= 4, devices[i % 4], i in (1, 6)) for i in range(threads)]

    def functions() -> list[Any]:
        """New functions, which no thread has called."""
        inner = treadle.jit(lambda x: tnp.tanh(x) * 3)

        def loss(w: Any, x: Any) -> Any:
            return (inner(x @ w) ** 2).sum() / 3 + ((x + 0.1) - x).sum()

        def steps(w: Any) -> Any:
            return treadle.lax.scan(
                lambda w, i: (w - 0.1 * i, w.sum()), w, tnp.arange(3, dtype=np.float32)
            )

        return [
            treadle.jit(loss),
            treadle.jit(treadle.grad(loss)),
            treadle.jit(treadle.vmap(loss, in_axes=(None, 0))),
            treadle.value_and_grad(treadle.jit(loss)),
            lambda w, x: steps(w),
            treadle.jit(lambda w, x: (tnp.ones(3) / 3, tnp.arange(4), w * 2, x.astype(int))),
            lambda w, x: treadle.random.normal(treadle.random.key(3), (4,)) * w.sum(),
        ]

    def called(made: list[Any], setting: Any) -> list[str]:
        wide, device, without = setting
        found = []
        with (
            treadle.enable_x64(wide),
            treadle.default_device(device),
            treadle_runtime.disable_jit(without),
        ):
            # Of one type under all settings, so that no cache can tell them apart by their arguments.
            w = tnp.asarray(np.arange(6, dtype=np.float32).reshape(3, 2) / np.float32(7))
            x = tnp.asarray(np.arange(12, dtype=np.float32).reshape(2, 2, 3) / np.float32(5))
            for function in made:
                for leaf in treadle.tree.leaves(function(w, x)):
                    bits = np.asarray(leaf).tobytes().hex()
                    found.append(f"{leaf.dtype}{leaf.shape} on {leaf.device}: {bits}")
        return found

    alone = [called(functions(), setting) for setting in settings]
    assert len(set(map(str, alone))) == threads  # the settings show in the results
    for _ in range(rounds):
        made, barrier = functions(), threading.Barrier(threads)

        def work(index: int, made: Any = made, barrier: Any = barrier) -> list[str]:
            barrier.wait()
            return [called(made, settings[index]) for _ in range(3)][-1]

        with ThreadPoolExecutor(threads) as pool:
            for index, found in enumerate(pool.map(work, range(threads))):
                assert found == alone[index], (
                    f"{settings[index]}: {found} instead of {alone[index]}"
                )


@pytest.mark.parametrize("simplify", ["1", "0"])
def test_settings_of_threads_stay_apart(simplify: str) -> None:
    skip_without_devices(4)
    environment = {"TREADLE_NUM_CPU_DEVICES": "4", "TREADLE_SIMPLIFY": simplify}
    run(at_once, 3, seconds=90, environment=environment)
