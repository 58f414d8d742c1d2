"""What people do wrong, and what treadle says to it."""
