"""What the documentation shows is what its programs print: ``python`` blocks are files, ``console`` blocks commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heddle
from heddle import cuda

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    return [match.groups() for match in BLOCK.finditer((ROOT / path).read_text())]


def files_of(path):
    """The programs of a page: their text by the name in their first line."""
    sources = [text for kind, text in blocks(path) if kind == "python"]
    return {text.splitlines()[0].removeprefix("# "): text for text in sources}


def commands_of(path):
    """The commands of a page in order, each with what the page says it prints."""
    found = []
    for kind, text in blocks(path):
        if kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                found.append((command, printed))
    return found


def matches(pattern, printed):
    """Whether the text is as the page shows it. What depends on the machine or the moment may be any number or path."""
    pattern = re.escape(pattern.rstrip("\n")).replace(r"\.\.\.", r"[\s\S]*?")
    pattern = re.sub(r"\d[\d\\.]*(?=\\? (ms|GiB|KiB))", r"[\\d.]+", pattern)
    return re.fullmatch(pattern, printed.rstrip("\n")) is not None


@pytest.fixture
def run_command(tmp_path):
    def run(command):
        program, *arguments = command.split()
        start = {"python": [sys.executable], "heddle": [sys.executable, "-m", "heddle"]}[program]
        result = subprocess.run(
            [*start, *arguments],
            env={
                **os.environ,
                "PYTHONPATH": str(Path(heddle.__file__).parent.parent),
                "HEDDLE_CACHE_DIR": str(tmp_path / "cache"),
            },
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return result.stdout

    return run


def test_getting_started_prints_what_it_shows(run_command, tmp_path):
    page = "docs/getting_started.md"
    for name, text in files_of(page).items():
        (tmp_path / name).write_text(text)
    commands = [(c, shown) for c, shown in commands_of(page) if c != "heddle info"]
    assert len(commands) >= len(files_of(page))
    wrong = []
    for command, shown in commands:
        printed = run_command(command)
        shown = shown.replace(" for cpu", f" for {cuda.get_current_device().type}")
        if not matches(shown, printed):
            wrong.append(f"$ {command}\n{printed}")
    assert not wrong, "\n".join(wrong)


def test_the_readme_prints_what_it_shows(run_command, tmp_path):
    page = blocks("README.md")
    at = next(i for i, (kind, _) in enumerate(page) if kind == "python")
    (tmp_path / "readme.py").write_text(page[at][1])
    assert run_command("python readme.py") == page[at + 1][1]


def test_the_language_page_prints_what_it_shows(run_command, tmp_path):
    page = "docs/reference/language.md"
    for name, text in files_of(page).items():
        (tmp_path / name).write_text(text)
    for command, shown in commands_of(page):
        assert matches(shown, run_command(command)), command
