"""MkDocs hooks: the first page, the README as overview, pages with the programs of the gallery, plain text for other
links that leave docs/, a script for the search and a style sheet."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GALLERY = ROOT / "examples" / "gallery"

# A code block, a link to a file, or inline code; only a link has a target.
_link = re.compile(
    r"^```.*?^```$|\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)

_README_NOTE = """\
This page is the README of Heddle's source repository, which has the files, folders and `make`
targets that it names.
"""

_PROGRAM_PAGE = """\
---
title: {name}
hide: [toc]
search: {{exclude: true}}
---

# {name}

A program of the [gallery](../../gallery.md).{needs}

```python
{code}```
"""


def on_files(files, config):
    """Add the first page, the README with links relative to docs/, the gallery's programs and the files that mkdocs.yml
    names."""
    from mkdocs.structure.files import File  # late: the tests of links run without MkDocs

    files.append(File.generated(config, "index.md", content=read_landing_page()))
    files.append(File.generated(config, "overview.md", content=read_readme_for_docs()))
    for program in sorted(GALLERY.glob("*.py")):
        uri = get_program_page(program).relative_to(DOCS).as_posix()
        files.append(File.generated(config, uri, content=write_program_page(program)))
    for name in ("iframe-worker.js", "extra.css"):
        content = (ROOT / "scripts" / "site" / name).read_text()
        files.append(File.generated(config, f"assets/{name}", content=content))
    return files


def get_program_page(program):
    """The path, as if it were in docs/, of the page that shows a program of the gallery."""
    return DOCS / program.relative_to(ROOT).with_suffix(".md")


def write_program_page(program):
    code = program.read_text()
    imported = re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)
    links = [f"[{name}.py]({name}.md)" for name in imported if (GALLERY / f"{name}.py").exists()]
    needs = f" To run it, save it in one folder with {' and '.join(links)}." if links else ""
    return _PROGRAM_PAGE.format(name=program.name, needs=needs, code=code)


def read_landing_page():
    """The first page, with the program of the README and its output."""
    readme = (ROOT / "README.md").read_text()
    example = re.search(r"^```python\n.*?^```\n\n```\n.*?^```$", readme, re.MULTILINE | re.DOTALL)
    page = (ROOT / "scripts" / "site" / "landing.md.in").read_text()
    return page.replace("{{ example }}", example[0])


def read_readme_for_docs():
    """The README's text with links relative to docs/, and with titles of pages in place of their paths."""
    title, _, text = (ROOT / "README.md").read_text().partition("\n")
    text = f"{title}\n\n{_README_NOTE}\n{text}"
    return _link.sub(_make_relative_to_docs, text)


def _make_relative_to_docs(link):
    text, target, anchor = link.groups(default="")
    if not target:
        return link[0]
    if target.startswith("docs/") and target.removesuffix("/README.md") == text:
        text = (ROOT / target).read_text().partition("\n")[0].removeprefix("# ")
    target = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
    return f"[{text}]({target}{anchor})"


def on_page_markdown(markdown, page, config, files):
    """Replace links to programs of the gallery by links to their pages, and links to other files that the site does not
    have by their names."""
    folder = (DOCS / page.file.src_uri).parent

    def within(link):
        text, target, _ = link.groups(default="")
        if not target:
            return link[0]
        path = (folder / target).resolve()
        if path.is_relative_to(DOCS):
            return link[0]
        if path.parent == GALLERY:
            return f"[{text}]({os.path.relpath(get_program_page(path), folder)})"
        name = path.relative_to(ROOT).as_posix()
        return text if name.rstrip("/") == text.strip("`").rstrip("/") else f"{text} (`{name}`)"

    return _link.sub(within, markdown)
