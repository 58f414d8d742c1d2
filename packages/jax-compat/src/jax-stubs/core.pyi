from treadle.core import *
from treadle_jax.modules.core import *
