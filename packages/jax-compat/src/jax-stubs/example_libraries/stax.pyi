from treadle_jax.modules.example_libraries.stax import *
