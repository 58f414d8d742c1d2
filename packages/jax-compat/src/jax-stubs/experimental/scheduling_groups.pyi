from treadle.experimental.scheduling_groups import *
