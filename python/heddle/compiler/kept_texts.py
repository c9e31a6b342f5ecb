"""Texts that a program compiles and that are in no file, kept as they are compiled: under ``heddle run``, in notebooks.

Elsewhere a function without a file is rebuilt from its bytecode, which knows no comments and not every line.
"""

import os
import sys

# In characters, of all texts together: the oldest go first.
_most_kept = 16 * 2**20

_texts = {}  # (file name, text) -> None, in the order in which they were compiled
_size = 0
_keeps = False


def keep_texts():
    """Keep texts from here on, until Python ends: it has nothing that takes an audit hook away."""
    global _keeps
    if not _keeps:
        sys.addaudithook(_see)
    _keeps = True


def texts_of(file):
    """The texts that were compiled under the name ``file``, the latest first."""
    return [text for name, text in reversed(list(_texts)) if name == file]


def _see(event, arguments):
    if event != "compile":
        return
    text, file = arguments
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    has_functions = isinstance(text, str) and ("def " in text or "lambda" in text)
    if has_functions and isinstance(file, str) and not os.path.exists(file):
        keep_text(file, text)


def keep_text(file, text):
    """Keep one text that is in no file."""
    global _size
    if (file, text) in _texts:
        del _texts[file, text]
        _size -= len(text)
    _texts[file, text] = None
    _size += len(text)
    while _size > _most_kept:
        oldest = next(iter(_texts))
        del _texts[oldest]
        _size -= len(oldest[1])
