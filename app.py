"""Starts the chat: `python app.py`; the same as `gpu-assistant serve`."""

import sys

from assistant.interfaces.command_line import main

if __name__ == "__main__":
    main(["serve", *sys.argv[1:]])
