from treadle_jax.modules.experimental.pjit import *
