from treadle import *
from treadle_jax.modules import *
from . import example_libraries as example_libraries
from . import lib as lib
from . import version as version
from treadle_jax.modules import __version__ as __version__, __version_info__ as __version_info__
