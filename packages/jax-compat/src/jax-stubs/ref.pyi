from treadle.ref import *
