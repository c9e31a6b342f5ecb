"""The build backend of the wheel: scikit-build-core's, whose wheel is compressed as well as deflate can."""

import zipfile
from pathlib import Path

import scikit_build_core.build
from scikit_build_core.build import *  # noqa: F403 - the other hooks are as they are


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel and compress it again. Returns its file's name in ``wheel_directory``."""
    name = scikit_build_core.build.build_wheel(wheel_directory, config_settings, metadata_directory)
    built = Path(wheel_directory) / name
    smaller = built.with_suffix(".smaller")
    with (
        zipfile.ZipFile(built) as given,
        zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
    ):
        for entry in given.infolist():
            made.writestr(entry, given.read(entry), compresslevel=9)
    smaller.replace(built)
    return name
