from treadle.interpreters import *
from treadle_jax.modules.interpreters import *
