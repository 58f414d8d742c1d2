"""What each setting lets through and what it refuses, in whichever library: run with its name as the argument.

    python settings_script.py jax        prints, as JSON, "ok" or the built-in classes of the error, by case

It is a script by itself, since the interpreter that has JAX has nothing of ours.
"""

import importlib
import json
import os
import sys
import warnings
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
NAME = sys.argv[1]
lib = importlib.import_module(NAME)
lnp = importlib.import_module(f"{NAME}.numpy")
lax = importlib.import_module(f"{NAME}.lax")
random = importlib.import_module(f"{NAME}.random")
np = importlib.import_module("numpy")

X, XN = lnp.ones(3), np.ones(3, np.float32)
THERE = lib.device_put(lnp.ones(3), lib.devices()[1])
jitted = lib.jit(lambda x: x + 1)
jitted(X)
KEPT: Any = []
BUILT_IN = (FloatingPointError, IndexError, RuntimeError, TypeError, ValueError)


def new(use):
    return lambda: use(random.key(0))


def of_split(use):
    return lambda: use(random.split(random.key(0)))


def scan_of(body, start, length=2):
    return lax.scan(body, start, None, length=length)[0]


NANS = {
    "eager": lambda: lnp.log(-1.0),
    "compiled": lambda: lib.jit(lambda x: lnp.log(x) * 2)(-1.0),
    "masked": lambda: lib.jit(lambda x: lnp.where(x > 0, lnp.log(x), 0.0))(-1.0),
    "masked, eager": lambda: lnp.where(X < 0, lnp.log(X - 2), 0.0),
    "infinite": lambda: 1 / lnp.zeros(()),
    "slope": lambda: lib.grad(lambda x: lnp.sqrt(x) * 0)(0.0),
    "infinite slope": lambda: lib.grad(lnp.sqrt)(0.0),
    "loop": lambda: scan_of(lambda c, _: (lnp.log(c - 1), None), lnp.float32(1.5)),
    "put": lambda: lib.device_put(np.float32(np.nan)),
    "came in": lambda: lib.jit(lambda x: x)(np.float32(np.nan)),
    "fine": lambda: jitted(X),
}
KEYS = {
    "twice": new(lambda k: (random.normal(k), random.uniform(k))),
    "split twice": new(lambda k: (random.split(k), random.split(k))),
    "folded in": new(lambda k: (random.fold_in(k, 0), random.fold_in(k, 1), random.normal(k))),
    "cloned": new(lambda k: (random.normal(k), random.normal(random.clone(k)))),
    "words": new(lambda k: (random.normal(k), random.key_data(k))),
    "same element": of_split(lambda k: (random.normal(k[0]), random.normal(k[0]))),
    "two elements": of_split(lambda k: (random.normal(k[0]), random.normal(k[1]))),
    "all and one": of_split(lambda k: (lib.vmap(random.normal)(k), random.normal(k[0]))),
    "stacked": new(lambda k: lib.vmap(random.normal)(lnp.stack([k, k]))),
    "reshaped": new(lambda k: (random.normal(k), random.normal(k.reshape(())))),
    "compiled": new(lambda k: lib.jit(lambda k: (random.normal(k), random.normal(k)))(k)),
    "closed over": new(lambda k: (lib.jit(lambda: random.normal(k))(), random.normal(k))),
    "loop": new(lambda k: scan_of(lambda c, _: (c + random.normal(k), None), 0.0)),
    "carried": new(lambda k: scan_of(lambda c, _: (random.split(c)[0], random.normal(c)), k)),
    "branches": new(lambda k: lax.cond(True, lambda: random.normal(k), lambda: random.uniform(k))),
    "branch and after": new(
        lambda k: (lax.cond(True, lambda: random.normal(k), lambda: 0.0), random.normal(k))
    ),
    "one draw of many": new(lambda k: lib.vmap(lambda x: random.normal(k) + x)(X)),
    "old": lambda: [random.normal(k) for k in [random.PRNGKey(0)] * 2],
}
TRANSFERS = {
    "NumPy operand": lambda: X + XN,
    "NumPy argument": lambda: jitted(XN),
    "number as an argument": lambda: jitted(1.0),
    "array": lambda: lnp.array(XN),
    "asarray": lambda: lnp.asarray(XN),
    "put": lambda: lib.device_put(XN),
    "put elsewhere": lambda: lib.device_put(X, lib.devices()[1]),
    # New each time: jax guards the first call only.
    "elsewhere": lambda: lib.jit(lambda x, y: x + y)(X, THERE),
    "compiled": lambda: jitted(X),
    "read": lambda: (float(X.sum()), np.asarray(X + X), lib.device_get(X)),
    "reduced": lambda: X.sum(),
    "arange": lambda: lnp.arange(3),
}
TRACES = {
    "new": lambda: lib.jit(lambda x: x * 3)(1.0),
    "known": lambda: jitted(X),
    "leak": lambda: lib.jit(lambda x: (KEPT.append(x), x)[1])(1.0),
    "leak of vmap": lambda: lib.vmap(lambda x: (KEPT.append(x), x)[1])(X),
    "kept in grad": lambda: lib.grad(lambda x: (KEPT.append(x), x)[1])(1.0),
}
INDICES = {
    "beyond": lambda: X[3],
    "before": lambda: X[-4],
    "within": lambda: X[-3],
    "range": lambda: X[1:9],
    "clipped": lambda: X.at[5].get(mode="clip"),
    "written": lambda: X.at[5].set(1),
    "compiled": lambda: lib.jit(lambda x: x[7])(X),
}
WIDTHS = {
    "zeros": lambda: lnp.zeros(1, "float64").dtype.name,
    "asarray": lambda: lnp.asarray(np.ones(1)).dtype.name,
    "astype": lambda: lnp.ones(1).astype("int64").dtype.name,
    "float": lambda: lnp.zeros(1, float).dtype.name,
    "sum": lambda: lnp.ones(1).sum(dtype="float64").dtype.name,
    "met": lambda: (lnp.zeros(1, "float64") + X[:1]).dtype.name,
}
DRAWS = {
    "typed": lambda: random.key_data(random.key(4)).tolist(),
    "raw": lambda: lnp.asarray(random.PRNGKey(4)).tolist(),
    "drawn from a raw one": lambda: random.normal(random.PRNGKey(0)).shape,
}
ORDERS = {
    "bits": lambda: random.bits(random.key(4), (7,)).tolist(),
    "bytes": lambda: random.bits(random.key(4), (7,), "uint8").tolist(),
    "keys": lambda: random.key_data(random.split(random.key(4), 3)).ravel().tolist(),
    "wide keys": lambda: random.key_data(random.split(random.key(4, impl="rbg"))).ravel().tolist(),
    "integers": lambda: random.randint(random.key(4), (5,), 0, 1000).tolist(),
    "order": lambda: random.permutation(random.key(4), 9).tolist(),
    "chosen": lambda: random.choice(random.key(4), 9, (4,), replace=False).tolist(),
}
GROUPS: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("debug_nans", [True, False], NANS),
    ("debug_infs", [True], NANS),
    ("debug_key_reuse", [True, False], KEYS),
    *[
        (name, ["allow", "disallow", "disallow_explicit"], TRANSFERS)
        for name in (
            "transfer_guard",
            "transfer_guard_host_to_device",
            "transfer_guard_device_to_device",
            "transfer_guard_device_to_host",
        )
    ],
    ("no_tracing", [True], TRACES),
    ("check_tracer_leaks", [True, False], TRACES),
    ("no_execution", [True], TRACES),
    ("check_static_indices", [True, False], INDICES),
    ("explicit_x64_dtypes", ["allow", "warn", "error"], WIDTHS),
    ("random_seed_offset", [0, 3], {k: DRAWS[k] for k in ("typed", "raw")}),
    ("legacy_prng_key", ["allow", "warn", "error"], DRAWS),
    ("threefry_partitionable", [True, False], {**DRAWS, **ORDERS}),
]


def outcome(call):
    """Return the outcome of a call, as far as it can be compared."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call()
    except Exception as error:
        return [kind.__name__ for kind in (*BUILT_IN, Exception) if isinstance(error, kind)]
    finally:
        KEPT.clear()
    plain = isinstance(result, str) or (isinstance(result, list) and type(result[0]) is int)
    return f"ok {result}" if plain else "ok"


found = {}
for setting, values, cases in GROUPS:
    for value in values:
        before = getattr(lib.config, f"jax_{setting}")
        lib.config.update(f"jax_{setting}", value)
        for case, call in cases.items():
            found[f"{setting}={value}: {case}"] = outcome(call)
        known = isinstance(before, str | int | type(None))  # jax reads some as enumerations
        lib.config.update(f"jax_{setting}", before if known else values[0])
print(json.dumps(found))
