"""Every public function with hostile values: a result, or an error of treadle's own."""
