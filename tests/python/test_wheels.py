"""The wheel's build: libraries that need only an older glibc, and the tag that says so."""

import base64
import ctypes
import hashlib
import math
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "wheel"))
older_glibc = pytest.importorskip("older_glibc")
wheel_backend = pytest.importorskip("wheel_backend")

CALLS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>
static void *run(void *x) { *(double *)x = exp(*(double *)x); return NULL; }
int call(double *x) {
  pthread_t thread;
  return pthread_create(&thread, NULL, run, x) || pthread_join(thread, NULL) || dlsym(NULL, "no such name");
}
"""
NEWER = "int call_newer(void) { return gettid(); }"


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("stubs")
    older_glibc.make_stubs("2.28", folder, compiler="cc -pipe")  # as for cross builds, with options
    return folder


def link(folder, source, *options):
    """Compile C to a library or, with a function main, to a program."""
    made = folder / "made"
    (folder / "source.c").write_text(source)
    kind = [] if "main" in source else ["-shared"]
    command = [
        "cc",
        "-O1",
        "-fno-builtin",
        "-fPIC",
        *kind,
        folder / "source.c",
        "-o",
        made,
        *options,
    ]
    subprocess.run(list(map(str, command)), check=True)
    return made


def test_a_library_linked_with_stubs_needs_only_the_older_glibc(stubs, tmp_path):
    library = link(tmp_path, CALLS, f"-L{stubs}", "-lpthread", "-ldl", "-lm")
    assert older_glibc.newer_symbols(library, "2.28") == []


def test_a_library_linked_without_stubs_needs_this_machines_glibc(stubs, tmp_path):
    library = link(tmp_path, CALLS, "-lm")
    assert "exp@GLIBC_2.29" in older_glibc.newer_symbols(library, "2.28")


def test_a_newer_function_is_found(stubs, tmp_path):
    library = link(tmp_path, CALLS + NEWER, f"-L{stubs}", "-lpthread", "-ldl", "-lm")
    assert older_glibc.newer_symbols(library, "2.28") == ["gettid"]


def test_a_library_linked_with_stubs_runs(stubs, tmp_path):
    library = ctypes.CDLL(link(tmp_path, CALLS, f"-L{stubs}", "-lpthread", "-ldl", "-lm"))
    x = ctypes.c_double(1)
    assert library.call(ctypes.byref(x)) == 0
    assert x.value == pytest.approx(math.e)


@pytest.fixture
def wheel(tmp_path, stubs):
    """A function that packs a library as a wheel and lets the build backend finish it."""
    info = "a-1.dist-info"

    def pack(library):
        files = {
            "a/a.so": library.read_bytes(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n",
            f"{info}/RECORD": f"a/a.so,,\n{info}/WHEEL,sha256=old,52\n{info}/RECORD,,\n".encode(),
        }
        with zipfile.ZipFile(tmp_path / "a-1-cp311-cp311-linux_x86_64.whl", "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return tmp_path / wheel_backend.finish_wheel(tmp_path, "a-1-cp311-cp311-linux_x86_64.whl")

    return pack


def test_a_wheel_that_needs_only_the_older_glibc_is_tagged(wheel, stubs, tmp_path):
    made = wheel(link(tmp_path, CALLS, f"-L{stubs}", "-lpthread", "-ldl", "-lm"))
    assert made.name == "a-1-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(made) as archive:
        metadata, record = archive.read("a-1.dist-info/WHEEL"), archive.read("a-1.dist-info/RECORD")
    assert b"Tag: cp311-cp311-manylinux_2_28_x86_64\n" in metadata
    digest = base64.urlsafe_b64encode(hashlib.sha256(metadata).digest()).rstrip(b"=")
    assert b"a-1.dist-info/WHEEL,sha256=%b,%d\n" % (digest, len(metadata)) in record


def test_a_wheel_that_needs_a_newer_glibc_keeps_its_tag(wheel, stubs, tmp_path, capsys):
    made = wheel(link(tmp_path, CALLS, "-lm"))
    assert made.name == "a-1-cp311-cp311-linux_x86_64.whl"
    assert "exp@GLIBC_2.29 (a/a.so)" in capsys.readouterr().err
