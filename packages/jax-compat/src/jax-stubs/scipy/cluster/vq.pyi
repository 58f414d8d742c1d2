from treadle.scipy.cluster.vq import *
