from treadle.extend.source_info_util import *
