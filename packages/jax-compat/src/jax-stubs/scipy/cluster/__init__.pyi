from treadle.scipy.cluster import *
