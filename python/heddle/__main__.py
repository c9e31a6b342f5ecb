"""Runs the command ``heddle`` as ``python -m heddle``."""

import sys

from heddle.cli import main

if __name__ == "__main__":
    sys.exit(main())
