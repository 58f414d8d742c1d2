from treadle.experimental.roofline.roofline import *
