"""Writes into docs/reference/messages.md what heddle says to each program of the page; tests compare the same.

Run by `make reference`, with heddle on the path. Look at the difference before you commit it.
"""

import math
import re
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "messages.md"
ENTRY = re.compile(
    r"^### ([^\n]*)\n\n```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S
)


def mistakes():
    """The page's programs: a list of (heading, source, message)."""
    return [match.groups() for match in ENTRY.finditer(PAGE.read_text())]


def steady(message):
    """The message without what another device or another version of the library would change in it."""
    message = re.sub(r"(?m)^(  compiling .* for )\w+$", r"\1cpu", message)
    message = message.replace(
        "; another library's stream for this GPU will do, too, or its handle", ""
    )
    return re.sub(r"(the builtins that kernels have are).*", r"\1 ...", message)


def message_of(source, folder):
    """What Python prints last for a program that is run from ``folder``/mistake.py; None when it runs through."""
    from heddle import cuda, float32, int32

    path = Path(folder) / "mistake.py"
    path.write_text(source)
    names = {"math": math, "np": np, "cuda": cuda, "float32": float32, "int32": int32}
    try:
        exec(compile(source, path, "exec"), {**names, "__name__": "mistake"})
    except Exception as error:
        return steady("".join(traceback.format_exception_only(error)))
    return None


def main():
    unheard = []

    def answered(match):
        heading, source, _ = match.groups()
        with tempfile.TemporaryDirectory() as folder:
            message = message_of(source, folder)
        if message is None:
            unheard.append(heading)
            message = ""
        return f"### {heading}\n\n```python\n{source}```\n\n```text\n{message}```\n"

    PAGE.write_text(ENTRY.sub(answered, PAGE.read_text()))
    if unheard:
        sys.exit(f"these programs run through: {', '.join(unheard)}")


if __name__ == "__main__":
    main()
