"""`jax._src.random.rbg`: for pickles of keys, which name what the generators are made of."""

from __future__ import annotations

from treadle_jax.modules._src.random import part_of_generator

_rbg_fold_in = _rbg_random_bits = _rbg_seed = _rbg_split = part_of_generator
_unsafe_rbg_fold_in = _unsafe_rbg_split = part_of_generator
