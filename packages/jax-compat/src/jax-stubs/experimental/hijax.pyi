from treadle_jax.modules.experimental.hijax import *
