"""Several processes that run one program together: how they find each other, how they part, and what ends them.

`clusters` and `options` say who takes part; `meeting` is what process 0 offers and `line` how every process, also
process 0, is connected to it; `session` is initialize and shutdown; `ending` sees to it that nobody hangs when a
process is lost; `agreement` compares the programs that the processes launch. Data never goes through any of this:
XLA's collectives move it.
"""
