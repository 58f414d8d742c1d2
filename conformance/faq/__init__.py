"""What the FAQ promises, row by row; a test is found by its row's id."""
