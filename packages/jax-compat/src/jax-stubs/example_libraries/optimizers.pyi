from treadle_jax.modules.example_libraries.optimizers import *
