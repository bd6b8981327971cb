"""The assistant inside pages of a wiki: a page for a frame, a script that brings it in, and answers as wiki text."""
