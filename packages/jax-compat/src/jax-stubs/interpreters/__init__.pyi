from treadle.interpreters import *
from treadle_jax.modules.interpreters import *
from . import pxla as pxla
