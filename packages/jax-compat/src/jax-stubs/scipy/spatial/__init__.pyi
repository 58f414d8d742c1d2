from treadle.scipy.spatial import *
