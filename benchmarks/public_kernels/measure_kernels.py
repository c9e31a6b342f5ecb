"""Compiles, checks and times kernels, and prints a line of JSON for each: a child process of run.py."""

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from device_code import make_program
from entries import BFLOAT16, from_bfloat16
from libraries import CuPy, Heddle, Numba, prepare_python_launch, prepare_raw_launch
from python_code import take_definitions
from tables import find_kernels


class Contender:
    """A kernel in one library, and the library's copies of the arguments."""

    def __init__(self, library, source, kernel, launch):
        self.library, self.kernel, self.launch_of_kernel = library, kernel, launch
        self.arguments = tuple(
            library.to_device(a) if isinstance(a, np.ndarray) else a for a in launch.arguments
        )
        self.launch, self.first_call = self.compile_and_launch(source)

    def compile_and_launch(self, source):
        """A function that launches the kernel, and the seconds of its first call."""
        library = self.library
        library.synchronize()
        start = time.perf_counter()
        prepare = prepare_python_launch if self.kernel.is_python else prepare_raw_launch
        launch = prepare(library, source, self.kernel, self.launch_of_kernel, self.arguments)
        launch()
        library.synchronize()
        return launch, time.perf_counter() - start

    def copy_arrays(self, positions):
        """The arrays at these positions of the arguments, after the first launch."""
        return {i: self.library.to_host(self.arguments[i]) for i in positions}


def read_program(kernel, folder):
    texts = [(folder / file).read_text(errors="replace") for file in kernel.files]
    if kernel.is_python:
        return take_definitions(texts, kernel.files, (*kernel.names, kernel.function))
    rules = {name: getattr(kernel, name) for name in ("defines", "keep", "drop", "replace")}
    return make_program(texts, kernel.function, **rules)


def measure_kernel(kernel, folder, size, libraries):
    """The times of a kernel as a dict; microseconds for launches, milliseconds for first calls."""
    source = read_program(kernel, folder)
    launch = kernel.make(size)
    own = Contender(libraries["Heddle"], source, kernel, launch)
    arrays = [i for i, given in enumerate(launch.arguments) if isinstance(given, np.ndarray)]
    results = own.copy_arrays(arrays)
    changed = check_results(launch, results)
    found = {"heddle_first_ms": 1e3 * own.first_call, "changed": changed}
    contenders = [own]
    peer = libraries.get("numba-cuda" if kernel.is_python else "NVRTC")
    if peer:
        try:
            other = Contender(peer, source, kernel, launch)
            found |= {"peer": peer.name, "peer_first_ms": 1e3 * other.first_call}
            difference = compare_results(launch, results, other.copy_arrays(changed))
            found["difference"] = difference
            found["ok"] = bool(difference <= kernel.tolerance)
            contenders.append(other)
        except Exception as error:  # the peer's failure leaves heddle's times
            found["peer_failure"] = describe(error)
    times = measure_in_turns(contenders)
    found |= dict(zip(("heddle_us", "peer_us"), times, strict=False))
    if len(contenders) == 2:
        found |= repeat_close_first_calls(contenders, source, kernel.is_python)
    return found


def repeat_close_first_calls(contenders, source, is_python, repeats=8, close=0.8):
    """The medians of several first calls in turns as a dict, if Heddle's first call was not clearly shorter.

    One first call varies by a third from run to run. An unused variable keeps the libraries from using cached code.
    """
    firsts = [[contender.first_call] for contender in contenders]
    if firsts[0][0] < close * firsts[1][0]:
        return {}
    for i in range(repeats):
        unused = f"unused_in_first_call_{i}"
        changed = source + (f"\n{unused} = 0\n" if is_python else f"\n__device__ int {unused};\n")
        for contender, found in zip(contenders, firsts, strict=True):
            found.append(contender.compile_and_launch(changed)[1])
    medians = [1e3 * statistics.median(found) for found in firsts]
    return dict(zip(("heddle_first_ms", "peer_first_ms"), medians, strict=True))


def check_results(launch, results):
    """The positions of the arrays that the launch changed. Raises AssertionError if results are impossible or wrong."""
    changed = [i for i, found in results.items() if not is_same(launch.arguments[i], found)]
    if launch.changed is not None:
        changed = [i for i in changed if i in launch.changed]
    assert changed, "the launch changed no array"
    for i in changed:
        parts = list(split(decode(launch, i, results[i])))
        if parts[0].dtype.kind in "fc":
            assert not any(np.isnan(part).any() for part in parts), f"argument {i} has NaNs"
            assert any((np.isfinite(part) & (part != 0)).any() for part in parts), (
                f"argument {i} is zero"
            )
    for i, wanted in launch.wanted.items():
        difference = compute_difference(decode(launch, i, results[i]), wanted)
        assert difference <= 1e-3, f"argument {i} differs by {difference:.1e} from the reference"
    assert launch.check is None or launch.check(results), "the results are wrong"
    return changed


def compare_results(launch, ours, theirs):
    """The largest difference between the arrays of both libraries."""
    return max(
        compute_difference(decode(launch, i, ours[i]), decode(launch, i, array))
        for i, array in theirs.items()
    )


def compute_difference(found, wanted):
    """The largest difference relative to the largest finite number, or, for other types, the fraction of elements that
    differ."""
    if found.dtype.names:
        found, wanted = view_bytes(found), view_bytes(wanted)
    pairs = zip(split(found), split(wanted), strict=True)
    if found.dtype.kind not in "fc":
        return sum(int(np.count_nonzero(a != b)) for a, b in pairs) / found.size
    largest = difference = 0.0
    for a, b in pairs:
        largest = max(largest, float(np.abs(b[np.isfinite(b)]).max(initial=0)))
        differs = a != b  # equal infinities have no difference
        if differs.any():
            numbers = [part[differs].astype(np.result_type(part, np.float32)) for part in (a, b)]
            difference = np.maximum(difference, np.abs(numbers[0] - numbers[1]).max())
    return float(difference) / (largest or 1.0)


def split(array, count=1 << 18):
    """Parts of an array that fit into a cache."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return (flat[i : i + count] for i in range(0, flat.size, count))


def decode(launch, position, array):
    numbers = launch.types.get(position)
    if numbers == BFLOAT16:
        return from_bfloat16(array)
    return array if numbers is None else array.view(numbers)


def is_same(a, b):
    pairs = zip(split(view_bytes(a)), split(view_bytes(b)), strict=True)
    return all(np.array_equal(*pair) for pair in pairs)


def view_bytes(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def measure_in_turns(contenders, seconds=0.25):
    """Microseconds per launch of each contender, medians of at least three measurements that take turns."""
    once = [measure_once(contender, 1) for contender in contenders]
    counts = [int(min(50, max(1, 2e-3 / max(t, 1e-6)))) for t in once]
    total = sum(n * t for n, t in zip(counts, once, strict=True))
    repeats = int(min(15, max(3, seconds / max(total, 1e-6))))
    times = [[] for _ in contenders]
    for _ in range(repeats):
        for contender, count, found in zip(contenders, counts, times, strict=True):
            found.append(measure_once(contender, count))
    return [1e6 * statistics.median(found) for found in times]


def measure_once(contender, count):
    return 1e-3 * contender.library.events.measure_launches(contender.launch, count) / count


def describe(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    problem = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
    return f"{type(error).__name__}: {problem.strip()[:300]}"


def is_usable(library):
    """False if an error has destroyed the GPU's context."""
    try:
        return library.to_host(library.to_device(np.ones(1)))[0] == 1
    except Exception:  # each library has different exceptions
        return False


def load_libraries(with_peers):
    libraries = {"Heddle": Heddle()}
    warm_up(libraries["Heddle"])
    for peer in (CuPy, Numba) if with_peers else ():
        try:
            library = peer()
            warm_up(library)
            libraries[peer.name] = library
        except Exception as error:  # a library that is missing or does not start
            report({"missing": peer.name, "failure": describe(error)})
    return libraries


def warm_up(library):
    """Creates the context and loads the compiler, so that the first kernel's first call does not pay for them."""
    source = 'extern "C" __global__ void warm(float* x) { x[threadIdx.x] += 1; }'
    array = library.to_device(np.zeros(32, np.float32))
    if isinstance(library, Numba):
        library.cuda.jit("void(float32[:])")(_add_one)[1, 32](array)
    else:
        library.compile_module(source, "warm").get_function("warm")((1,), (32,), (array,))
    library.synchronize()


def _add_one(x):
    x[0] += 1


def describe_machine(libraries):
    name = libraries["Heddle"].cuda.get_current_device().name
    device = name.decode() if isinstance(name, bytes) else name
    return {"device": device, **{name: library.version for name, library in libraries.items()}}


def report(line):
    print(json.dumps(line), flush=True)


def main():
    """Reads a job in JSON: names of kernels, folders of suites, whether sizes are small, whether there are peers."""
    job = json.loads(sys.stdin.read())
    libraries = load_libraries(job["peers"])
    report({"machine": describe_machine(libraries)})
    for kernel in find_kernels(job["kernels"]):
        report({"start": kernel.name})
        size = kernel.sizes[1 if job["small"] else 0]
        try:
            found = measure_kernel(kernel, Path(job["folders"][kernel.suite]), size, libraries)
        except Exception as error:  # of a kernel that someone else wrote
            found = {"failure": describe(error)}
        report({"done": kernel.name, **found})
        is_failure = "failure" in found or "peer_failure" in found
        if is_failure and not all(map(is_usable, libraries.values())):
            return


if __name__ == "__main__":
    main()
