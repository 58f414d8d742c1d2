from treadle_jax.modules.version import *
