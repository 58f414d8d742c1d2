from treadle.experimental import *
from treadle_jax.modules.experimental import *
from . import hijax as hijax
