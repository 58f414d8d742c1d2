from treadle.scipy.spatial.transform import *
