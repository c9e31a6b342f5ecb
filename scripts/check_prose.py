"""Checks English: phrases to avoid, long paragraphs and long lines in pages, and the openings of comments in sources.

Code blocks and `code` are skipped. Tables may have long lines, but no phrases to avoid. Comments and docstrings name
the thing first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/*.md",
    "docs/tutorials/*.md",
    "docs/api/*.md",
    "docs/cheat_sheets/*.md",
    "docs/reference/*.md",
    "examples/README.md",
]

NOTES = [  # for developers, with longer lines
    f"{folder}/**/README.md" for folder in ("src", "python", "tests", "benchmarks", "scripts")
]
LIST_OF_NAMES = "docs/reference/names_of_numba.md"  # a list of names, not prose
SOURCES = [
    "src/**/*.h",
    "src/**/*.cpp",
    "src/**/*.def",
    "python/**/*.py",
    "tests/**/*.py",
    "tests/**/*.cpp",
    "tests/**/*.h",
    "tests/**/*.ll",
    *(
        f"{folder}/**/*.{kind}"
        for folder in ("scripts", "benchmarks", "examples")
        for kind in ("py", "cpp", "sh")
    ),
    "include/**/*.h",
    ".ci/*",
]
# The first words of a comment or a docstring; not of a question.
COMMENT = re.compile(r'\s*(?:///?<?|#|;|""")\s*(What|Whose|Who|Whether|Which|That which)\b(?!.*\?)')

MOST_COLUMNS = 100
MOST_WORDS = 90  # per paragraph

# A phrase to avoid (a regular expression without groups) -> what to write instead.
AVOID = {
    r"\bbehind\b": "after, past, beyond",
    r"\bof the host\b": "host function, host memory, the host's",
    r"\b[Ff]unctions? of C\b": "C function",
    r"\bof \w+'s(?=[.,;:)])": "a compound noun: NumPy ufuncs, not ufuncs of NumPy's",
    r"\b[Ss]uch\b(?! as\b)": "the noun itself",
    r"\b(?:[Ii]ts|[Tt]heir|'s) own\b": "a precise adjective: private, separate, per-block",
    r"\bin (?:the )?place of\b": "instead of, as",
    r", too\b": "also; too without a comma",
    r"\b(?:[Aa] few|[Aa]ll|[Ee]ach|[Ee]very|[Oo]ne|[Oo]ther|[Oo]wn|[Ss]ome|[Tt]he|[Tt]wo) rounds?\b": "iteration",
    r"\bis an? (?:exception|`?[A-Z]\w*Error)\b": "raises ...Error",
    r"\btimes as (?:long|fast|much)\b": "a factor: 3x slower",
    r"\b(?:half|third|quarter|fifth|sixth|eighth|tenth) of the time\b": "a factor: 3x faster",
    r"\b[Oo]f which\b": "a sentence with the noun as its subject",
    r"\bfor ever\b": "forever",
    r"\bthat are none\b": "not, no",
    r"(?<![Tt]here )\bis no\b(?! longer\b| more\b)": "is not a",
    r"\b[Gg]o(?:es)? on\b": "continue",
    r"\b[Oo]n return\b": "when the function returns",
    r"\b[Ll]eft out\b": "omitted",
    r"\b(?:[Ii]n|[Oo]ut)side of\b": "inside, outside",
    r"\bany more\b": "no longer, anymore",
    r"\b[Tt]he ones?\b(?! hand\b)": "the noun",
    r"\bin the way of\b": "a verb: prevent, block",
    r"\b[A-Za-z]+- (?!and\b|or\b|to\b)[a-z]": "the hyphenated word on one line",
    r"^(?:What|Whose|Who|Whether)\b(?!.*\?)": "the noun first",
    r"[.:;] (?:What|Whose|Who|Whether)\b(?!.*\?)": "the noun first",
}


def split_into_blocks(text):
    """The parts of a page without code blocks: (number of the first line, kind, lines).

    The kinds are heading, table and text. Each item of a list is a text.
    """
    found, kind, fenced = [], "", False
    for number, line in enumerate(text.splitlines(), 1):
        marker = line.lstrip().startswith("```")
        fenced ^= marker
        before, kind = kind, classify_line(line, kind)
        if fenced or marker:
            kind = "code"
        if kind in ("", "code"):
            continue
        if kind != before or kind == "heading" or is_list_item(line):
            found.append((number, kind, []))
        found[-1][2].append(line)
    return found


def classify_line(line, before):
    if not line.strip():
        return ""
    if line.startswith("    ") and before in ("", "code"):
        return "code"
    return {"#": "heading", "|": "table"}.get(line[0], "text")


def is_list_item(line):
    return re.match(r"\s*(?:[-*]|\d+\.) ", line) is not None


def remove_code(text):
    """The text with each `code` replaced by `x`, except names of exceptions."""
    return re.sub(r"(`+)(.+?)\1", lambda m: m[0] if m[2].endswith("Error") else "`x`", text)


def find_page_problems(text):
    """The problems in a page: a list of (line, message)."""
    found = []
    for first, kind, lines in split_into_blocks(text):
        for number, line in enumerate(lines, first):
            shown = re.sub(r"\]\([^)]*\)", "]", line)
            if kind == "text" and len(shown) > MOST_COLUMNS and " " in shown.strip():
                found.append((number, f"{len(shown)} columns, more than {MOST_COLUMNS}"))
        words = len(join_prose(lines).split())
        if kind == "text" and words > MOST_WORDS:
            found.append((first, f"paragraph of {words} words, more than {MOST_WORDS}"))
    return found + find_phrases(text)


def join_prose(lines):
    prose = remove_code(" ".join(line.strip() for line in lines))
    return re.sub(r"^(?:[-*]|\d+\.) ", "", prose)


def find_phrases(text):
    """The phrases to avoid in a page: a list of (line, message)."""
    return [
        (first, f"'{match[0].strip()}': write {instead}")
        for first, kind, lines in split_into_blocks(text)
        if kind != "heading"
        for phrase, instead in AVOID.items()
        for match in re.finditer(phrase, join_prose(lines))
    ]


def find_comment_problems(text):
    """The comments of a source that do not name the thing first: (line, message) for each."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.match(line)
        if match and not inside:
            found.append((number, f"a comment opens with '{match[1]}': name the thing first"))
        inside = re.match(r"\s*(//|#|;)", line) is not None
    return found


def list_files(patterns):
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def main():
    failed = False
    for check, patterns in (
        (find_page_problems, PAGES),
        (find_phrases, NOTES),
        (find_comment_problems, SOURCES),
    ):
        for path in list_files(patterns):
            if path == ROOT / LIST_OF_NAMES:
                continue
            for line, message in check(path.read_text()):
                print(f"{path.relative_to(ROOT)}:{line}: {message}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
