"""What another language model thinks of a finished run: an opinion that stands apart and decides nothing."""
