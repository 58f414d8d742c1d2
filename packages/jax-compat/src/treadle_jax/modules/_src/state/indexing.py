"""`jax._src.state.indexing`: for haliax, which asks whether an index is a range that `ds` made."""

from __future__ import annotations

from treadle_jax.modules.experimental.pallas import Slice as Slice
