"""Trains a network of two layers, data-parallel and tensor-parallel; prints losses and weights, bit by bit."""

import os

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.sharding import AxisType, NamedSharding, PartitionSpec as P

if "TREADLE_COORDINATOR_ADDRESS" in os.environ:
    treadle.distributed.initialize(initialization_timeout=60, shutdown_timeout_seconds=60)

count = len(treadle.devices())
mesh = treadle.make_mesh((count,), ("d",), (AxisType.Auto,))
random = np.random.default_rng(0)


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def over(*spec):
    return NamedSharding(mesh, P(*spec))


def place(array, sharding):
    return treadle.make_array_from_callback(array.shape, sharding, lambda part: array[part])


def loss(weights, x, y):
    return tnp.mean((tnp.tanh(x @ weights[0]) @ weights[1] - y) ** 2)


def step(weights, x, y):
    value, gradient = treadle.value_and_grad(loss)(weights, x, y)
    return [w - 0.05 * g for w, g in zip(weights, gradient, strict=True)], value


x, y = normal(32, 16), normal(32, 4)
first, second = normal(16, 32) * 0.2, normal(32, 4) * 0.2
for kind, shardings, data in (
    ("data", [over(), over()], over("d")),
    ("tensor", [over(None, "d"), over("d", None)], over()),
):
    update = treadle.jit(step, out_shardings=(shardings, over()))
    weights = [place(w, s) for w, s in zip((first, second), shardings, strict=True)]
    inputs = place(x, data), place(y, data)
    for _ in range(6):
        weights, value = update(weights, *inputs)
        print(kind, float(value).hex(), float(value))
    for w in weights:
        whole = treadle.device_put(w, over()).addressable_data(0)
        print(kind, np.asarray(whole).tobytes().hex())
