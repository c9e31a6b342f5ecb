"""Writes what heddle says to each wrong program into the two pages that show such programs; tests compare the same.

The pages are docs/reference/mistakes.md, which users read, and tests/python/messages.md, which only the tests read. Run
by `make reference`, with heddle on the path. Look at the difference before you commit it.
"""

import math
import re
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
MISTAKES = ROOT / "docs" / "reference" / "mistakes.md"
MESSAGES = ROOT / "tests" / "python" / "messages.md"
ENTRY = re.compile(
    r"^### ([^\n]*)\n\n```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S
)


def mistakes(page):
    """The wrong programs of a page: a list of (heading, source, message)."""
    return [match.groups() for match in ENTRY.finditer(page.read_text())]


def corrections(page):
    """What a page advises instead: a list of (heading, source), the second program of each heading."""
    sections = re.split(r"^### ", page.read_text(), flags=re.M)[1:]
    programs = [re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) for text in sections]
    headings = [text.partition("\n")[0] for text in sections]
    return [
        (heading, found[1])
        for heading, found in zip(headings, programs, strict=True)
        if len(found) == 2
    ]


def steady(message):
    """The message without what another device or another version of the library would change in it."""
    message = re.sub(r"(?m)^(  compiling .* for )\w+$", r"\1cpu", message)
    message = message.replace(
        "; another library's stream for this GPU will do, too, or its handle", ""
    )
    return re.sub(r"(the builtins that kernels have are).*", r"\1 ...", message)


def message_of(source, folder):
    """What Python prints last for a program that is run from ``folder``/mistake.py; None when it runs through."""
    import heddle
    from heddle import cuda, float32, int32

    path = Path(folder) / "mistake.py"
    path.write_text(source)
    names = {"math": math, "np": np, "heddle": heddle, "cuda": cuda}
    names |= {"float32": float32, "int32": int32, "__name__": "mistake"}
    try:
        exec(compile(source, path, "exec"), names)
    except Exception as error:
        return steady("".join(traceback.format_exception_only(error)))
    return None


def main():
    without_error = []

    def answered(match):
        heading, source, _ = match.groups()
        with tempfile.TemporaryDirectory() as folder:
            message = message_of(source, folder)
        if message is None:
            without_error.append(heading)
            message = ""
        return f"### {heading}\n\n```python\n{source}```\n\n```text\n{message}```\n"

    for page in (MISTAKES, MESSAGES):
        page.write_text(ENTRY.sub(answered, page.read_text()))
    if without_error:
        sys.exit(f"these programs raise nothing: {', '.join(without_error)}")


if __name__ == "__main__":
    main()
