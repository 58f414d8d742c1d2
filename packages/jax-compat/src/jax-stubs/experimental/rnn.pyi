from treadle.experimental.rnn import *
