from treadle.experimental.hijax import *
from treadle_jax.modules.experimental.hijax import *
