"""Tour, 5 of 6: compiling. From a program to text, to an executable, to `jit`. Needs all packages."""

import tempfile
import time

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle_compiler import (
    CompileOptions,
    DiskCache,
    compile_cached,
    cost_analysis,
    jaxlib,
    lower_program,
)
from treadle_ir import ArrayType, ops, stage
from treadle_runtime import timings

# Lowering translates a program to StableHLO text, with one rule for each primitive. The text is deterministic: names
# are numbered in order, so equal programs give equal bytes, in any process.
vector = ArrayType((1000,), np.dtype(np.float32))


def function(x):
    return [ops.multiply(ops.sine(x), x)]


lowered = lower_program(stage(function, vector).program)
print(lowered.text)
assert "stablehlo.sine" in lowered.text
assert lower_program(stage(function, vector).program).text == lowered.text

# So the text is the key of its executable on disk. XLA compiles once; later requests, in this process or another, read
# the file.
client = jaxlib().xla_client.make_cpu_client()
devices = client.local_devices()[:1]
with tempfile.TemporaryDirectory() as folder:
    cache = DiskCache(folder, enabled=True)
    compiled = compile_cached(client, lowered.text, devices, CompileOptions(), cache)
    assert (cache.counters.misses, cache.counters.stored) == (1, 1)
    later = DiskCache(folder, enabled=True)  # as if in another process
    start = time.perf_counter()
    again = compile_cached(client, lowered.text, devices, CompileOptions(), later)
    print(f"from disk in {1000 * (time.perf_counter() - start):.1f} ms")
    assert (later.counters.hits, later.counters.misses) == (1, 0)
assert compiled.platform == again.platform == "cpu"
assert cost_analysis(again)["flops"] > 0  # XLA's own estimate


# `jit` does all this on demand: the arguments of a call determine a signature (types, structure, static values,
# placement), and each new signature is traced, lowered and compiled once. Python code runs only while tracing.
ran = []


@treadle.jit
def loss(params, x):
    ran.append(x)
    weights, bias = params
    return tnp.mean(tnp.tanh(x @ weights + bias) ** 2)


params = (tnp.full((3,), 0.1), 0.5)
x = tnp.arange(12.0).reshape(4, 3)
first = loss(params, x)
assert len(ran) == 1
assert tnp.allclose(first, loss(params, x))
assert len(ran) == 1  # the second call did not trace
loss(params, tnp.ones((5, 3)))
assert len(ran) == 2  # a new shape did

# The time spent on each signature, in seconds. `from_disk` is true if an earlier process compiled this program.
for timing in timings(loss):
    print(timing)
assert len(timings(loss)) == 2
assert all(timing.trace > 0 and timing.equations > 0 for timing in timings(loss))

# The stages can be inspected one by one, without a call.
stages = loss.lower(params, x)
assert "stablehlo.tanh" in stages.as_text()
executable = stages.compile()
assert tnp.allclose(executable(params, x), first)
assert executable.memory_analysis().argument_size_in_bytes >= 4 * 12

# jit composes with the other transformations: it may be outside, inside, or both, and the derivative is compiled as one
# program.
gradient = treadle.jit(treadle.grad(loss))
d_weights, d_bias = gradient(params, x)
assert d_weights.shape == (3,)
step = 1e-3
shifted = loss((params[0], 0.5 + step), x) - loss((params[0], 0.5 - step), x)
assert tnp.isclose(d_bias, shifted / (2 * step), rtol=1e-2)
per_row = treadle.jit(treadle.vmap(treadle.grad(loss), in_axes=(None, 0)))(params, x)
assert per_row[0].shape == (4, 3)
assert tnp.allclose(per_row[0].mean(axis=0), d_weights, atol=1e-6)

# A static argument stays a Python value: `if` and shapes may depend on it, and each value gets its own program.
power = treadle.jit(lambda x, n: x**n if n > 0 else 1 / x**-n, static_argnums=1)
assert float(power(2.0, 3)) == 8.0
assert float(power(2.0, -1)) == 0.5
assert len(timings(power)) == 2

# A call may return before its result is computed; reading an element waits for it.
product = treadle.jit(lambda a: a @ a)(tnp.ones((500, 500)))
assert float(product[0, 0]) == 500.0

print("5 compiling: all assertions hold")
