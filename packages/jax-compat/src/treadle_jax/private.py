"""JAX's private modules, `jax._src`: the public modules that answer for them.

Code in the wild imports functions from where JAX defines them: `jax._src.numpy.lax_numpy`, `jax._src.pjit`. Their names
that are public elsewhere are found here, too. What is private in the stricter sense is in `modules/_src`, each with the
library that needs it; all other names are missing, and raise an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_TEXT: Final = """
jax:                    api array basearray callback config core custom_derivatives environment_info
                        ad_checkpoint dtypes indexing mesh named_sharding partition_spec pjit pmap ref shard_map
                        sharding sharding_impls typing xla_bridge
jax.api_util:           api
jax.core:               abstract_arrays effects
jax.debug:              debugger debugging
jax.dlpack:             array
jax.errors:             core
jax.experimental:       callback earray dtypes
jax.experimental.buffer_callback:       buffer_callback
jax.experimental.checkify:              checkify
jax.experimental.compilation_cache.compilation_cache:   compilation_cache
jax.experimental.compute_on:            compute_on
jax.experimental.custom_partitioning:   custom_partitioning custom_partitioning_sharding_rule
jax.experimental.hijax:                 hijax state state.types
jax.experimental.layout:                layout
jax.experimental.mesh_utils:            mesh_utils
jax.experimental.random:                random.stateful_rng
jax.experimental.xla_metadata:          xla_metadata
jax.export:             export._export export.shape_poly
jax.extend.backend:     xla_bridge compiler
jax.extend.core:        abstract_arrays core effects interpreters.partial_eval
jax.extend.core.primitives:     lax lax.control_flow lax.control_flow.conditionals lax.control_flow.loops
                        lax.control_flow.solves lax.convolution lax.fft lax.lax lax.linalg lax.parallel lax.slicing
                        lax.special lax.windowed_reductions pjit ad_checkpoint ad_util custom_derivatives
                        random.core random.prng random.threefry2x32 callback
jax.extend.linear_util: linear_util
jax.extend.random:      extend.random prng random.prng random.threefry2x32
jax.extend.sharding:    sharding_impls
jax.extend.source_info_util:    source_info_util
jax.image:              image.scale
jax.interpreters.ad:    ad_util
jax.lax:                lax.ann lax.control_flow lax.control_flow.conditionals lax.control_flow.loops
                        lax.control_flow.solves lax.convolution lax.fft lax.lax lax.other lax.parallel
                        lax.scaled_dot lax.slicing lax.special lax.windowed_reductions ad_util core callback
jax.monitoring:         dispatch
jax.nn:                 nn.functions ops.special
jax.numpy:              numpy.array numpy.array_constructors numpy.array_creation numpy.array_methods numpy.einsum
                        numpy.index_tricks numpy.indexing numpy.lax_numpy numpy.polynomial numpy.reductions
                        numpy.scalar_types numpy.setops numpy.sorting numpy.tensor_contractions numpy.ufunc_api
                        numpy.ufuncs numpy.util numpy.vectorize numpy.window_functions dtypes
jax.ops:                ops.scatter
jax.random:             prng random.core random.prng
jax.ref:                state state.primitives state.types
jax.scipy.interpolate:  third_party.scipy.interpolate
jax.scipy.linalg:       third_party.scipy.linalg
jax.scipy.optimize:     scipy.optimize.minimize
jax.scipy.special:      ops.special third_party.scipy.betaln third_party.scipy.special
jax.scipy.stats:        scipy.stats._core scipy.stats.kde
jax.sharding:           api array core mesh named_sharding partition_spec pjit sharding_impls
jax.stages:             api pjit
jax.test_util:          public_test_util test_util
jax.tree_util:          api
jax.typing:             array basearray dtypes core
"""


def _homes() -> dict[str, list[str]]:
    """Return the public modules of each private one."""
    homes: dict[str, list[str]] = {}
    public = ""
    for word in _TEXT.split():
        if word.endswith(":"):
            public = word[:-1]
        else:
            homes.setdefault(f"jax._src.{word}", []).append(public)
    return homes


_HOMES: Final = _homes()


def homes(name: str) -> list[str]:
    """Return the public modules that may have the names of a private one: the module with the same name, and others.

    Example:
        >>> homes("jax._src.scipy.linalg"), homes("jax._src.nn.functions")
        (['jax.scipy.linalg'], ['jax.nn.functions', 'jax.nn'])
        >>> homes("jax.numpy")
        []
    """
    if not name.startswith("jax._src."):
        return []
    return [name.replace("._src", "", 1), *_HOMES.get(name, ())]


def is_module(name: str) -> bool:
    """Return whether it is a private module, also where a public function has its name: `jax._src.numpy.einsum`."""
    return name in _HOMES


def below(name: str, more: Iterable[str] = ()) -> set[str]:
    """Return the last parts of the names of the private modules, and of `more` modules, that are directly below a
    module.

    Example:
        >>> sorted(below("jax._src.random"))
        ['core', 'prng', 'stateful_rng', 'threefry2x32']
    """
    start = f"{name}."
    found = [each[len(start) :] for each in (*_HOMES, *more) if each.startswith(start)]
    return {each.partition(".")[0] for each in found}


def is_package(name: str) -> bool:
    """Return whether other private modules are below it."""
    return any(private.startswith(f"{name}.") for private in _HOMES)
