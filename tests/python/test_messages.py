"""The pages of wrong programs: each program fails with the message shown below it.

messages.md has a hundred programs; docs/reference/mistakes.md, for users, has twenty, with corrections.
"""

import importlib.util
from pathlib import Path

import pytest

from heddle import cuda

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = load("show_messages")
MESSAGES = pages.read_mistakes(pages.MESSAGES)
MISTAKES = pages.read_mistakes(pages.MISTAKES)
CORRECTIONS = pages.read_corrections(pages.MISTAKES)


def names(entries):
    return [entry[0].replace(" ", "-") for entry in entries]


@pytest.mark.parametrize("heading, source, shown", MESSAGES, ids=names(MESSAGES))
def test_a_likely_mistake_has_the_message_that_the_page_shows(
    device, tmp_path, heading, source, shown
):
    if shown.startswith("IndexError") and device.type != "cpu":
        pytest.skip("without debug=True, only the CPU device checks indices")
    assert pages.run_and_get_message(source, tmp_path) == shown, (
        "if the new text is right, write it into the page with `make reference`"
    )


@pytest.mark.parametrize("heading, source, shown", MISTAKES, ids=names(MISTAKES))
def test_a_mistake_of_the_reference_has_the_message_that_the_page_shows(
    device, tmp_path, heading, source, shown
):
    if device.type != "cpu" and ("on the CPU device" in heading or shown.startswith("IndexError")):
        pytest.skip("only the CPU device stops such a kernel")
    assert pages.run_and_get_message(source, tmp_path) == shown, (
        "if the new text is right, write it into the page with `make reference`"
    )


@pytest.mark.parametrize("heading, source", CORRECTIONS, ids=names(CORRECTIONS))
def test_what_the_reference_advises_instead_works(device, tmp_path, heading, source):
    assert pages.run_and_get_message(source, tmp_path) is None
    cuda.synchronize()


def test_the_reference_has_twenty_mistakes_each_with_a_correction():
    assert len(MISTAKES) == 20 and names(MISTAKES) == names(CORRECTIONS)


def test_every_correction_checks_its_result_unless_it_only_prints():
    unchecked = [heading for heading, source in CORRECTIONS if "assert" not in source]
    assert unchecked == ["A kernel formats a string"]


def test_the_page_of_messages_has_at_least_sixty_each_with_a_text():
    assert len(MESSAGES) >= 60 and all(shown for _, _, shown in MESSAGES)


def test_every_message_about_a_kernels_source_shows_line_caret_hint_and_types():
    compiled = [shown for _, _, shown in MESSAGES if "  compiling " in shown]
    without = [shown for shown in compiled if "^" not in shown or "hint: " not in shown]
    assert len(compiled) >= 60 and not without, "\n".join(without)
