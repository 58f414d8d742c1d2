"""The libraries: their distributions, the names they are imported by, and the jobs that each has."""

from __future__ import annotations

from typing import Final

# The distributions, by their import names. They are in the page's order; the last two are installed with others.
LIBRARIES: Final = {
    "optax": "optax",
    "chex": "chex",
    "jaxtyping": "jaxtyping",
    "jaxopt": "jaxopt",
    "equinox": "equinox",
    "lineax": "lineax",
    "optimistix": "optimistix",
    "diffrax": "diffrax",
    "blackjax": "blackjax",
    "distrax": "distrax",
    "numpyro": "numpyro",
    "haiku": "dm-haiku",
    "flax": "flax",
    "tensorflow_probability.substrates.jax": "tfp-nightly",
    "orbax.checkpoint": "orbax-checkpoint",
}
# The jobs, by the distribution that each is about.
JOBS: Final = {
    **{name: name for name in list(LIBRARIES)[:11]},
    "haiku": "dm-haiku",
    "flax": "flax",
    "flax_nnx": "flax",
}
