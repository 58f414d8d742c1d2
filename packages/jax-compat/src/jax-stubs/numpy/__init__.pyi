from treadle.numpy import *
from treadle_jax.modules.numpy import *
