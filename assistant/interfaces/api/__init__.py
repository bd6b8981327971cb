"""The HTTP API: one file for each noun that can be asked for."""
