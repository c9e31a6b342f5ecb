"""``heddle doctor``: finds out what works on this machine."""

import difflib
import importlib.metadata
import os
import platform

import numpy as np

import heddle
from heddle import _heddle, config, cuda
from heddle.command_line.information import format_kernel_count, format_size
from heddle.command_line.missing_gpu import advise_without_gpu
from heddle.command_line.usage import report_wrong_use
from heddle.support.environment_variables import find_variable_of_message

# Packages that Heddle works with, and what it does with them.
_libraries = {
    "numba": "'heddle run' imports Heddle in its place",
    "cupy": "kernels take its arrays; without a GPU, 'heddle run' imports Heddle in its place",
    "torch": "kernels take its tensors",
    "jax": "kernels take its arrays",
    "scipy": "njit functions call its linear algebra (BLAS and LAPACK)",
    "cffi": "njit functions call its C functions",
    "ml_dtypes": "bfloat16 and 8-bit floats of NumPy arrays",
    "cloudpickle": "kernels of notebooks in other processes",
    "ipykernel": "'heddle run notebook.ipynb'",
    "nbclient": "'heddle run notebook.ipynb'",
    "nvidia-cuda-cccl": "CUB, Thrust and libcu++ in CUDA C++ kernels",
}


def run(arguments):
    """Runs ``heddle doctor``. Returns the exit code, 1 if there are problems."""
    if arguments:
        return report_wrong_use("takes no arguments", "doctor")
    report = _Report()
    print(f"heddle {_heddle.__version__} (LLVM {_heddle.llvm_version})")
    print(f"  in {os.path.dirname(heddle.__file__)}")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.platform()}")
    for section in (_check_devices, _check_host_functions, _check_cache, _check_settings):
        section(report)
    _print_optional_libraries(report)
    print(f"\n{report.format_summary()}")
    return 1 if report.problems else 0


class _Report:
    """Prints findings, and counts problems."""

    def __init__(self):
        self.problems = 0
        self._wrong_settings = set()  # names of variables

    def print_section_title(self, title):
        print(f"\n{title}")

    def print_success(self, text):
        print(f"  ok       {text}")

    def print_note(self, text, advice=""):
        print(f"  --       {text}")
        if advice:
            print(f"           {advice}")

    def print_problem(self, text, advice):
        self.problems += 1
        print(f"  PROBLEM  {text}")
        print(f"           {advice}")

    def print_failure(self, what, error, advice):
        """Reports an exception: once if a setting is its cause."""
        variable = find_variable_of_message(str(error))
        if variable:
            self.print_wrong_setting(
                variable.name, _first_line(error), _get_hint(error) or variable.format_advice()
            )
        else:
            self.print_problem(f"{what}: {type(error).__name__}: {_first_line(error)}", advice)

    def print_wrong_setting(self, name, text, advice):
        if name not in self._wrong_settings:
            self._wrong_settings.add(name)
            self.print_problem(text, advice)

    def format_summary(self):
        if not self.problems:
            return "No problems found."
        return f"{self.problems} problem{'' if self.problems == 1 else 's'} found."


def _increment_values(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] += 1


_add_one_in_cuda = """
extern "C" __global__ void add_one(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}
"""


def _check_devices(report):
    report.print_section_title("Devices")
    try:
        default = cuda.get_current_device()
    except Exception as error:  # HEDDLE_DEVICE names no device
        report.print_failure(
            "no device can be used", error, "HEDDLE_DEVICE=cpu selects the CPU device"
        )
        return
    for device in cuda.all_devices():
        shown = f"device {device.id}: {_describe_device(device)}"
        for kind, launch in ("Python", _test_python_kernel), ("CUDA C++", _test_cuda_kernel):
            try:
                launch(device)
            except Exception as error:
                report.print_failure(
                    f"{shown}: a kernel in {kind} fails",
                    error,
                    "HEDDLE_DEVICE=cpu runs kernels on the CPU device",
                )
            else:
                report.print_success(f"{shown} runs kernels in {kind}")
    cuda.select_device(default.id)
    print(f"           kernels run on device {default.id} unless the program selects another")
    if reason := cuda.cuda_error():
        report.print_note(f"no GPU: {reason}", advise_without_gpu(reason))


def _describe_device(device):
    if device.type == "cpu":
        return f"{device.name} (cpu)"
    capability = ".".join(map(str, device.compute_capability))
    version = device._native.driver_version
    driver = f"driver for CUDA {version // 1000}.{version % 1000 // 10}"
    return f"{device.name} ({device.type}, compute capability {capability}, {driver})"


def _test_python_kernel(device):
    cuda.select_device(device.id)
    values = np.arange(100, dtype=np.int32)
    cuda.jit(_increment_values)[4, 32](values)
    _check_incremented_values(values)


def _test_cuda_kernel(device):
    cuda.select_device(device.id)
    values = cuda.to_device(np.arange(100, dtype=np.int32))
    heddle.RawKernel(_add_one_in_cuda, "add_one")((4,), (32,), (values, np.int32(100)))
    _check_incremented_values(values.copy_to_host())


def _check_incremented_values(values):
    if not np.array_equal(values, np.arange(1, 101)):
        raise RuntimeError("the result is wrong")


def _check_host_functions(report):
    report.print_section_title("Host functions (njit)")
    try:
        total = heddle.njit(lambda values: values.sum())(np.arange(100))
    except Exception as error:
        report.print_failure(
            "a function fails", error, "HEDDLE_DISABLE_JIT=1 runs functions as plain Python"
        )
        return
    if total != 4950:
        report.print_problem(
            "a function has a wrong result", "report it, with the output of this command"
        )
        return
    report.print_success(
        f"functions run on the CPU, prange loops on {heddle.get_num_threads()} threads"
    )


def _check_cache(report):
    report.print_section_title("Cache of compiled kernels")
    info = _heddle.cache_info()
    contents = f"{format_kernel_count(info['entries'])}, {format_size(info['bytes'])}"
    shown = f"{info['directory']}: {contents} of at most {format_size(info['max_bytes'])}"
    if info["problem"]:
        report.print_problem(
            f"{shown}; it is not used: {info['problem']}",
            "run 'chmod go-w' on what the message names, or set HEDDLE_CACHE_DIR to a folder of your own",
        )
    elif not info["writable"]:
        report.print_problem(
            f"{shown}; it is not writable",
            "set HEDDLE_CACHE_DIR to a folder that you can write",
        )
    else:
        report.print_success(shown)


def _check_settings(report):
    report.print_section_title("Settings")
    known = config.list_environment_variables()
    given = sorted(name for name, value in os.environ.items() if value)
    found = [name for name in given if name in known]
    for name in found:
        report.print_note(f"{name}={os.environ[name]}")
    for wrong in config.find_wrong_values():
        report.print_wrong_setting(wrong.name, wrong.describe(), wrong.format_advice())
    unknown = [
        (name, near) for name in given if (near := _suggest_for_misspelled_variable(name, known))
    ]
    for name, near in unknown:
        report.print_problem(f"{name}={os.environ[name]} has no effect", near)
    if not found and not unknown:
        report.print_note("no HEDDLE_ or NUMBA_ variables are set")


def _suggest_for_misspelled_variable(name, known):
    """The advice for a variable that may be meant for Heddle, but that Heddle does not read; empty for others."""
    if name in known:
        return ""
    prefix, _, setting = name.partition("_")
    if prefix not in ("HEDDLE", "NUMBA"):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.9)
        return f"did you mean {near[0]}?" if near else ""
    settings = [other.partition("_")[2] for other in known if other.startswith(f"{prefix}_")]
    near = difflib.get_close_matches(setting, settings, n=1, cutoff=0.7)
    if near:
        return f"did you mean {prefix}_{near[0]}?"
    return "heddle has no such setting; the page on environment variables lists all settings"


def _print_optional_libraries(report):
    report.print_section_title("Optional libraries")
    for name, use in _libraries.items():
        version = _find_installed_version(name)
        if version:
            report.print_success(f"{name} {version}: {use}")
        else:
            report.print_note(f"{name} is not installed: {use}")


def _find_installed_version(name):
    """The installed version of a package; empty if there is none. CuPy's packages have the CUDA version in the name."""
    for candidate in (name, f"{name}-cuda12x", f"{name}-cuda13x"):
        try:
            return importlib.metadata.version(candidate)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def _first_line(error):
    return str(error).partition("\n")[0]


def _get_hint(error):
    return str(error).partition("\n  hint: ")[2]
