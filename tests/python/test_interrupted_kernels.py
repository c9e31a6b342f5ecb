"""Ctrl-C soon ends endless kernels with KeyboardInterrupt, and the next launch works."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sanitizers import not_under_the_thread_sanitizer

import heddle

# The signal reaches a kernel's code only through the sanitizer's handler.
pytestmark = not_under_the_thread_sanitizer("it keeps a signal until the thread calls the system")

FOLDER = str(Path(__file__).parent)
PRELUDE = f"import sys; sys.path.insert(0, {FOLDER!r})\nfrom interrupts_prelude import *\n"


def finishes(run_python, source, **environment):
    result = run_python(PRELUDE + source + "\nprint('done')", HEDDLE_DEVICE="cpu", **environment)
    assert result.stdout.endswith("done\n"), result.stderr


@pytest.mark.parametrize("width", ["1", "4", "8", "16"])
def test_every_kind_of_kernel_ends(run_python, width):
    source = """
compile_first(*KINDS.values())
for launch in KINDS.values():
    interrupt(launch)
"""
    finishes(run_python, source, HEDDLE_WIDTH=width)


def test_interrupts_at_any_moment(run_python):
    source = """
launches = [KINDS[name] for name in ("one thread", "region loops", "coroutines", "waiting loops", "shuffles", "prints")]
compile_first(*launches)
for i in range(20):
    for launch in launches:
        interrupt(launch, 0.001 * i)
"""
    finishes(run_python, source)


def test_a_kernel_on_the_calling_thread_ends(run_python):
    finishes(run_python, "compile_and_interrupt(lambda: spin[1, 1](stop), times=10)")


def test_a_kernel_whose_waiting_thread_helps_ends(run_python):
    finishes(run_python, "compile_and_interrupt(lambda: spin[5000, 64](stop), times=10)")


@pytest.mark.parametrize(
    "wait",
    [
        "s = cuda.stream(); spin[4, 32, s](on_device); s.synchronize()",
        "s = cuda.stream(); spin[4, 32, s](on_device); cuda.synchronize()",
        "s = cuda.stream(); spin[4, 32, s](on_device); add_one[1, 32](on_device); cuda.default_stream().synchronize()",
        "s, e = cuda.stream(), cuda.event(); spin[4, 32, s](on_device); e.record(s); e.synchronize()",
        "s, r, e = cuda.stream(), cuda.stream(), cuda.event(); spin[4, 32, s](on_device); e.record(s); e.wait(r); "
        "add_one[1, 1, r](on_device); r.synchronize()",
        "spin[4, 32](on_device); on_device.copy_to_host()",
        "spin[4, 32](on_device); np.asarray(on_device)",
        "spin[4, 32](on_device); np.ones(8) + on_device",
        "spin[4, 32](on_device); np.copyto(np.zeros(8), on_device)",
        "spin[4, 32](on_device); memoryview(on_device)",
    ],
    ids="stream device default_stream event event_of_another_stream copy numpy operator copyto view".split(),
)
def test_what_a_wait_waits_for_ends(run_python, wait):
    finishes(run_python, f"def launch():\n    {wait}\ncompile_and_interrupt(launch)")


def test_commands_queued_after_an_interrupted_kernel_are_cancelled(run_python):
    source = """
x = cuda.to_device(np.zeros(4))
def launch():
    spin[1, 1](on_device)
    add_one[1, 4](x)
    cuda.synchronize()
compile_and_interrupt(launch)
assert (x.copy_to_host() == 1).all()  # by the launch before
"""
    finishes(run_python, source)


def test_kernels_of_streams_that_nobody_waits_for_go_on(run_python):
    source = """
other, mine, x = cuda.stream(), cuda.stream(), cuda.to_device(np.zeros(4))
def launch():
    spin[1, 1, mine](on_device)
    mine.synchronize()
compile_first(launch, lambda: nap[1, 1, other](0), lambda: add_one[1, 4, other](x))
nap[1, 1, other](500)
add_one[1, 4, other](x)
try:
    interrupt_after(0.1)
    launch()
except KeyboardInterrupt:
    other.synchronize()
assert (x.copy_to_host() == 2).all()
"""
    finishes(run_python, source)


def test_another_thread_that_waits_is_told(run_python):
    source = """
errors = []
compile_first(lambda: spin[4, 32](stop))
def work():
    try:
        spin[4, 32](stop)
    except heddle.KernelRuntimeError as error:
        errors.append(str(error))
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.5)
interrupt(cuda.synchronize)
thread.join()
assert "interrupt (Ctrl-C) stopped this work" in errors[0], errors
"""
    finishes(run_python, source)


def test_another_thread_that_runs_the_kernel_itself_is_told(run_python):
    source = """
errors = []
compile_first(lambda: spin[1, 1](stop), times=10)
def work():
    try:
        spin[1, 1](stop)
    except heddle.KernelRuntimeError as error:
        errors.append(str(error))
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.5)
interrupt(cuda.synchronize)
thread.join()
assert "interrupt (Ctrl-C) stopped this work" in errors[0], errors
"""
    finishes(run_python, source)


def test_a_handler_that_does_not_raise_lets_the_kernel_go_on(run_python):
    source = """
def handler(*_):
    stop[0] = 1
signal.signal(signal.SIGINT, handler)
compile_first(lambda: polls[1, 1](stop), times=10)
for blocks in (1, 1000):
    stop[0] = 0
    interrupt_after(0.1)
    polls[blocks, 1](stop)
"""
    finishes(run_python, source)


def test_what_another_handler_raises_ends_the_kernel(run_python):
    source = """
def handler(*_):
    raise ValueError("from the handler")
signal.signal(signal.SIGALRM, handler)
compile_first(lambda: spin[1, 1](stop), times=10)
for blocks in (1, 1000):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        spin[blocks, 1](stop)
        raise AssertionError
    except ValueError as error:
        assert str(error) == "from the handler"
"""
    finishes(run_python, source)


def test_numpy_raises_what_another_handler_raised(run_python):
    source = """
def handler(*_):
    raise ValueError("from the handler")
signal.signal(signal.SIGALRM, handler)
compile_first(lambda: spin[4, 32](on_device))
for read in (np.asarray, np.sum, lambda x: np.ones(8) * x):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        spin[4, 32](on_device)
        read(on_device)
        raise AssertionError
    except ValueError as error:
        assert str(error) == "from the handler"
"""
    finishes(run_python, source)


def test_a_forks_child_can_be_interrupted(run_python):
    source = """
compile_and_interrupt(KINDS["one thread"], times=10)
child = os.fork()
if not child:
    compile_and_interrupt(KINDS["one thread"], times=10)
    compile_and_interrupt(KINDS["many blocks"])
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    finishes(run_python, source)


NUMBA = """
import numpy as np
from numba import cuda

@cuda.jit
def spin(x):
    while x[0] == 0:
        x[1] += 1

spin[1, 1](np.ones(2))
while True:
    try:
        print("running", flush=True)
        spin[100, 32](np.zeros(2))
    except KeyboardInterrupt:
        x = np.ones(2)
        spin[1, 1](x)
        print("stopped", flush=True)
        break
"""


def read_until(terminal, text, seconds=30):
    seen, end = "", time.monotonic() + seconds
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        assert ready, seen
        seen += os.read(terminal, 4096).decode()


def test_the_key_ends_a_kernel_under_heddle_run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(NUMBA)
    environment = {
        **os.environ,
        "HEDDLE_DEVICE": "cpu",
        "PYTHONPATH": str(Path(heddle.__file__).parent.parent),
    }
    pid, terminal = pty.fork()
    if not pid:
        os.execve(sys.executable, [sys.executable, "-m", "heddle", "run", str(script)], environment)
    read_until(terminal, "running")
    time.sleep(0.3)
    pressed = time.monotonic()
    os.write(terminal, b"\x03")
    read_until(terminal, "stopped", 10)
    assert time.monotonic() - pressed < 1
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)


def test_a_notebook_goes_on_after_an_interrupt(tmp_path):
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    package = str(Path(heddle.__file__).parent.parent)
    environment = {**os.environ, "HEDDLE_DEVICE": "cpu", "PYTHONPATH": package}
    kernel, client = manager.start_new_kernel(env=environment, stderr=subprocess.DEVNULL)
    try:
        assert client.execute_interactive(PRELUDE, timeout=60, output_hook=lambda _: None)
        client.execute_interactive(
            "compile_first(KINDS['many blocks'])", timeout=30, output_hook=lambda _: None
        )
        # The kernel would abort a cell that arrives while it still handles the error of the one before.
        client.execute("print('running'); KINDS['many blocks']()", stop_on_error=False)
        while client.get_iopub_msg(timeout=30)["msg_type"] != "stream":
            pass
        time.sleep(0.3)
        sent = time.monotonic()
        kernel.interrupt_kernel()
        reply = client.get_shell_msg(timeout=10)["content"]
        assert reply["ename"] == "KeyboardInterrupt" and time.monotonic() - sent < 5
        source = "x = np.zeros(9); add_one[1, 9](x); assert (x == 1).all()"
        reply = client.execute_interactive(source, timeout=10, output_hook=lambda _: None)
        assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
