"""The product's tools for other assistants, over the Model Context Protocol."""
