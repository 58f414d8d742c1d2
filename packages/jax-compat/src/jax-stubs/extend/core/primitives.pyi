from treadle.extend.core.primitives import *
