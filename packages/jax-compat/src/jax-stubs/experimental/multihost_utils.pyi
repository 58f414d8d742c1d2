from treadle.experimental.multihost_utils import *
