from treadle.tree import *
