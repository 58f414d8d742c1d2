from treadle.experimental.mesh_utils import *
