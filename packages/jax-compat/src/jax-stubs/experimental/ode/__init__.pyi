from treadle.experimental.ode import *
from treadle_jax.modules.experimental.ode import *
from . import api_util as api_util
