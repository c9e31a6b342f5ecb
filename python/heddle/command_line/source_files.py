"""Reads the files on the command line of ``heddle``."""

import os
import tokenize
import zipfile

from heddle.support.missing_names import find_nearest_name


class UnusableFile(Exception):
    """A file on the command line cannot be used. The message is one line, without the name of the subcommand."""


def require_folder_or_zip_program(path):
    """Raises UnusableFile unless ``path`` is a folder or a zip file with a ``__main__.py``."""
    if os.path.isdir(path):
        if not any(os.path.exists(os.path.join(path, f"__main__.py{c}")) for c in ("", "c")):
            raise UnusableFile(f"{path!r} is a folder without __main__.py: name a file in it")
        return
    _read_bytes(path)
    if not zipfile.is_zipfile(path):
        raise UnusableFile(f"{path!r} is not a zip file")


def read_python_bytes(path):
    """The bytes of a Python file. Raises UnusableFile, even for bytes that are not text in the file's encoding."""
    source = _read_bytes(path)
    try:
        encoding, _ = tokenize.detect_encoding(iter(source.splitlines(keepends=True)).__next__)
    except SyntaxError:  # not UTF-8, or the declaration is wrong, which the compiler reports
        encoding = "utf-8"
    _decode_source(path, source, encoding)
    return source


def read_nonempty_text(path):
    """The text of a UTF-8 file. Raises UnusableFile, even for an empty file."""
    text = _decode_source(path, _read_bytes(path), "utf-8")
    if not text.strip():
        raise UnusableFile(f"{path!r} is empty")
    return text


def _read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise UnusableFile(f"there is no file {path!r}{_suggest_file(path)}") from None
    except IsADirectoryError:
        raise UnusableFile(f"{path!r} is a folder: name a file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise UnusableFile(f"cannot read {path!r}: {reason}") from None


def _suggest_file(path):
    folder, name = os.path.split(path)
    folder = os.path.abspath(folder)
    try:
        names = os.listdir(folder)
    except OSError:
        return f": there is no folder {folder!r}"
    stem, ending = os.path.splitext(name)
    stems = [os.path.splitext(other)[0] for other in names if other.endswith(ending)]
    near = find_nearest_name(stem, stems)
    return f": did you mean {near + ending!r}?" if near else f" in {folder!r}"


def _decode_source(path, source, encoding):
    if b"\0" in source:
        raise UnusableFile(f"{path!r} is not text, it has null bytes: name a source file")
    try:
        return source.decode(encoding)
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise UnusableFile(
            f"{path!r} is not {encoding} text, see byte {source[error.start]:#04x} in line {line}: save it as UTF-8"
        ) from None
