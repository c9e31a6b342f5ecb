"""``python -m heddle``: the same as the command ``heddle``."""

import sys

from heddle.cli import main

if __name__ == "__main__":
    sys.exit(main())
