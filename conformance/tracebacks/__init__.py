"""Where errors are caught, their tracebacks show the user's lines and none of treadle's."""
