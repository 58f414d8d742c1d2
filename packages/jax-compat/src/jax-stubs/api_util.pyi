from treadle.api_util import *
