"""``NUMBA_ENABLE_CUDASIM=1``: programs that request numba's simulator."""

import pytest

START = "import numpy as np\nfrom heddle import cuda, config\n"

STOPS = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    if i == 3:
        from pdb import set_trace; set_trace()
    out[i] = twice(x[i])

@cuda.jit(device=True)
def twice(x):
    return 2 * x

out = np.zeros(4)
k[1, 4](np.arange(4.0), out)
print(out.tolist())
"""


@pytest.fixture
def simulated(run_python, monkeypatch):
    monkeypatch.delenv("HEDDLE_DEVICE", raising=False)  # of tests on one device

    def run(text, **more):
        result = run_python(START + text, NUMBA_ENABLE_CUDASIM="1", **more)
        assert result.returncode == 0, result.stderr
        return result

    return run


def test_the_setting_is_seen_and_keeps_the_program_on_the_cpu(simulated):
    ran = simulated("print(config.ENABLE_CUDASIM, cuda.get_current_device().type)")
    assert ran.stdout == "1 cpu\n"


def test_kernels_are_compiled(simulated):
    text = """
@cuda.jit
def k(out):
    out[cuda.grid(1)] = 1

out = np.zeros(4)
k[1, 4](out)
print(out.sum(), len(k.overloads))
"""
    ran = simulated(text)
    assert (ran.stdout, ran.stderr) == ("4.0 1\n", "")


def test_a_kernel_that_stops_in_a_debugger_runs_as_plain_python(simulated):
    ran = simulated("import pdb\npdb.set_trace = lambda: print('stopped')\n" + STOPS)
    assert ran.stdout == "stopped\n[0.0, 2.0, 4.0, 6.0]\n"
    assert "NumbaPerformanceWarning: k runs as plain Python" in ran.stderr
    assert "imports are not supported in kernels" in ran.stderr


def test_a_breakpoint_stops_in_a_kernel(simulated):
    text = """
@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i == 2:
        breakpoint()
    out[i] = i

out = np.zeros(4)
k[1, 4](out)
print(out.tolist())
"""
    ran = simulated("import sys\nsys.breakpointhook = lambda: print('stopped')\n" + text)
    assert ran.stdout == "stopped\n[0.0, 1.0, 2.0, 3.0]\n"


def test_a_kernel_with_a_signature_does_so_too(simulated):
    signed = STOPS.replace("@cuda.jit\ndef k", '@cuda.jit("void(f8[:], f8[:])")\ndef k')
    ran = simulated("import pdb\npdb.set_trace = lambda: print('stopped')\n" + signed)
    assert ran.stdout == "stopped\n[0.0, 2.0, 4.0, 6.0]\n"


def test_forall_launches_it(simulated):
    text = """
@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = {"a": i}["a"]

out = np.zeros(5)
k.forall(5)(out)
print(out.tolist())
"""
    assert simulated(text).stdout == "[0.0, 1.0, 2.0, 3.0, 4.0]\n"


def test_without_the_setting_the_compiler_refuses_it(run_python):
    ran = run_python(START + STOPS, HEDDLE_DEVICE="cpu")
    assert "UnsupportedError" in ran.stderr
