from treadle.experimental import *
from treadle_jax.modules.experimental import *
from . import colocated_python as colocated_python
from . import pallas as pallas
from . import pjit as pjit
