from treadle_jax.modules.lib import *
