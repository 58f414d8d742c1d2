"""Distributed programs: how processes connect, detect failures, and shut down.

`clusters` and `options` determine the participants; `coordinator` runs in process 0, and `coordinator_client` connects
every process, also process 0, to it; `session` has initialize and shutdown; `ending` terminates processes that would
hang after a failure; `agreement` and `order` compare the programs that the processes compile and launch. Array data
does not pass through any of this: XLA's collectives move it.
"""
