from treadle.custom_derivatives import *
