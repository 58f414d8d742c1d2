from treadle_jax.modules.version import *
from treadle_jax.modules import __version__ as __version__, __version_info__ as __version_info__
