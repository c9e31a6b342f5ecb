"""Cached code on disk that other users can change is not run: a warning says so, and the kernel is compiled again."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import heddle

_programs = {
    "kernel": """
@cuda.jit(cache=True)
def add(x):
    x[cuda.grid(1)] += 1

def run():
    x = np.zeros(4)
    add[1, 4](x)
    assert (x == 1).all()
    return len(add.stats.cache_hits)
""",
    "host function": """
from heddle import njit

@njit(cache=True)
def add(x):
    return x + 1

def run():
    assert add(1) == 2
    return len(add.stats.cache_hits)
""",
    "CUDA C++": """
add = heddle.RawKernel('extern "C" __global__ void add(int* x) { *x += 1; }', "add")

def run():
    x = np.zeros(1, "i")
    add(1, 1, (x,))
    assert x[0] == 1
    return int(add.from_cache) if hasattr(add, "from_cache") else -1
""",
}
_begin = "import os, sys\nimport numpy as np\nimport heddle\nfrom heddle import cuda\n"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def run(run_python, tmp_path):
    """Run one of the programs with its cache in tmp_path/cache; return its output and stderr."""

    def result(kind, after="print(run())"):
        environment = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache")}
        if kind == "CUDA C++":
            environment["HEDDLE_DEVICE"] = "cpu"  # it alone takes NumPy's arrays
        done = run_python(_begin + _programs[kind] + after, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    return result


def _entries(tmp_path):
    """CUDA C++ has an additional entry for the shape of the launch."""
    found = sorted((tmp_path / "cache").rglob("*.entry"))
    assert found
    return found


@pytest.mark.parametrize("kind", ["kernel", "host function"])
def test_the_users_own_entry_is_a_hit_without_a_warning(run, kind):
    run(kind)
    assert run(kind) == ("1", "")


@pytest.mark.parametrize("kind", list(_programs))
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_an_entry_that_others_can_write_is_compiled_anew_with_a_warning(run, tmp_path, kind, mode):
    run(kind)
    entries = _entries(tmp_path)
    for entry in entries:
        entry.chmod(mode)
    hits, errors = run(kind)
    assert hits in ("0", "-1")
    told = "NumbaSystemWarning: compiled code on disk is not used: {} can be written by other users"
    assert any(told.format(entry) in errors for entry in entries)
    assert "HEDDLE_CACHE_DIR" in errors
    assert {entry.stat().st_mode & 0o777 for entry in entries} == {0o600}  # replaced
    assert run(kind)[1] == ""


@pytest.mark.parametrize("kind", list(_programs))
@pytest.mark.parametrize("place", ["cache", "cache/kernels"])
def test_a_directory_that_others_can_write_is_not_used(run, tmp_path, kind, place):
    run(kind)
    before = [entry.stat().st_mtime_ns for entry in _entries(tmp_path)]
    (tmp_path / place).chmod(0o777)
    hits, errors = run(kind)
    assert hits in ("0", "-1")
    assert f"{tmp_path / place} can be written by other users" in errors
    assert [entry.stat().st_mtime_ns for entry in _entries(tmp_path)] == before


@as_root
@pytest.mark.parametrize("kind", list(_programs))
@pytest.mark.parametrize("place", ["entry", "cache/kernels", "cache"])
def test_what_belongs_to_another_user_is_not_used(run, tmp_path, kind, place):
    run(kind)
    paths = _entries(tmp_path) if place == "entry" else [tmp_path / place]
    for path in paths:
        os.chown(path, 12345, -1)
    hits, errors = run(kind)
    assert hits in ("0", "-1")
    assert any(f"{path} belongs to user 12345" in errors for path in paths)


@pytest.fixture
def tmp_path_of_all():
    """A directory that every user can reach. pytest makes its own directories private when it starts."""
    with tempfile.TemporaryDirectory(prefix="heddle-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@as_root
def test_another_user_takes_nothing_from_the_cache_of_a_user(tmp_path_of_all):
    shared, program = tmp_path_of_all / "shared", tmp_path_of_all / "program.py"
    shared.mkdir()
    shared.chmod(0o1777)
    switch = "import os, sys\nos.setuid(int(sys.argv.pop()))\n"
    program.write_text(_begin + switch + _programs["kernel"] + "print(run())")
    package = str(Path(heddle.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": package, "HEDDLE_CACHE_DIR": str(shared)}

    def run_as(user):
        command = [sys.executable, program, str(user)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    first, second = run_as(12345), run_as(12346)
    assert (first.stdout, first.returncode) == ("0\n", 0), first.stderr
    assert (shared / "kernels").stat().st_uid == 12345
    assert (second.stdout, second.returncode) == ("0\n", 0), second.stderr
    assert "belongs to user 12345" in second.stderr


def test_a_link_in_the_place_of_an_entry_is_not_followed(run, tmp_path):
    run("kernel")
    (entry,) = _entries(tmp_path)
    elsewhere = entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(elsewhere)
    hits, errors = run("kernel")
    assert hits == "0"
    assert f"{entry} is a symbolic link" in errors
    assert not entry.is_symlink()


def test_the_warning_is_given_once_in_a_process(run, tmp_path):
    run("kernel")
    (tmp_path / "cache").chmod(0o777)
    more = "import warnings; warnings.simplefilter('always'); run(); add[1, 4](np.zeros(4, 'i')); print(1)"
    assert run("kernel", more)[1].count("NumbaSystemWarning") == 1


def test_the_warning_can_be_made_an_error_and_the_next_launch_works(run, tmp_path):
    run("kernel")
    (tmp_path / "cache").chmod(0o777)
    more = (
        "import warnings; warnings.simplefilter('error')\n"
        "try:\n    run()\n"
        "except heddle.errors.NumbaSystemWarning:\n    print('raised', run())\n"
    )
    assert run("kernel", more)[0] == "raised 0"


def test_the_command_tells_why_a_cache_is_not_used(run_heddle, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    done = run_heddle("cache", env={"HEDDLE_CACHE_DIR": str(tmp_path / "cache")})
    assert "read-only" in done.stdout
    assert f"not used: {tmp_path / 'cache'} can be written by other users" in done.stdout


def test_the_stand_ins_add_no_folder_that_others_could_fill(run_heddle, tmp_path):
    (tmp_path / "show.py").write_text("import os; print(os.environ['PYTHONPATH'])")
    package = str(Path(heddle.__file__).parent.parent)
    for known in (package, os.pathsep.join([package, str(tmp_path)])):
        done = run_heddle("run", "show.py", env={"PYTHONPATH": known})
        assert done.returncode == 0, done.stderr
        folder, *others = done.stdout.strip().split(os.pathsep)
        assert Path(folder).name == "child_processes"
        assert "" not in others  # Python takes it for the working folder
