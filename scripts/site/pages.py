"""Hooks of MkDocs: the README as the first page, and links that lead out of docs/ as text."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_link = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files, config):
    """Adds the README, with its links as they are from docs/."""
    text = _link.sub(_from_docs, (ROOT / "README.md").read_text())
    files.append(File.generated(config, "index.md", content=text))
    return files


def _from_docs(link):
    text, target, anchor = link.groups(default="")
    target = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
    return f"[{text}]({target}{anchor})"


def on_page_markdown(markdown, page, config, files):
    """Names the file that a link leads to where the site does not have it."""
    folder = (DOCS / page.file.src_uri).parent

    def within(link):
        text, target, _ = link.groups(default="")
        path = (folder / target).resolve()
        if path.is_relative_to(DOCS):
            return link[0]
        name = path.relative_to(ROOT).as_posix()
        return text if name.rstrip("/") == text.strip("`").rstrip("/") else f"{text} (`{name}`)"

    return _link.sub(within, markdown)
