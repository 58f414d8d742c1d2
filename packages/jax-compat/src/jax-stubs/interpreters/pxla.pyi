from treadle_jax.modules.interpreters.pxla import *
