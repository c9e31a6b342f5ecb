"""The wheel's build backend: scikit-build-core's, plus the tag manylinux and the strongest deflate compression."""

import base64
import hashlib
import re
import sys
import tempfile
import tomllib
import zipfile
import zlib
from pathlib import Path

import deflate
import scikit_build_core.build
from older_glibc import newer_symbols
from scikit_build_core.build import *  # noqa: F403 - the other hooks are as they are

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
BEST = 12  # libdeflate's highest level; files from zlib's highest level are 4 % larger


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = scikit_build_core.build.build_wheel(wheel_directory, config_settings, metadata_directory)
    return finish_wheel(wheel_directory, name)


def finish_wheel(folder, name):
    """Tag the wheel ``name`` in ``folder`` and compress it again. Returns its new name."""
    built = Path(folder) / name
    files = read_archive(built)
    if oldest := find_oldest_glibc(files):
        tag = f"manylinux_{oldest.replace('.', '_')}_"
        retag(files, tag)
        name = re.sub(r"-linux_(?=\w+\.whl$)", f"-{tag}", name)
    built.unlink()
    write_archive(Path(folder) / name, files)
    return name


def read_archive(path):
    """``{name: (entry, data)}`` of a zip archive."""
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: (entry, archive.read(entry)) for entry in archive.infolist()}


def write_archive(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in files.values():
            add_compressed(archive, entry, data)


def find_oldest_glibc(files):
    """The oldest glibc that all libraries of the wheel run with: HEDDLE_GLIBC of pyproject.toml.

    None, with a message on standard error, if a library needs a newer one.
    """
    project = tomllib.loads(PROJECT.read_text())
    oldest = project["tool"]["scikit-build"]["cmake"]["define"]["HEDDLE_GLIBC"]
    needed = []
    for name, (_, data) in files.items():
        if name.endswith(".so"):
            with tempfile.NamedTemporaryFile() as library:
                library.write(data)
                library.flush()
                needed += [f"{symbol} ({name})" for symbol in newer_symbols(library.name, oldest)]
    if not needed:
        return oldest
    print(
        f"This wheel may not run with glibc {oldest}. It needs:",
        *needed,
        sep="\n  ",
        file=sys.stderr,
    )
    return None


def retag(files, tag):
    """Replace linux_ by ``tag`` in the wheel's metadata, whose checksum is in RECORD."""
    metadata = next(name for name in files if name.endswith(".dist-info/WHEEL"))
    entry, data = files[metadata]
    data = re.sub(rb"-linux_(?=\w+$)", f"-{tag}".encode(), data, flags=re.MULTILINE)
    files[metadata] = (entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = metadata.replace("/WHEEL", "/RECORD")
    entry, lines = files[record]
    line = f"{metadata},sha256={digest},{len(data)}"
    lines = re.sub(f"^{re.escape(metadata)},.*?$", line, lines.decode(), flags=re.MULTILINE)
    files[record] = (entry, lines.encode())


def add_compressed(archive, entry, data):
    """Add a file compressed with libdeflate; ``ZipFile`` itself would use zlib."""
    entry.compress_type = zipfile.ZIP_STORED
    compressed = deflate.deflate_compress(data, BEST)
    archive.writestr(entry, compressed)
    # The data written is already compressed, so set the entry's sizes accordingly.
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.CRC, entry.file_size = zlib.crc32(data), len(data)
    end = archive.fp.tell()
    archive.fp.seek(entry.header_offset)
    archive.fp.write(entry.FileHeader(zip64=False))
    archive.fp.seek(end)
