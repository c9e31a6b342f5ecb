"""Host time of launches with many arrays of CuPy and torch, compared with device arrays and CuPy's launch."""

import numpy as np

from gpu_timing import Row, make_batch, measure_launches_in_turns

COUNTS = 3, 8, 16, 32


def make_kernels(heddle, count):
    """A Python kernel and the source of a CUDA C++ kernel that sum ``count`` arrays."""
    names = [f"a{i}" for i in range(count)]
    total = " + ".join(f"{name}[i]" for name in names)
    source = f"def sum_of(r, {', '.join(names)}):\n    i = cuda.grid(1)\n    r[i] = {total}\n"
    scope = {"cuda": heddle}
    exec(source, scope)
    parameters = ", ".join(f"const float* {name}" for name in names)
    code = (
        f'extern "C" __global__ void sum_of(float* r, {parameters})\n'
        f"{{ int i = threadIdx.x; r[i] = {total}; }}"
    )
    return heddle.jit(scope["sum_of"]), code


def list_kinds(libs):
    """(name, function that makes an array, function that copies it back)."""
    yield "device", libs.heddle.to_device, lambda array: array.copy_to_host()
    if libs.cupy:
        yield "CuPy", libs.cupy.asarray, libs.cupy.asnumpy
    if libs.torch:
        torch = libs.torch
        yield (
            "torch",
            lambda host: torch.from_numpy(host.copy()).cuda(),
            lambda tensor: tensor.cpu().numpy(),
        )


def measure_foreign_launch_rows(libs):
    """The time of device arrays comes first in each group; every foreign array may cost 0.25 us more."""
    from heddle import RawKernel

    heddle, host = libs.heddle, np.arange(32, dtype=np.float32)
    for count in COUNTS:
        kernel, code = make_kernels(heddle, count - 1)
        raw, contenders = RawKernel(code, "sum_of"), {}
        configured = kernel[1, 32]
        for kind, make, copy_back in list_kinds(libs):
            given = [make(host) for _ in range(count)]
            for launch in (lambda g=given: configured(*g), lambda g=given: raw((1,), (32,), g)):
                for _ in range(10):
                    launch()
                heddle.synchronize()
                np.testing.assert_allclose(copy_back(given[0]), host * (count - 1), rtol=1e-6)
            contenders[kind, "Python"] = (
                make_batch(lambda g=given: configured(*g)),
                heddle.synchronize,
            )
            given = tuple(given)
            contenders[kind, "CUDA C++"] = (
                make_batch(lambda g=given: raw((1,), (32,), g)),
                heddle.synchronize,
            )
            if kind == "CuPy":
                theirs = libs.cupy.RawKernel(code, "sum_of")
                contenders[kind, "CuPy's launch"] = (
                    make_batch(lambda g=given: theirs((1,), (32,), g)),
                    libs.cupy.cuda.runtime.deviceSynchronize,
                )
        times = measure_launches_in_turns(contenders)
        for (kind, language), ours in times.items():
            if language == "CuPy's launch":
                continue
            own = times["device", language]
            row = Row(f"host time of one launch in {language}, {count} {kind} arrays", "us", ours)
            if kind != "device":
                row.bar = own + 0.25 * count
                row.note = f"{1e3 * (ours - own) / count:.0f} ns for each array"
            if (kind, language) == ("CuPy", "CUDA C++"):
                row.peers["CuPy's launch"] = times["CuPy", "CuPy's launch"]
            yield row
