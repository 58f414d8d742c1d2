"""The parameters of public functions and methods, of treadle or of jax: one line of JSON.

`python signatures_script.py treadle` or `python signatures_script.py jax`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import warnings
from typing import Any

MODULES = [
    "numpy",
    "numpy.fft",
    "numpy.linalg",
    "lax",
    "lax.linalg",
    "nn",
    "nn.initializers",
    "random",
    "image",
    "ops",
    "tree",
    "tree_util",
    "debug",
    "dtypes",
    "stages",
    "sharding",
    "export",
    "dlpack",
    "profiler",
    "monitoring",
    "api_util",
    "core",
    "custom_batching",
    "custom_derivatives",
    "ffi",
    "flatten_util",
    "ref",
    "extend.core",
    "extend.backend",
    "interpreters.ad",
    "interpreters.batching",
    "scipy.special",
    "scipy.linalg",
    "scipy.fft",
    "scipy.signal",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.cluster.vq",
    "scipy.spatial.transform",
    "scipy.sparse.linalg",
    "scipy.stats",
    "scipy.stats.norm",
    "scipy.stats.beta",
    "scipy.stats.gamma",
    "scipy.stats.t",
    "scipy.stats.binom",
    "scipy.stats.multinomial",
    "scipy.stats.multivariate_normal",
    "scipy.stats.poisson",
    "experimental.checkify",
    "experimental.jet",
    "experimental.ode",
    "experimental.sparse",
    "experimental.mesh_utils",
    "experimental.multihost_utils",
]


def parameters(function: Any) -> list[tuple[str, str, bool]] | None:
    """Name, kind and whether it may be left out; None where Python cannot tell."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [(each.name, each.kind.name, each.default is not each.empty) for each in found]


def members(value: Any) -> dict[str, Any]:
    """Return the readable public attributes of an object, by name."""
    found = {}
    for name in dir(value):
        try:
            found[name] = getattr(value, name)
        except Exception:  # some properties refuse, of whatever kind the object is
            continue
    return {name: each for name, each in found.items() if not name.startswith("_")}


def instances(library: Any) -> dict[str, Any]:
    """Objects whose methods users call, by what they are."""
    jitted = library.jit(lambda x: x)
    array = library.numpy.ones((3, 3))
    return {
        "an array": array,
        "array.at": array.at,
        "array.at[0]": array.at[0],
        "a key": library.random.key(0),
        "config": library.config,
        "a jitted function": jitted,
        "what it is traced to": jitted.trace(1.0),
        "what it is lowered to": jitted.lower(1.0),
        "what it is compiled to": jitted.lower(1.0).compile(),
        "a structure": library.tree.structure([1]),
        "an aval": library.make_jaxpr(lambda x: x)(1.0).in_avals[0],
        "a mesh": library.make_mesh((1,), ("x",)),
        "a sharding": array.sharding,
        "a specification": library.sharding.PartitionSpec("x"),
        "a ufunc": library.numpy.add,
        "a custom_jvp": library.custom_jvp(lambda x: x),
        "a custom_vjp": library.custom_vjp(lambda x: x),
        "a reference": library.new_ref(1.0),
    }


def main(name: str) -> None:
    """Print them."""
    warnings.simplefilter("ignore")  # of names that are deprecated
    library = importlib.import_module(name)
    found: dict[str, Any] = {}
    for module in ["", *MODULES]:
        where = importlib.import_module(f"{name}.{module}") if module else library
        for member, value in members(where).items():
            if callable(value) and not inspect.isclass(value):
                found[f"{module}.{member}".lstrip(".")] = parameters(value)
    for label, each in instances(library).items():
        for member, value in members(each).items():
            if callable(value):
                found[f"{label}.{member}"] = parameters(value)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
