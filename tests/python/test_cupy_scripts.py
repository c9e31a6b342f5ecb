"""Programs written for CuPy, run unchanged by ``heddle run`` on the CPU device.

The complete programs are in cupy_scripts/; their output is checked here.
"""

from pathlib import Path

import pytest

from heddle.compiler import cuda_libraries

FOLDER = Path(__file__).parent / "cupy_scripts"
PRINTED = {
    "cooperative_groups": "[523776, 523776] 523776\n342 True\n[0.375, 0.0, 0.25, 0.0, 0.0625]",
    "kept_kernels": "[132.0, 420.0]",
    "structures": "float32 [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]\n"
    "float64 [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]\n"
    "[2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0]\n[34.5] 42",
    "random_in_kernel": "160607 True",
    "module_of_templates": "9.0 285.0\n27.0 2025.0",
    "wrong_program": "True True\nno such kernel 500",
    "memory_hooks": "[(800, 1024), (800, 1024), (800, 1024)] [1024] 3072\n4.00MB",
    "memory_and_streams": "True True\n2048.0\n0\nTrue",
    "constant_memory": "98",
    "elementwise": "[[ 0.  0.  0.  0.  0.]\n [25. 25. 25. 25. 25.]]\n85.0\n[4. 4. 4. 4. 4.]\n"
    "[0 0 0 1 1 1 2 2] [0 1 2 0 1 2 0 1]",
    "histogram": "True",
    "jit_reductions": "[ 499.5 1499.5 2499.5]\nTrue",
    "jit_kernels": "True\nTrue\n[ 496 1552]",
    "monte_carlo_pi": "3.15 True True",
    "reduction": "[ 5.477226  15.9687195]\n16.881943\n[[6. 5. 4. 3. 3.]]\n1.0",
    "streams_and_events": "1536.0 ['called'] True True True",
    "templates": "float32 [ 0.  1.  4.  9. 16.]\nfloat64 [ 0.  1.  8. 27. 64.]",
    "timing": "total (5,) (1, 5) True",
    "vector_add": "True 0.0",
    "with_numba": "[ 0.  4.  8. 12. 16. 20.]",
}
# Programs that include CUB.
WITH_LIBRARIES = {"block_reduction": "499500.0\n[0, 1, 2, 3] 63\n[31.0, 63.0]"}
ON_THE_CPU = {"HEDDLE_DEVICE": "cpu"}


def test_every_program_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*PRINTED, *WITH_LIBRARIES}


@pytest.mark.parametrize("name", PRINTED)
def test_a_program_for_cupy_gives_the_right_results(run_heddle, name):
    result = run_heddle("run", FOLDER / f"{name}.py", env=ON_THE_CPU)
    assert (result.stderr, result.stdout) == ("", PRINTED[name] + "\n")


@pytest.mark.skipif(
    not (cuda_libraries.find_cub_folder() or Path("/usr/local/cuda/include/cccl").is_dir()),
    reason="neither nvidia-cuda-cccl nor a toolkit of CUDA 13 is installed",
)
@pytest.mark.parametrize("name", WITH_LIBRARIES)
def test_a_program_with_cub_gives_the_right_results(run_heddle, name):
    result = run_heddle("run", FOLDER / f"{name}.py", env=ON_THE_CPU)
    assert (result.stderr, result.stdout) == ("", WITH_LIBRARIES[name] + "\n")


def test_kernels_of_cupyx_run_as_plain_python(run_heddle):
    result = run_heddle(
        "run", FOLDER / "jit_kernels.py", env={**ON_THE_CPU, "HEDDLE_DISABLE_JIT": "1"}
    )
    assert (result.stderr, result.stdout) == ("", PRINTED["jit_kernels"] + "\n")


def test_a_module_that_heddle_lacks_is_refused_by_name(run_script):
    result = run_script("import cupy.sparse", env=ON_THE_CPU)
    assert "ModuleNotFoundError: heddle has no 'cupy.sparse'" in result.stderr


def test_a_name_that_heddle_lacks_is_refused_by_name(run_script):
    result = run_script("import cupy\ncupy.vectorizer", env=ON_THE_CPU)
    assert "AttributeError: heddle has no 'cupy.vectorizer'" in result.stderr


@pytest.mark.parametrize(
    "source, advice",
    [
        ("import cupy\ncupy.cuda.runtime.graphLaunch", "capture with stream.begin_capture()"),
    ],
)
def test_what_is_to_come_is_refused_with_what_to_use_instead(run_script, source, advice):
    result = run_script(source, env=ON_THE_CPU)
    assert advice in result.stderr.splitlines()[-1]


def test_the_module_of_an_array_has_cupys_name(run_script):
    result = run_script(
        "import cupy, numpy\n"
        "print(cupy.get_array_module(cupy.zeros(2)).__name__, cupy.get_array_module(numpy.zeros(2)).__name__)\n"
        "assert cupy.get_array_module(cupy.zeros(2)) is cupy\n"
        "try:\n    from cupy import vectorizer\nexcept ImportError as error:\n    print(error)\n",
        env=ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "cupy numpy\nheddle has no 'cupy.vectorizer'\n")


def test_cupys_inner_modules_have_what_programs_import_from_them(run_script):
    result = run_script(
        "import cupy\n"
        "from cupy import _core\n"
        "from cupy._core import _kernel, core\n"
        "from cupy._core._reduction import ReductionKernel\n"
        "from cupy_backends.cuda.api import driver, runtime\n"
        "assert isinstance(cupy.zeros(2), core.ndarray) and _core.ndarray is cupy.ndarray\n"
        "assert _kernel.ElementwiseKernel is _core.ElementwiseKernel is cupy.ElementwiseKernel\n"
        "assert ReductionKernel is cupy.ReductionKernel and runtime is cupy.cuda.runtime\n"
        "print(runtime.getDeviceCount() > 0, driver.__name__.endswith('driver'))\n",
        env=ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "True True\n")


def test_modules_of_cupy_are_imported_by_their_own_names(run_script):
    result = run_script(
        "from cupy.cuda import Stream\n"
        "from cupy.cuda.runtime import getDeviceCount\n"
        "from cupy.linalg import norm\n"
        "from cupy.lib.stride_tricks import as_strided\n"
        "from cupy._core.internal import _normalize_axis_index\n"
        "from cupy.polynomial.polynomial import polyval\n"
        "import cupyx.profiler, cupy\n"
        "print(getDeviceCount(), norm(cupy.ones(4)), Stream is cupy.cuda.Stream)\n",
        env=ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "1 2.0 True\n")


@pytest.fixture
def with_a_scipy(tmp_path):
    """A folder with a module that belongs to SciPy."""
    (tmp_path / "scipy").mkdir()
    (tmp_path / "scipy" / "__init__.py").write_text("")
    (tmp_path / "scipy" / "ndimage.py").write_text(
        "def shift(x, n):\n    return x + n, type(x).__name__\n"
    )
    return tmp_path


def test_transforms_accept_plans(run_script, with_a_scipy):
    (with_a_scipy / "scipy" / "fftpack.py").write_text(
        "import numpy\n\n\ndef fft(x, n=None, axis=-1):\n    return numpy.fft.fft(x, n, axis)\n"
    )
    result = run_script(
        f"import sys; sys.path.insert(0, {str(with_a_scipy)!r})\n"
        "import cupy\n"
        "from cupyx.scipy import fftpack\n"
        "x = cupy.ones(2)\n"
        "with fftpack.get_fft_plan(x, axes=(0,), value_type='C2C') as plan:\n"
        "    print(fftpack.fft(x, axis=0, plan=plan), fftpack.fft is fftpack.fft)\n"
        "from cupyx.time import repeat\n"
        "print(repeat(cupy.sqrt, (x,), n_repeat=2).cpu_times.shape)\n",
        env=ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "[2.+0.j 0.+0.j] True\n(2,)\n")


def test_scipys_functions_make_arrays_of_cupys(run_script, with_a_scipy):
    result = run_script(
        f"import sys; sys.path.insert(0, {str(with_a_scipy)!r})\n"
        "import cupy, cupyx, cupyx.scipy.ndimage\n"
        "from cupyx.scipy.ndimage import shift\n"
        "moved, given = cupyx.scipy.ndimage.shift(cupy.arange(3), 2)\n"
        "print(type(moved) is cupy.ndarray, moved, given, shift is cupyx.scipy.ndimage.shift)\n"
        "print(cupyx.scipy.get_array_module(moved) is cupyx.scipy, cupyx.scipy.get_array_module(1).__name__)\n",
        env=ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "True [2 3 4] ndarray True\nTrue scipy\n")


def test_a_module_that_scipy_has_not_is_refused(run_script, with_a_scipy):
    result = run_script(
        f"import sys; sys.path.insert(0, {str(with_a_scipy)!r})\n"
        "try:\n    import cupyx.scipy.nothing\n"
        "except ModuleNotFoundError as error:\n    print(error)\n",
        env=ON_THE_CPU,
    )
    assert (
        "heddle has no 'cupyx.scipy.nothing'; on the CPU device it is SciPy, if SciPy"
        in result.stdout
    )


def test_uninstalling_takes_cupy_away_again(run_python):
    result = run_python(
        "import sys\n"
        "from heddle import compat\n"
        "compat.install()\n"
        "import cupy.linalg, cupyx.profiler\n"
        "compat.uninstall()\n"
        "print([name for name in sys.modules if name.startswith('cupy')])\n",
        **ON_THE_CPU,
    )
    assert (result.stderr, result.stdout) == ("", "[]\n")


def test_an_installed_cupy_makes_no_difference_on_the_cpu(run_script, tmp_path):
    (tmp_path / "cupy.py").write_text("raise ImportError('the real one')\n")
    result = run_script("import cupy; print(cupy.ones(2).sum())", env=ON_THE_CPU)
    assert (result.stderr, result.stdout) == ("", "2.0\n")


def test_an_error_of_a_kernel_is_told_without_heddles_own_frames(run_script):
    result = run_script(
        "import cupy\ncupy.RawKernel('__global__ void k(int* x) { x = y; }', 'k')((1,), (1,), (None,))\n",
        env=ON_THE_CPU,
    )
    assert "use of undeclared identifier 'y'" in result.stderr
    assert "compat/cupy" not in result.stderr
