from treadle_jax.modules.experimental.colocated_python import *
