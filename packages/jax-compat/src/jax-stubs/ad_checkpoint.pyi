from treadle.ad_checkpoint import *
