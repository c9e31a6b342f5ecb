"""Fixtures for all tests: a device to run on, and the command ``heddle`` in a separate process."""

import collections
import gc
import importlib.metadata
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import heddle
from heddle import _heddle, cuda

# How much longer programs may take than on a processor of this year, in an emulator.
PATIENCE = int(os.environ.get("TEST_PATIENCE", "1"))


def pytest_addoption(parser):
    parser.addoption(
        "--device",
        default="all",
        choices=["cpu", "cuda", "all"],
        help="run on devices of this type only; with cpu or cuda it is the default device of every test, too",
    )
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="run the first test of each file and each Nth after it, for emulators and other slow machines",
    )


def pytest_collection_modifyitems(config, items):
    step = config.getoption("--every")
    seen = collections.Counter()
    for item in items:
        item.is_chosen = seen[item.path] % step == 0
        seen[item.path] += 1
    items[:] = [item for item in items if item.is_chosen]


def pytest_configure(config):
    """Make the requested devices the default ones, in this process and in those that tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As in a shell's background: programs that tests interrupt would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = config.getoption("--device")
    if wanted == "all":
        return
    os.environ["HEDDLE_DEVICE"] = wanted
    try:
        cuda.get_current_device()
    except ValueError as error:
        raise pytest.UsageError(f"--device {wanted}: {error}") from None


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        wanted = metafunc.config.getoption("--device")
        devices = [device for device in cuda.all_devices() if wanted in ("all", device.type)]
        names = [
            device.type if device.type == "cpu" else f"{device.type}{device.id}"
            for device in devices
        ]
        metafunc.parametrize("device", devices, ids=names, indirect=True)


@pytest.fixture(autouse=True, scope="module")
def keep_what_exists():
    """Exclude existing objects from garbage collection before a file's tests: many of them collect to count freed
    objects, and pytest keeps objects of every test."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def only_cpu(cpu):
    """The CPU device of a machine without a GPU, where the array interface is of host memory."""
    if len(cuda.all_devices()) > 1:
        pytest.skip("there is a GPU")
    return cpu


@pytest.fixture
def everything_is_freed():
    """Fail a test that leaks an array or another object whose references host functions count."""
    gc.collect()
    before = _heddle.live_arrays()
    yield
    gc.collect()
    assert _heddle.live_arrays() == before


@pytest.fixture
def device(request):
    """Each device in turn, current while the test runs."""
    with request.param:
        yield request.param
        request.param.reset()


@pytest.fixture
def cpu():
    """The CPU device, current while the test runs, for features that only it has."""
    with cuda.current_context("cpu") as context:
        yield context.device
        context.synchronize()


@pytest.fixture
def plugin_options():
    """Options of pytest that load Heddle's plugin: an installed wheel has an entry point, a build folder has none."""
    installed = {point.value for point in importlib.metadata.entry_points(group="pytest11")}
    name = "heddle.checking.pytest_plugin"
    return ["-p", "no:cacheprovider", *(() if name in installed else ("-p", name))]


@pytest.fixture(scope="module")
def numba_hidden():
    """Hides numba itself, which another test may have imported, so that heddle can take its name."""
    names = [name for name in sys.modules if name.split(".")[0] == "numba"]
    modules = {name: sys.modules.pop(name) for name in names}
    yield
    sys.modules.update(modules)


@pytest.fixture
def run_python(tmp_path):
    """A function that runs a program with changed environment variables; the result has stdout, stderr and
    returncode."""

    def run(source, **environment):
        package = str(Path(heddle.__file__).parent.parent)
        variables = {**os.environ, "PYTHONPATH": package, **environment}
        program = tmp_path / "program.py"
        program.write_text(source)
        command = [sys.executable, program]
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=60 * PATIENCE
        )

    return run


@pytest.fixture
def run_heddle(tmp_path):
    """A function that runs ``python -m heddle`` with arguments; the result has stdout, stderr and returncode."""
    package = str(Path(heddle.__file__).parent.parent)

    def run(*arguments, input=None, env=(), timeout=60):
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        return subprocess.run(
            [sys.executable, "-m", "heddle", *map(str, arguments)],
            input=input,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **dict(env)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout * PATIENCE,
        )

    return run


@pytest.fixture
def run_script(tmp_path, run_heddle):
    """A function that writes a program to a file and runs it with ``heddle run``."""

    def run(source, *arguments, name="script.py", **options):
        (tmp_path / name).write_text(source)
        return run_heddle("run", tmp_path / name, *arguments, **options)

    return run
