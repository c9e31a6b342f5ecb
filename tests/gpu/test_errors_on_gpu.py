"""Errors on a GPU and their messages."""

import numpy as np
import pytest

from heddle import cuda


def test_an_index_out_of_bounds_is_an_exception_with_thread_and_block():
    @cuda.jit(debug=True)
    def k(x):
        i = cuda.grid(1)
        if i == 70:
            x[x.size + 3] = 1

    with pytest.raises(IndexError) as error:
        k[3, 32](np.zeros(100))
    text = str(error.value)
    assert "index 103 is out of bounds for axis 0 of 'x' with size 100" in text
    assert "block (2, 0, 0), thread (6, 0, 0)" in text and "kernel k" in text
    assert "test_errors_on_gpu.py:" in text


def test_an_assertion_carries_its_message():
    @cuda.jit(debug=True)
    def k(x):
        assert x[cuda.grid(1)] > 0, "must be positive"

    with pytest.raises(AssertionError, match="must be positive"):
        k[1, 32](np.zeros(32))


def test_the_device_works_on_after_an_exception():
    @cuda.jit(debug=True)
    def k(x):
        x[cuda.grid(1)] = 1

    with pytest.raises(IndexError):
        k[1, 64](np.zeros(32))
    x = np.zeros(32)
    k[1, 32](x)
    assert (x == 1).all()


def test_a_raise_without_debug_is_reported_by_what_waits():
    @cuda.jit
    def k(x):
        if x[0] == 0:
            raise ValueError("zero")

    d = cuda.to_device(np.zeros(1))
    k[1, 1](d)
    with pytest.raises(ValueError, match="zero"):
        cuda.synchronize()
    cuda.synchronize()


def test_exactly_one_of_many_failing_threads_is_told():
    @cuda.jit(debug=True)
    def k(x):
        x[cuda.grid(1) + 10**6] = 1

    for _ in range(5):
        with pytest.raises(IndexError, match=r"index 1\d{6} is out of bounds"):
            k[100, 256](np.zeros(8))


illegal_access = """
    import numpy as np
    from heddle import cuda

    @cuda.jit
    def k(x, far):
        x[far] = 1

    @cuda.jit
    def fine(x):
        x[0] = 1

    x = cuda.to_device(np.zeros(8))
    k[1, 1](x, 1 << 44)
    for attempt in "first", "second":
        try:
            cuda.synchronize()
        except Exception as error:
            print(attempt, type(error).__name__, error)
    try:
        fine[1, 1](x)
        cuda.synchronize()
    except Exception as error:
        print("third", type(error).__name__, error)
"""


def test_an_illegal_address_says_that_the_context_is_lost_and_what_to_do(run_python):
    done = run_python(illegal_access)
    assert done.returncode == 0, done.stderr
    lines = done.stdout
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in lines or "ILLEGAL" in lines
    for attempt in "first", "second", "third":
        assert attempt in lines
    assert "context is lost" in lines and "restart the process" in lines and "debug=True" in lines


def test_a_process_ends_cleanly_after_an_illegal_address(run_python):
    done = run_python(illegal_access + "\n    print('end')\n")
    assert done.returncode == 0 and done.stdout.endswith("end\n")
    assert "Traceback" not in done.stderr and "terminate" not in done.stderr


def test_an_error_nobody_waits_for_does_not_crash_the_exit(run_python):
    done = run_python(
        """
        import numpy as np
        from heddle import cuda

        @cuda.jit
        def k(x, far):
            x[far] = 1

        k[1, 1](cuda.to_device(np.zeros(8)), 1 << 44)
        print("end")
        """
    )
    assert done.stdout == "end\n" and done.returncode == 0, done.stderr


@pytest.mark.parametrize("kernel", ["python", "cuda c++"])
def test_a_failed_launch_is_recorded_and_replayed(run_python, tmp_path, kernel):
    done = run_python(
        """
        import sys
        import numpy as np
        import heddle
        from heddle import cuda

        @cuda.jit
        def far(x, n):
            x[n] = 1

        code = 'extern "C" __global__ void far(double* x, long long n) { x[n] = 1; }'
        x = cuda.to_device(np.zeros(8))
        if sys.argv[1] == "python":
            far[1, 1](x, 1 << 44)
        else:
            heddle.RawKernel(code, "far")(1, 1, (x, 1 << 44))
        """,
        kernel,
        HEDDLE_REPLAY=str(tmp_path),
    )
    assert "ILLEGAL_ADDRESS" in done.stderr and "the launch is recorded in" in done.stderr
    replay = "import sys; from heddle.cli import main; sys.exit(main(['check', sys.argv[1]]))"
    checked = run_python(replay, tmp_path / "far.replay")
    assert checked.returncode == 1
    assert "out-of-bounds write to `x`: index 17592186044416 is out of bounds" in checked.stderr


def test_an_exception_of_a_recorded_kernel_is_raised_again(run_python, tmp_path):
    done = run_python(
        """
        import numpy as np
        from heddle import cuda

        @cuda.jit(debug=True, opt=False)
        def positive(x):
            assert x[cuda.grid(1)] > 0, "must be positive"

        positive[1, 4](np.zeros(4))
        """,
        HEDDLE_REPLAY=str(tmp_path),
    )
    assert "must be positive" in done.stderr and "the launch is recorded in" in done.stderr
    replay = "import sys; from heddle.cli import main; sys.exit(main(['check', sys.argv[1]]))"
    checked = run_python(replay, tmp_path / "positive.replay")
    assert checked.returncode == 1 and "must be positive" in checked.stderr


def test_memory_is_recorded_as_it_was_before_the_launch(run_python, tmp_path):
    done = run_python(
        """
        import numpy as np
        from heddle import cuda

        @cuda.jit
        def update(x, mapped, managed):
            i = cuda.grid(1)
            x[i] += mapped[i] + managed[i]
            if x[i] == 6 + i:
                x[1 << 44] = 1

        mapped, managed = cuda.mapped_array(4), cuda.managed_array(4)
        mapped[:], managed[:] = 1, 2
        update[1, 4](cuda.to_device(np.arange(3.0, 7.0)), mapped, managed)
        """,
        HEDDLE_REPLAY=str(tmp_path),
    )
    assert "the launch is recorded in" in done.stderr
    replay = "import sys; from heddle.cli import main; sys.exit(main(['check', sys.argv[1]]))"
    checked = run_python(replay, tmp_path / "update.replay")
    assert checked.returncode == 1
    assert "out-of-bounds write to `x`" in checked.stderr and "3 further" in checked.stderr


def test_a_launch_beyond_the_limits_is_refused_before_it_starts(gpu):
    @cuda.jit
    def k(x):
        x[0] = 1

    x = np.zeros(1)
    with pytest.raises(ValueError, match="at most 1024 threads"):
        k[1, 2048](x)
    with pytest.raises(ValueError, match="MAX_GRID_DIM_Y"):
        k[(1, 70000), 1](x)
    k[1, 1](x)
    assert x[0] == 1


def test_a_forked_child_is_told_why_the_gpu_does_not_work(run_python):
    done = run_python(
        """
        import os, sys
        import numpy as np
        from heddle import cuda

        d = cuda.to_device(np.zeros(8))
        cuda.synchronize()
        child = os.fork()
        if child == 0:
            try:
                cuda.to_device(np.zeros(8))
            except Exception as error:
                print(type(error).__name__, error, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert done.returncode == 0, done.stderr
    assert "fork" in done.stdout and "spawn" in done.stdout
