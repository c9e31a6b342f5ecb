"""The page docs/reference/messages.md: every program on it fails with the text that stands below it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


page = load("show_messages")
MISTAKES = page.mistakes()


@pytest.mark.parametrize(
    "source, shown",
    [(source, shown) for _, source, shown in MISTAKES],
    ids=[heading.replace(" ", "-") for heading, _, _ in MISTAKES],
)
def test_a_likely_mistake_is_told_as_the_page_shows(device, tmp_path, source, shown):
    assert page.message_of(source, tmp_path) == shown, (
        "if the new text is right, write it into the page with `make reference`"
    )


def test_the_page_has_at_least_sixty_mistakes_each_with_a_text():
    assert len(MISTAKES) >= 60 and all(shown for _, _, shown in MISTAKES)


def test_every_message_about_a_kernels_source_shows_line_caret_hint_and_types():
    compiled = [shown for _, _, shown in MISTAKES if "  compiling " in shown]
    without = [shown for shown in compiled if "^" not in shown or "hint: " not in shown]
    assert len(compiled) >= 60 and not without, "\n".join(without)
