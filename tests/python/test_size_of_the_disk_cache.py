"""The directory of cached code is checked at most once a minute by the first writes of processes."""

import os
import time

import pytest

program = """
import numpy as np, heddle
kernel = heddle.RawKernel('extern "C" __global__ void add(int* x) {{ *x += {0}; }}', "add")
x = np.zeros(1, "i")
kernel((1,), (1,), (x,))
assert x[0] == {0}
"""


@pytest.mark.parametrize("seconds_ago, remains", [(5, True), (120, False)])
def test_the_first_write_checks_the_directory_unless_another_process_just_has(
    run_python, tmp_path, seconds_ago, remains
):
    settings = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache"), "HEDDLE_DEVICE": "cpu"}
    assert run_python(program.format(1), **settings).returncode == 0
    kernels = tmp_path / "cache" / "kernels"
    left_behind, lock = kernels / "0.entry.tmp1.0", kernels / "sweep.lock"
    left_behind.write_bytes(b"half")
    for file, age in ((left_behind, 7200), (lock, seconds_ago)):
        os.utime(file, (time.time() - age,) * 2)
    done = run_python(program.format(2), **settings)
    assert done.returncode == 0, done.stderr
    assert left_behind.exists() == remains
    assert len(list(kernels.glob("*.entry"))) >= 2
