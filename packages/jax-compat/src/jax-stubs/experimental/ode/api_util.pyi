from treadle_jax.modules.experimental.ode.api_util import *
