"""What must hold of an answer, checked without a judge."""
