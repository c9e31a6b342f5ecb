"""Keeps source text that a program compiles without a file, under ``heddle run`` and in notebooks.

Elsewhere, a function without a file is rebuilt from its bytecode, without comments and some lines.
"""

import os
import sys
import threading

# The limit for all texts together, in characters. The oldest are dropped first.
_most_kept = 16 * 2**20

_texts = {}  # (file name, text) -> None, in the order of compilation
_size = 0
_guard = threading.RLock()  # guards _texts and _size
_keeps = None  # None: the audit hook, which cannot be removed, is not installed yet


def start_keeping_source_texts():
    """Starts keeping the source texts that the program compiles."""
    global _keeps
    if _keeps is None:
        sys.addaudithook(_keep_compiled_source_text)
    _keeps = True


def stop_keeping_source_texts():
    """Stops keeping texts and drops those that are kept."""
    global _keeps, _size
    if _keeps:
        _keeps = False
        with _guard:
            _texts.clear()
            _size = 0


def find_kept_source_texts(file):
    """The texts that were compiled under the name ``file``, latest first."""
    with _guard:
        texts = list(_texts)
    return [text for name, text in reversed(texts) if name == file]


def _keep_compiled_source_text(event, arguments):
    if event != "compile" or not _keeps:
        return
    text, file = arguments
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    has_functions = isinstance(text, str) and ("def " in text or "lambda" in text)
    if has_functions and isinstance(file, str) and not os.path.exists(file):
        keep_source_text(file, text)


def keep_source_text(file, text):
    """Keeps a text that is in no file."""
    global _size
    with _guard:
        if (file, text) in _texts:
            del _texts[file, text]
            _size -= len(text)
        _texts[file, text] = None
        _size += len(text)
        while _size > _most_kept:
            oldest = next(iter(_texts))
            del _texts[oldest]
            _size -= len(oldest[1])
