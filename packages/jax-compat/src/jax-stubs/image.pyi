from treadle.image import *
