from treadle.dtypes import *
