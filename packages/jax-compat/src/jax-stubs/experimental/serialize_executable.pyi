from treadle.experimental.serialize_executable import *
