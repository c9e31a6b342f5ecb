"""Errors of the driver's assembler: a crash is an exception, no call waits for the driver after it, and code that the
assembler gets wrong is not loaded."""

from pathlib import Path

PROGRAM = Path(__file__).with_name("crashes_ptxas.cu")
HANGING_PROGRAM = Path(__file__).with_name("hangs_linked.cu")

GOES_ON = """
    import sys, threading
    import numpy as np
    import heddle
    from heddle import cuda
    from heddle.errors import CudaAPIError

    text = open(sys.argv[1]).read()

    def results_on(device):
        with device:
            out = cuda.to_device(np.zeros((4, 32, 4), np.uint32))
            heddle.RawKernel(text, "run", options=("-w",))(4, 32, (out,))
            return out.copy_to_host()

    @cuda.jit
    def double(a):
        a[cuda.grid(1)] *= 2

    def use_the_gpu(dtype):
        a = np.arange(64, dtype=dtype)
        double[2, 32](a)
        np.testing.assert_array_equal(a, 2 * np.arange(64))

    def use_after_the_crash(dtype):
        try:
            use_the_gpu(dtype)
        except CudaAPIError as error:
            assert crashed and "the driver crashed in an earlier call" in str(error)
        else:
            assert not crashed

    cpu = next(device for device in cuda.all_devices() if device.type == "cpu")
    wanted = results_on(cpu)
    use_the_gpu(np.int32)
    crashed = False
    try:
        np.testing.assert_array_equal(results_on(cuda.gpus[0]), wanted)
    except heddle.InternalError as error:
        assert "the compiler crashed while the driver assembled PTX" in str(error)
        crashed = True
    use_after_the_crash(np.int64)
    thread = threading.Thread(target=use_after_the_crash, args=[np.float32])
    thread.start()
    thread.join(60)
    assert (results_on(cpu) == wanted).all()
    print("done" if not thread.is_alive() else "a thread waits for ever", flush=True)
"""


def test_the_process_survives_a_crash_of_the_assembler(run_python, tmp_path):
    done = run_python(GOES_ON, PROGRAM, HEDDLE_CACHE_DIR=str(tmp_path))
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


CACHED = """
    import sys
    import numpy as np
    import heddle
    from heddle import cuda

    text = open(sys.argv[1]).read()

    def results_on(device):
        with device:
            x = np.random.default_rng(9001080).integers(0, 12, 100).astype(np.int32)
            arrays = [np.zeros(800, np.int64), x, np.zeros(8, np.int32), np.zeros(100, np.int32)]
            arrays = [cuda.to_device(a) for a in arrays]
            heddle.RawKernel(text, "kernel")((2,), (50,), (*arrays, np.int64(6)))
            return [a.copy_to_host() for a in arrays]

    cpu = next(device for device in cuda.all_devices() if device.type == "cpu")
    for mine, wanted in zip(results_on(cuda.gpus[0]), results_on(cpu)):
        np.testing.assert_array_equal(mine, wanted)
    print("done")
"""


def test_cached_kernels_do_not_hang(run_python, tmp_path):
    for _ in range(2):
        done = run_python(CACHED, HANGING_PROGRAM, HEDDLE_CACHE_DIR=str(tmp_path))
        assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr
