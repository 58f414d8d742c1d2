from treadle.experimental.ode import *
