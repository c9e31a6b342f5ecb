"""The wheel's build backend: scikit-build-core's, plus the strongest deflate compression."""

import zipfile
import zlib
from pathlib import Path

import deflate
import scikit_build_core.build
from scikit_build_core.build import *  # noqa: F403 - the other hooks are as they are

BEST = 12  # libdeflate's highest level; files from zlib's highest level are 4 % larger


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel and compress it again. Returns its file name in ``wheel_directory``."""
    name = scikit_build_core.build.build_wheel(wheel_directory, config_settings, metadata_directory)
    built = Path(wheel_directory) / name
    smaller = built.with_suffix(".smaller")
    recompress_archive(built, smaller)
    smaller.replace(built)
    return name


def recompress_archive(given, made):
    """Write the files of the archive ``given`` to the archive ``made``."""
    with zipfile.ZipFile(given) as source, zipfile.ZipFile(made, "w") as target:
        for entry in source.infolist():
            add_compressed(target, entry, source.read(entry))


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
