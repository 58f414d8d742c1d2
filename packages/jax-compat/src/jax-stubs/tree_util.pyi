from treadle.tree_util import *
