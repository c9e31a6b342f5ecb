"""The build backend of the wheel: scikit-build-core's, whose wheel is compressed as well as deflate can."""

import zipfile
import zlib
from pathlib import Path

import deflate
import scikit_build_core.build
from scikit_build_core.build import *  # noqa: F403 - the other hooks are as they are

BEST = 12  # of libdeflate's levels; zlib's best makes files 4 % larger


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel and compress it again. Returns its file's name in ``wheel_directory``."""
    name = scikit_build_core.build.build_wheel(wheel_directory, config_settings, metadata_directory)
    built = Path(wheel_directory) / name
    smaller = built.with_suffix(".smaller")
    compress_again(built, smaller)
    smaller.replace(built)
    return name


def compress_again(given, made):
    """Write the files of the archive ``given`` to the archive ``made``."""
    with zipfile.ZipFile(given) as source, zipfile.ZipFile(made, "w") as target:
        for entry in source.infolist():
            add_compressed(target, entry, source.read(entry))


def add_compressed(archive, entry, data):
    """Add a file, compressed by libdeflate: a ``ZipFile`` itself calls zlib."""
    entry.compress_type = zipfile.ZIP_STORED
    compressed = deflate.deflate_compress(data, BEST)
    archive.writestr(entry, compressed)
    # What was written is what deflate made: the entry's headers say so.
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.CRC, entry.file_size = zlib.crc32(data), len(data)
    end = archive.fp.tell()
    archive.fp.seek(entry.header_offset)
    archive.fp.write(entry.FileHeader(zip64=False))
    archive.fp.seek(end)
