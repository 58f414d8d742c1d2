"""`jax._src.random.threefry2x32`: for pickles of keys, which name what the generator is made of."""

from __future__ import annotations

from treadle_jax.modules._src.random import part_of_generator

threefry_fold_in = threefry_random_bits = threefry_seed = threefry_split = part_of_generator
