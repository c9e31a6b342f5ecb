"""Updates the error messages in the two pages of wrong programs. Tests check that the pages are current.

The pages are docs/reference/mistakes.md, for users, and tests/python/messages.md, only for tests. `make reference` runs
this script, with heddle on the path. Review the diff before committing it.
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


def read_mistakes(page):
    """The wrong programs in a page: a list of (heading, source, message)."""
    return [match.groups() for match in ENTRY.finditer(page.read_text())]


def read_corrections(page):
    """The corrected programs in a page, the second under each heading: a list of (heading, source)."""
    sections = re.split(r"^### ", page.read_text(), flags=re.M)[1:]
    programs = [re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) for text in sections]
    headings = [text.partition("\n")[0] for text in sections]
    return [
        (heading, found[1])
        for heading, found in zip(headings, programs, strict=True)
        if len(found) == 2
    ]


def remove_variable_parts(message):
    """Removes the parts of a message that depend on the device or on the version of a library."""
    message = re.sub(r"(?m)^(  compiling .* for )\w+$", r"\1cpu", message)
    message = message.replace(
        "; another library's stream for this GPU will do, too, or its handle", ""
    )
    return re.sub(r"(the builtins that kernels have are).*", r"\1 ...", message)


def run_and_get_message(source, folder):
    """Runs a program as ``folder``/mistake.py. Returns the exception as Python prints it; None if there is none."""
    import heddle
    from heddle import cuda, float32, int32

    path = Path(folder) / "mistake.py"
    path.write_text(source)
    names = {"math": math, "np": np, "heddle": heddle, "cuda": cuda}
    names |= {"float32": float32, "int32": int32, "__name__": "mistake"}
    try:
        exec(compile(source, path, "exec"), names)
    except Exception as error:
        return remove_variable_parts("".join(traceback.format_exception_only(error)))
    return None


def main():
    without_error = []

    def answered(match):
        heading, source, _ = match.groups()
        with tempfile.TemporaryDirectory() as folder:
            message = run_and_get_message(source, folder)
        if message is None:
            without_error.append(heading)
            message = ""
        return f"### {heading}\n\n```python\n{source}```\n\n```text\n{message}```\n"

    for page in (MISTAKES, MESSAGES):
        page.write_text(ENTRY.sub(answered, page.read_text()))
    if without_error:
        sys.exit(f"these programs raise no exception: {', '.join(without_error)}")


if __name__ == "__main__":
    main()
