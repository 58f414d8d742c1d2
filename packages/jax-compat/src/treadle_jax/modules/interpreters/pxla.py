"""`jax.interpreters.pxla`: a name that libraries take from here; what else JAX has in it is of its compiler."""

from __future__ import annotations

from treadle_jax.modules._src.mesh import thread_resources as thread_resources
