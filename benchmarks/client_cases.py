"""What is measured of JAX's libraries: programs that import jax only, each a function with its arguments.

Run by `clients.py`, in a process of its own for each case: `python -m treadle_jax client_cases.py NAME` on treadle,
`python client_cases.py NAME` on JAX. Prints one line of JSON.
"""

import gc
import json
import sys
import time

import jax
import jax.numpy as jnp

jnp.add, jax.jit  # noqa: B018 - names under the hook are looked up when they are asked for
IMPORTED = time.process_time()  # since the interpreter was started
ROUND = 0.4  # seconds of CPU time that the calls of a round take


def data(rows, columns):
    """Inputs and targets of a regression."""
    x = jax.random.normal(jax.random.key(1), (rows, columns))
    return x, jnp.sin(x.sum(axis=1, keepdims=True))


def imports():
    """The import alone."""
    return lambda x: x + 1, (jnp.ones(3),)


def equinox():
    """A training step of an equinox network, with plain gradient descent."""
    import equinox as eqx

    model = eqx.nn.MLP(16, 1, 64, 3, key=jax.random.key(0))
    arrays, static = eqx.partition(model, eqx.is_array)

    def step(arrays, x, y):
        def loss(arrays):
            return jnp.mean((jax.vmap(eqx.combine(arrays, static))(x) - y) ** 2)

        value, grads = jax.value_and_grad(loss)(arrays)
        return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, arrays, grads), value

    return step, (arrays, *data(64, 16))


def linen():
    """A training step of a flax.linen network, with optax's Adam."""
    import flax.linen as nn
    import optax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            for width in (64, 64, 64):
                x = nn.LayerNorm()(nn.relu(nn.Dense(width)(x)))
            return nn.Dense(1)(x)

    network, optimiser = Network(), optax.adam(1e-2)
    x, y = data(64, 16)
    params = network.init(jax.random.key(0), x)

    def step(params, state, x, y):
        loss = lambda p: jnp.mean((network.apply(p, x) - y) ** 2)  # noqa: E731
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, (params, optimiser.init(params), x, y)


def nnx():
    """A training step of a flax.nnx network, split and merged, with optax's Adam."""
    import optax
    from flax import nnx as flax_nnx

    class Network(flax_nnx.Module):
        def __init__(self, rngs):
            self.first = flax_nnx.Linear(16, 64, rngs=rngs)
            self.norm = flax_nnx.LayerNorm(64, rngs=rngs)
            self.second = flax_nnx.Linear(64, 64, rngs=rngs)
            self.last = flax_nnx.Linear(64, 1, rngs=rngs)

        def __call__(self, x):
            x = self.norm(flax_nnx.relu(self.first(x)))
            return self.last(flax_nnx.relu(self.second(x)))

    graph, params = flax_nnx.split(Network(flax_nnx.Rngs(0)), flax_nnx.Param)
    optimiser = optax.adam(1e-2)

    def step(params, state, x, y):
        loss = lambda p: jnp.mean((flax_nnx.merge(graph, p)(x) - y) ** 2)  # noqa: E731
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, (params, optimiser.init(params), *data(64, 16))


def optax_adam():
    """Adam over a thousand leaves."""
    import optax

    optimiser = optax.adam(1e-3)
    params = {f"p{i}": jnp.full((8,), float(i)) for i in range(1000)}

    def update(grads, state, params):
        updates, state = optimiser.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return update, (params, optimiser.init(params), params)


def diffrax_solve():
    """A solve with adaptive steps, and its gradient."""
    import diffrax

    def field(t, y, args):
        a, b = args
        return jnp.stack([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - a * y[1]])

    def solved(args):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Tsit5(),
            0.0,
            10.0,
            0.1,
            jnp.array([1.0, 0.5]),
            args=args,
            saveat=diffrax.SaveAt(ts=jnp.linspace(0.0, 10.0, 21)),
            stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6),
        )
        return jnp.sum(solution.ys)

    return jax.value_and_grad(solved), ((jnp.array(1.0), jnp.array(1.5)),)


def numpyro_density():
    """The gradient of a model's log density: what a step of its samplers computes."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer.util import log_density

    x, y = data(200, 3)

    def model(x, y):
        weights = numpyro.sample("weights", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        with numpyro.plate("data", x.shape[0]):
            numpyro.sample("y", dist.StudentT(4.0, x @ weights, scale), obs=y)

    params = {"weights": jnp.ones(3), "scale": jnp.array(0.5)}
    value = lambda p: log_density(model, (x, y[:, 0]), {}, p)[0]  # noqa: E731
    return jax.value_and_grad(value), (params,)


def blackjax_hmc():
    """A hundred steps of Hamiltonian Monte Carlo."""
    import blackjax

    x, y = data(200, 3)
    density = lambda w: -0.5 * jnp.sum((x @ w - y[:, 0]) ** 2) - 0.5 * jnp.sum(w**2)  # noqa: E731
    kernel = blackjax.hmc(density, 1e-3, jnp.ones(3), 10)

    def sample(state, key):
        step = lambda state, key: (kernel.step(key, state)[0], None)  # noqa: E731
        return jax.lax.scan(step, state, jax.random.split(key, 100))[0].position

    return sample, (kernel.init(jnp.zeros(3)), jax.random.key(3))


CASES = {
    "import jax, jax.numpy": imports,
    "equinox: training step": equinox,
    "flax.linen: training step": linen,
    "flax.nnx: training step": nnx,
    "optax: Adam, 1,000 leaves": optax_adam,
    "diffrax: solve and gradient": diffrax_solve,
    "numpyro: density and gradient": numpyro_density,
    "blackjax: 100 steps of HMC": blackjax_hmc,
}


def digest(tree):
    """Sums of the results, to compare."""
    leaves = jax.tree_util.tree_leaves(tree)
    return [float(jnp.sum(jnp.abs(leaf))) for leaf in leaves if jnp.size(leaf)]


def measured(function, arguments):
    """CPU seconds of tracing, lowering, compiling and a call, and of all that comes before a first result."""
    function = jax.jit(function)
    jax.block_until_ready(arguments)
    times = [time.process_time()]
    traced = function.trace(*arguments)
    times.append(time.process_time())
    lowered = traced.lower()
    times.append(time.process_time())
    lowered.compile()
    times.append(time.process_time())
    seconds = {k: b - a for k, a, b in zip(STAGES, times[:-1], times[1:], strict=True)}
    before = time.process_time()
    seconds["all until then"] = before
    result = jax.block_until_ready(function(*arguments))
    gc.collect()
    gc.disable()
    count, spent = 4, 0.0
    while spent < ROUND:
        count = count * 2 if spent else count
        start = time.process_time()
        for _ in range(count):
            result = function(*arguments)
        jax.block_until_ready(result)
        spent = time.process_time() - start
    return {**seconds, "run": spent / count}, digest(result)


STAGES = ("trace", "lower", "compile")

if __name__ == "__main__":
    name = sys.argv[1]
    if name == "import jax, jax.numpy":
        print(json.dumps({"seconds": {"all until then": IMPORTED}, "digest": []}))
    else:
        seconds, seen = measured(*CASES[name]())
        print(json.dumps({"seconds": seconds, "digest": seen}))
