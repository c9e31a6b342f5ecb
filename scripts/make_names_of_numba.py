"""Writes docs/reference/names_of_numba.md: what every public name of numba.cuda and the modules around it is here.

Run by `make reference`, with heddle on the path. numba's names are in tests/python/names_of_numba.txt, which
scripts/list_names_of_numba.py writes; what is said of those that heddle lacks is in heddle/compat/numba_inside.py.
"""

import importlib
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
NAMES_OF_NUMBA = ROOT / "tests" / "python" / "names_of_numba.txt"
PAGE = ROOT / "docs" / "reference" / "names_of_numba.md"

GENERATED = (
    "<!-- Written by `make reference` from heddle's modules and numba's names: change those. -->"
)
INTRODUCTION = """\
What a program finds that imports numba under `heddle run`, module by module, for every public name of
{versions}.

- **works**: the name is there. What kernels may use is described in the other pages of this reference.
- **numba's inside**: the name belongs to numba's own compiler or runtime. Using it raises an error that says what to
  use instead.
"""


class Names(NamedTuple):
    """The names of one module of numba's, by what they are here."""

    module: str
    works: list
    inside: dict  # what to use instead -> names
    unknown: list


def names_of_numba():
    """numba's public names: a dict from module to names, in the order of the file."""
    found, module = {}, None
    for line in NAMES_OF_NUMBA.read_text().splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("  "):
            found[module] += line.split()
        else:
            module = line.rstrip(":")
            found[module] = []
    return found


def versions_of_numba():
    """Which releases the file is of: "numba 0.68.1 and numba-cuda 0.30.4"."""
    second = NAMES_OF_NUMBA.read_text().splitlines()[1]
    return second.strip("# .").replace(", ", " and ")


def module_or_none(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def what_they_are(module, names):
    """Looks each name up in heddle's stand-in for the module, which must be installed."""
    from heddle.compat.numba_inside import instead_of

    stand_in = module_or_none(module)
    found = Names(module, [], {}, [])
    for name in names:
        full = f"{module}.{name}".partition(".")[2]
        if hasattr(stand_in, name):
            found.works.append(name)
        elif instead_of(full):
            found.inside.setdefault(instead_of(full), []).append(name)
        else:
            found.unknown.append(name)
    return found


def all_names():
    """What each name is, a list of Names."""
    from heddle import compat

    was_installed = compat.installed()
    compat.install()
    try:
        return [what_they_are(module, names) for module, names in names_of_numba().items()]
    finally:
        if not was_installed:
            compat.uninstall()


def paragraph(heading, names):
    text = f"{heading}: " + " ".join(f"`{name}`" for name in names)
    return [*textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False), ""]


def section(names):
    lines = [f"## {names.module}", ""]
    if names.works:
        lines += paragraph("**works**", names.works)
    for instead, inside in names.inside.items():
        lines += paragraph(f"**numba's inside** ({instead})", inside)
    return lines


def summary(every):
    works = sum(len(names.works) for names in every)
    inside = sum(len(group) for names in every for group in names.inside.values())
    return f"Of {works + inside} names {works} work, {inside} are numba's inside."


def page():
    """The page's text."""
    every = all_names()
    lines = [
        "# Names of numba",
        "",
        GENERATED,
        "",
        INTRODUCTION.format(versions=versions_of_numba()),
    ]
    lines += [summary(every), ""]
    for names in every:
        lines += section(names)
    return "\n".join(lines)


def check():
    """Names that the compatibility modules forgot, and whether the page is up to date: a text for each problem."""
    for found in all_names():
        for name in found.unknown:
            yield f"{found.module}.{name} neither works nor is refused with a message"
    if PAGE.read_text() != page():
        yield f"docs/reference/{PAGE.name} is not up to date: run `make reference` and commit it"


def main():
    if "--check" in sys.argv[1:]:
        problems = list(check())
        print(*problems, sep="\n", end="\n" if problems else "")
        return bool(problems)
    text = page()
    if not PAGE.exists() or PAGE.read_text() != text:
        print(f"docs/reference/{PAGE.name}")
        PAGE.write_text(text)
    return False


if __name__ == "__main__":
    sys.exit(main())
