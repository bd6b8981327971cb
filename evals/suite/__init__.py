"""The cases that a knowledge base is judged by: their schema, their files, and drafting a new one."""
