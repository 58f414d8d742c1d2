"""Programs of several processes on this machine: they compute what one computes, and when one fails, all end and say why."""
