from treadle.scipy.ndimage import *
