"""Processes in difficult situations: broken caches, full disks, signals, forks, threads, exit while kernels run."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda

program = """
import os, signal, sys, threading, time
import numpy as np
from heddle import cuda

@cuda.jit(cache=True)
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor

@cuda.jit
def spin(x, rounds):
    i = cuda.grid(1)
    for r in range(rounds):
        x[i] = x[i] * 0.5 + r

def launch():
    x = np.ones(40, np.float32)
    scale[2, 32](x, 3)
    assert (x == 3).all(), x

# So many that spin takes a second or more; a GPU finishes the kernel even when nobody waits for it any longer.
many = 2_000_000 if cuda.get_current_device().type == "cpu" else 30_000_000

"""

# Only the CPU device is tested for what CUDA cannot do: launch in a forked child, live in little address space.
on_the_cpu = {"HEDDLE_DEVICE": "cpu"}


@pytest.fixture
def start(tmp_path):
    """A function that starts a process with the program above and more code, with its kernel cache in
    tmp_path/cache."""
    package = str(Path(heddle.__file__).parent.parent)

    def begin(source, **environment):
        path = tmp_path / "program.py"
        path.write_text(program + source)
        return subprocess.Popen(
            [sys.executable, str(path)],
            env={
                **os.environ,
                "PYTHONPATH": package,
                "HEDDLE_CACHE_DIR": str(tmp_path / "cache"),
                **environment,
            },
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


@pytest.fixture
def run(start):
    """The same, but waits until the process succeeded and returns its stdout."""

    def finish(source, **environment):
        process = start(source, **environment)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return out.strip()

    return finish


hits = "launch(); print(len(scale.stats.cache_hits))"


# The disk cache


def test_a_second_process_finds_the_kernel_in_the_cache(run):
    assert run(hits) == "0"
    assert run(hits) == "1"


@pytest.mark.parametrize(
    "content", [b"", b"x", b"heddlec1", bytes(100_000)], ids=["empty", "short", "magic", "zeros"]
)
def test_a_corrupt_cache_file_is_compiled_anew(run, tmp_path, content):
    run(hits)
    (entry,) = (tmp_path / "cache").rglob("*.entry")
    entry.write_bytes(content)
    assert run(hits) == "0"
    assert run(hits) == "1"


@pytest.mark.parametrize("position", [0, 20, 300, -1])
def test_a_cache_file_with_a_flipped_bit_is_compiled_anew(run, tmp_path, position):
    run(hits)
    (entry,) = (tmp_path / "cache").rglob("*.entry")
    content = bytearray(entry.read_bytes())
    content[position] ^= 1
    entry.write_bytes(content)
    assert run(hits) == "0"


def test_a_cut_cache_file_is_compiled_anew(run, tmp_path):
    run(hits)
    (entry,) = (tmp_path / "cache").rglob("*.entry")
    entry.write_bytes(entry.read_bytes()[:500])
    assert run(hits) == "0"


def test_a_cache_that_is_a_file_does_no_harm(run, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    assert run(hits) == "0"


def test_a_cache_directory_that_cannot_be_made_does_no_harm(run):
    assert run(hits, HEDDLE_CACHE_DIR="/proc/nowhere/at/all") == "0"


def test_a_directory_in_the_place_of_a_cache_file_does_no_harm(run, tmp_path):
    run(hits)
    (entry,) = (tmp_path / "cache").rglob("*.entry")
    entry.unlink()
    entry.mkdir()
    assert run(hits) == "0"


def test_a_full_disk_does_no_harm(run):
    source = "import resource\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    source += "resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))\n"
    assert run(source + hits, **on_the_cpu) == "0"
    assert run(hits, **on_the_cpu) == "0"


def test_processes_that_compile_the_same_kernel_at_once_all_work(start):
    processes = [start(hits) for _ in range(4)]
    for process in processes:
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0 and out.strip() in "01", errors


@pytest.mark.parametrize("delay", [0.0, 0.002, 0.01, 0.03])
def test_a_process_killed_while_it_compiles_leaves_a_usable_cache(start, run, delay):
    process = start(
        "print('ready', flush=True)\nlaunch()\nprint('done', flush=True)\ntime.sleep(60)\n"
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=60)
    assert run(hits) in "01"
    assert run(hits) == "1"


# Signals


def interrupted(process):
    assert process.stdout.readline() == "running\n", process.stderr.read()
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)


@pytest.mark.parametrize(
    "wait",
    [
        "spin[4096, 32](np.zeros(4096 * 32), many)",
        "spin[4096, 32](cuda.to_device(np.zeros(4096 * 32)), many); cuda.synchronize()",
        "s = cuda.stream(); spin[4096, 32, s](cuda.to_device(np.zeros(4096 * 32)), many); s.synchronize()",
    ],
    ids=["host_arrays", "synchronize", "stream"],
)
def test_ctrl_c_stops_a_kernel_and_the_next_launch_works(start, wait):
    process = start(
        f"launch()\ntry:\n    print('running', flush=True)\n    {wait}\n"
        "except KeyboardInterrupt:\n    launch()\n    print('stopped')\n"
    )
    out, errors = interrupted(process)
    assert process.returncode == 0 and out == "stopped\n", errors


def test_ctrl_c_without_a_handler_ends_the_process(start):
    process = start(
        "launch()\nprint('running', flush=True)\nspin[4096, 32](np.zeros(4096 * 32), many)\n"
    )
    _, errors = interrupted(process)
    assert process.returncode in (-signal.SIGINT, 130, 1) and "KeyboardInterrupt" in errors


def test_what_a_signals_handler_raises_arrives(start):
    process = start(
        "launch()\ndef handler(*_):\n    raise ValueError('from the handler')\nsignal.signal(signal.SIGALRM, handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "try:\n    spin[4096, 32](np.zeros(4096 * 32), many)\nexcept ValueError as e:\n    launch(); print(e)\n"
    )
    out, errors = process.communicate(timeout=60)
    assert out == "from the handler\n", errors


def test_a_program_ends_after_an_endless_kernel_was_interrupted(start):
    process = start(
        "@cuda.jit\ndef forever(x):\n    while x[0] >= 0:\n        x[0] += 1\n\nlaunch()\n"
        "try:\n    print('running', flush=True)\n    forever[1, 1](np.zeros(1))\n"
        "except KeyboardInterrupt:\n    print('left', flush=True)\n"
    )
    out, errors = interrupted(process)
    assert process.returncode == 0 and out == "left\n", errors


# Processes and threads


def test_a_forked_child_launches(run):
    source = "launch()\nd = cuda.to_device(np.ones(3))\npid = os.fork()\nlaunch()\n"
    source += "if pid == 0:\n    assert (d.copy_to_host() == 1).all()\n    sys.exit(7)\n"
    source += "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    assert run(source, **on_the_cpu) == "7"


def test_a_child_forked_while_a_kernel_runs_launches(run):
    source = "x = cuda.to_device(np.zeros(64))\nspin[64, 1, cuda.stream()](x, 200_000)\npid = os.fork()\nlaunch()\n"
    source += "if pid == 0:\n    os._exit(7)\ncuda.synchronize()\n"
    source += "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    assert run(source, **on_the_cpu) == "7"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing_launch(run, method):
    source = (
        "def work(n):\n    launch()\n    return n\n\nif __name__ == '__main__':\n    launch()\n"
    )
    source += f"    import multiprocessing\n    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
    source += "        print(sum(pool.map(work, range(8))))"
    assert run(source, **(on_the_cpu if method == "fork" else {})) == "28"


def test_threads_that_launch_at_once_all_work(device):
    @cuda.jit
    def count(x, n):
        i = cuda.grid(1)
        for _ in range(n):
            cuda.atomic.add(x, i % x.size, 1)

    results = []

    def work(k):
        for dtype in (np.int32, np.int64, np.float32):
            x = np.zeros(4 + k % 3, dtype)
            for _ in range(20):
                count[4, 25](x, 3)
            results.append(int(x.sum()))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6000] * 24
    assert len(count.overloads) == 3


def test_a_process_may_end_while_a_kernel_runs(run):
    source = (
        "x = cuda.to_device(np.zeros(4096))\nspin[4096, 1, cuda.stream()](x, many)\nprint('end')"
    )
    assert run(source, HEDDLE_EXIT_TIMEOUT="0.1") == "end"


def test_what_nobody_waited_for_is_printed_before_the_process_ends(run):
    source = (
        "@cuda.jit\ndef late(x):\n    if cuda.grid(1) == 0:\n        print('late', x[0] > 0)\n\n"
    )
    source += "x, s = cuda.to_device(np.zeros(64)), cuda.stream()\n"
    source += "spin[64, 1, s](x, many // 100)\nlate[1, 32, s](x)\nlate[1, 1, s](x)"
    assert run(source, **on_the_cpu) == "late True\nlate True"


endless = "@cuda.jit\ndef endless(x):\n    while x[0] == 0:\n        cuda.threadfence()\n\n"
endless += "x = cuda.to_device(np.zeros(1))\nendless[1, 1, cuda.stream()](x)\n"


def test_an_endless_kernel_does_not_keep_the_process_for_ever(run):
    assert run(endless + "print('end')", HEDDLE_EXIT_TIMEOUT="0.2", **on_the_cpu) == "end"


def test_the_process_does_not_wait_again_for_what_was_interrupted(start):
    source = endless + "print('on', flush=True)\ntry:\n    cuda.synchronize()\n"
    source += "except KeyboardInterrupt:\n    print('off')"
    process = start(source, HEDDLE_EXIT_TIMEOUT="300", **on_the_cpu)
    assert process.stdout.readline() == "on\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "off\n"


def test_an_interrupt_ends_the_wait_at_the_end_of_the_process(start):
    process = start(endless + "print('end', flush=True)", HEDDLE_EXIT_TIMEOUT="300", **on_the_cpu)
    assert process.stdout.readline() == "end\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)


def test_a_process_may_end_while_a_thread_launches(run):
    source = "def work():\n    while True:\n        launch()\n\n"
    source += "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.2)\nprint('end')"
    assert run(source) == "end"


def test_a_process_may_end_with_sys_exit_after_an_asynchronous_error(run):
    source = "@cuda.jit\ndef fails(x):\n    raise ValueError('late')\n\n"
    source += "fails[1, 1, cuda.stream()](cuda.to_device(np.zeros(1)))\nprint('end')"
    assert run(source) == "end"


def test_an_exception_in_a_streams_callback_is_reported_and_the_stream_goes_on(start):
    process = start(
        "s = cuda.stream()\ndef callback(stream, status, arg):\n    raise ValueError('in the callback')\n"
        "s.add_callback(callback, None)\nx = cuda.to_device(np.zeros(3))\nspin[3, 1, s](x, 1)\ns.synchronize()\n"
        "launch()\nprint('alive')\n"
    )
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and out == "alive\n" and "in the callback" in errors


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer's allocator ends the process")
def test_a_little_address_space_is_an_error(run):
    source = "import resource\nlaunch()\n"
    source += "used = 4096 * int(open('/proc/self/statm').read().split()[0])\n"
    source += "resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 30),) * 2)\n"
    source += "try:\n    cuda.device_array(8 << 30, np.uint8)\nexcept MemoryError as e:\n    print('bytes' in str(e))\n"
    source += "launch()\nassert cuda.device_array(10).size == 10"
    assert run(source, **on_the_cpu) == "True"
