"""Texts that a program compiles and that are in no file, kept as they are compiled: under ``heddle run``, in notebooks.

Elsewhere a function without a file is rebuilt from its bytecode, which knows no comments and not every line.
"""

import os
import sys

# In characters, of all texts together: the oldest go first.
_most_kept = 16 * 2**20

_texts = {}  # (file name, text) -> None, in the order in which they were compiled
_size = 0
_keeps = None  # None: there is no audit hook yet, which Python has nothing to take away


def keep_texts():
    """Keep texts from here on."""
    global _keeps
    if _keeps is None:
        sys.addaudithook(_see)
    _keeps = True


def forget_texts():
    """Keep no further texts, and none of those that are kept."""
    global _keeps, _size
    if _keeps:
        _keeps = False
        _texts.clear()
        _size = 0


def texts_of(file):
    """The texts that were compiled under the name ``file``, the latest first."""
    return [text for name, text in reversed(list(_texts)) if name == file]


def _see(event, arguments):
    if event != "compile" or not _keeps:
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
