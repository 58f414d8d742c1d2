from treadle_jax.modules.example_libraries import *
from . import optimizers as optimizers
from . import stax as stax
