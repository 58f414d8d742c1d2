from treadle_jax.modules.experimental.layout import *
