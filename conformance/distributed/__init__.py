"""Programs of several processes on this machine: they compute what one computes; when one fails, all end."""
