from treadle.interpreters.xla import *
from treadle_jax.modules.interpreters.xla import *
