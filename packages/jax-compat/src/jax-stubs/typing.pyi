from treadle.typing import *
