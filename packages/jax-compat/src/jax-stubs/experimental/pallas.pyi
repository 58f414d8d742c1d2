from treadle_jax.modules.experimental.pallas import *
