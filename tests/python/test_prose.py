"""scripts/check_prose.py finds phrases to avoid, long paragraphs and long lines, but not in code."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_prose.py"


@pytest.fixture(scope="module")
def check_prose():
    spec = importlib.util.spec_from_file_location("check_prose", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "text",
    [
        "Threads behind the end return.",
        "Kernels and functions of the host call it.",
        "Functions of C have an address.",
        "They are ufuncs of NumPy's.",
        "Such arrays are refused.",
        "Each block has its own counter.",
        "Use a list in place of a tuple.",
        "GPUs do so, too.",
        "A thread takes two rounds.",
        "An index out of bounds is an `IndexError`.",
        "It takes three times as long.",
        "What the body raises reaches the caller.",
        "- Whose types differ is an array.",
        "It has a stream. Whether it waits depends on the device.",
        "| time | a third of the time |",
        "A sentence that wraps before the\nphrase, in place\nof another.",
        "A list is no constant.",
        "The host goes on.",
        "The array is complete on return.",
        "Arguments may be left out.",
        "An access outside of an array fails.",
        "It does not compile any more.",
        "Heddle calls the one that loses least.",
        "Nothing is in the way of vector code.",
        "The kernel is memory-\nbound.",
    ],
)
def test_a_phrase_to_avoid_is_a_problem(check_prose, text):
    assert len(check_prose.find_page_problems(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Threads past the end return, such as the last one.",
        "There is no GPU, and the array is no longer in use.",
        "Signed 32- and 64-bit integers, host- or device-side, and one after the other.",
        "On the one hand, a wait with no more than 2 ms is outside the loop.",
        "# What does not work",
        "What is a warp?",
        "The option `behind` and ``a `such` b`` are code.",
        "```\nfunctions of the host behind\n```",
        "Code:\n\n    behind = 1\n\n    its_own = behind",
        "| " + "wide " * 40 + "|",
        "[text](" + "x" * 200 + ")",
        "- " + "word " * 10 + "\n\n- " + "word " * 10,
    ],
)
def test_plain_english_and_code_have_no_problem(check_prose, text):
    assert check_prose.find_page_problems(text) == []


def test_a_problem_names_its_line(check_prose):
    assert [
        line for line, _ in check_prose.find_page_problems("# Title\n\nFine.\n\nGPUs do so, too.")
    ] == [5]


def test_a_long_line_is_a_problem(check_prose):
    assert check_prose.find_page_problems("a " * 50 + "b") == [(1, "101 columns, more than 100")]


def test_a_long_paragraph_is_a_problem(check_prose):
    item = "- " + "\n  ".join(["ten words of text that fill a line of it"] * 10)
    assert check_prose.find_page_problems(item) == [(1, "paragraph of 100 words, more than 90")]


def test_items_of_a_list_are_paragraphs_of_their_length(check_prose):
    assert check_prose.find_page_problems("\n".join(["- a list of words"] * 40)) == []
