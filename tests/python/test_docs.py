"""The documentation shows the real output of its programs: ``python`` blocks are files, ``console`` blocks commands."""

import importlib.util
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import heddle
from heddle import cuda

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    return [match.groups() for match in BLOCK.finditer((ROOT / path).read_text())]


def files_of(path):
    """The programs of a page: their texts by the name in the first line."""
    sources = [text for kind, text in blocks(path) if kind == "python"]
    return {text.splitlines()[0].removeprefix("# "): text for text in sources}


def commands_of(path):
    """The commands of a page in order, each with the output that the page shows."""
    found = []
    for kind, text in blocks(path):
        if kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                found.append((command, printed))
    return found


def matches(pattern, printed):
    """True if the text equals that of the page. Numbers and paths that depend on the machine or the time may differ."""
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


@pytest.mark.parametrize(
    "page", ["docs/reference/language.md", "docs/trace.md", "docs/ufuncs_and_reductions.md"]
)
def test_a_page_prints_what_it_shows(run_command, tmp_path, page):
    for name, text in files_of(page).items():
        (tmp_path / name).write_text(text)
    for command, shown in commands_of(page):
        assert matches(shown, run_command(command)), command


PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not path.relative_to(ROOT).parts[0].startswith((".", "build", "dist"))
)
FOLDER_PAGES = [page for page in PAGES if page.count("/") and page.endswith("README.md")]
FOLDERS = "src|docs|tests|python|scripts|cmake|examples|benchmarks|include"


def exists(folder, path):
    """True if the file or folder exists; a source may be named without its suffix, and the name may contain *."""
    return any(folder.glob(path)) or any(folder.glob(path + ".*"))


def slug(heading):
    """GitHub's anchor for a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_exists(page):
    text = (ROOT / page).read_text()
    named = re.findall(rf"(?<![\w/.~-])(?:{FOLDERS})/[\w./*-]*[\w*]", text)
    assert [path for path in named if not exists(ROOT, path)] == []


def find_dead_links(text, page):
    """The links in the text of a page that lead nowhere. page: its path, to which links are relative."""
    prose = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))
    dead = []
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose):
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        headings = re.findall(r"^#+ (.*)", path.read_text(), re.M) if anchor else []
        if not path.exists() or (anchor and anchor not in map(slug, headings)):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page):
    assert find_dead_links((ROOT / page).read_text(), ROOT / page) == []


@pytest.mark.parametrize("page", FOLDER_PAGES)
def test_a_folders_page_lists_what_the_folder_has(page):
    text = BLOCK.sub("", (ROOT / page).read_text())
    rows = re.findall(r"^    (\S.*?)(?:  |$)", text, re.M)
    listed = [name for row in rows for name in re.sub(r"\{.*?\}", "*", row).split(", ")]
    named = re.findall(r"`([\w./*-]+/[\w./*-]+)`", text)
    folders = [(ROOT / page).parent, ROOT / "src", ROOT]
    missing = [name for name in listed if not exists(folders[0], name)]
    named = [name for name in named if not name.startswith("build/")]  # what a build makes
    missing += [name for name in named if not any(exists(folder, name) for folder in folders)]
    assert missing == []


def test_every_page_of_docs_is_in_the_sites_navigation():
    navigation = (ROOT / "scripts" / "site" / "mkdocs.yml").read_text()
    pages = [page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")]
    assert [page for page in pages if page not in navigation] == []


def split_for_the_search(text):
    """The words of a text in the site's search index."""
    site = (ROOT / "scripts" / "site" / "mkdocs.yml").read_text()
    separator = re.search(r"separator: '(.*)'", site)[1]
    return [word for word in re.split(separator, text, flags=re.ASCII) if word]


@pytest.mark.parametrize(
    "text, words",
    [
        ("x = cuda.to_device(a)", ["x", "to_device", "a"]),
        ("cuda.shared.array(8, np.int32)", ["shared", "array", "8", "int32"]),
        ("numba.cuda, heddle.cuda.", ["numba", "cuda", "cuda"]),
        ("__syncthreads();", ["syncthreads"]),
        ("`HEDDLE_DEVICE=cpu`", ["HEDDLE_DEVICE", "cpu"]),
        ("version 12.0 (a-b)", ["version", "12.0", "a", "b"]),
        ("kernel[4, 256](x[i]).", ["kernel", "4", "256", "x", "i"]),
    ],
)
def test_the_search_finds_a_name_in_code(text, words):
    assert split_for_the_search(text) == words


def load_hooks():
    """The module with the site's MkDocs hooks."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "site" / "pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    return pages


def on_the_site(page):
    """The text of a page, named as in docs/, as MkDocs gets it."""
    pages = load_hooks()
    made = {"index.md": pages.read_landing_page, "overview.md": pages.read_readme_for_docs}
    text = made[page]() if page in made else (ROOT / "docs" / page).read_text()
    file = types.SimpleNamespace(file=types.SimpleNamespace(src_uri=page))
    return pages.on_page_markdown(text, file, None, None)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page == "README.md" or page.startswith("docs/")]
)
def test_the_site_shows_code_as_the_page_has_it(page):
    shown = on_the_site("overview.md" if page == "README.md" else page.removeprefix("docs/"))
    assert [block.groups() for block in BLOCK.finditer(shown)] == blocks(page)


def test_the_site_has_a_page_with_each_program_of_the_gallery():
    pages = load_hooks()
    linked = re.findall(r"\]\(examples/gallery/(\w+)\.md\)", on_the_site("gallery.md"))
    assert len(linked) == 13
    for program in (pages.GALLERY / f"{name}.py" for name in linked):
        assert program.read_text() in pages.write_program_page(program)


def test_the_page_of_a_program_links_to_the_files_that_it_imports():
    pages = load_hooks()
    page = pages.write_program_page(pages.GALLERY / "edges.py")
    assert "in one folder with [spheres.py](spheres.md) and [palette.py](palette.md)." in page


def test_the_site_names_files_that_it_does_not_have():
    shown = on_the_site("overview.md")
    assert "see LICENSE." in shown
    assert "source repository" in shown


def test_the_overview_names_pages_by_their_titles():
    shown = on_the_site("overview.md")
    assert "[Running on GPUs](gpus.md)" in shown and "[docs/" not in shown


def test_the_first_page_of_the_site_has_the_program_of_the_readme():
    shown = [text for _, text in BLOCK.findall(on_the_site("index.md"))]
    assert len(shown) == 2 and "@cuda.jit" in shown[0]
    assert all(text in (ROOT / "README.md").read_text() for text in shown)


def test_every_link_of_the_first_page_leads_somewhere():
    shown = on_the_site("index.md")
    dead = find_dead_links(shown, ROOT / "docs" / "index.md")
    assert dead == ["overview.md"]  # the README, which the site adds
    assert shown.count("](") > 30
