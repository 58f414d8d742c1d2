"""`jax._src.prng`: where JAX before 0.8 had what `jax._src.random.prng` has."""

from __future__ import annotations

from treadle_jax.modules._src.random.prng import PRNGImpl as PRNGImpl, PRNGKeyArray as PRNGKeyArray
from treadle_jax.modules._src.random.threefry2x32 import (
    threefry_fold_in as threefry_fold_in,
    threefry_random_bits as threefry_random_bits,
    threefry_seed as threefry_seed,
    threefry_split as threefry_split,
)
