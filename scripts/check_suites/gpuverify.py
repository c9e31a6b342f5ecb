"""GPUVerify's CUDA tests: kernels with contracts, verified for all inputs or not. They run with one choice of these."""

import itertools
import math
import re

import numpy as np
from suites import Mistake, Program

from heddle.compat import cupy as cp

BUFFER_BYTES = 4 << 20
MOST_IN_BLOCK = 1024
MOST_THREADS = 1 << 13

# Contracts become true or nothing.
ANNOTATIONS = """
#define __requires(...) (void)0
#define __ensures(...) (void)0
#define __assert(...) (void)0
#define __assume(...) (void)0
#define __axiom(...)
#define __global_invariant(...) (void)0
#define __function_wide_invariant(...) (void)0
#define __invariant(...) true
#define __requires_fresh_array(...) (void)0
"""
HEADERS = {
    "cooperative_groups": "#include <cooperative_groups.h>\n#define synchronize(g) g.sync()\n",
    "curandState": "#include <curand_kernel.h>\n",
}

# Programs whose labels a run cannot show, by the start of their names.
SKIPPED = {
    "annotation_tests/test_axiom": "correct in one block",
    "argument_promotion": "textures",
    "atomics/pointer_add": "uses a host variable",
    "curand_tests/fail/curand_mtgp32": "MTGP32",
    "curand_tests/pass/curand_mtgp32": "MTGP32",
    "curand_tests/fail/init_race": "the threads of a run write equal values",
    "function_pointers": "the host passes functions",
    "globalarray/fail": "the host may have changed the array",
    "loop_unwind": "the threads of a run write equal values",
    "memcpy_simplification": "undefined functions, host variables, textures",
    "memset/null_dst": "a null pointer",
    "misc/pass/misc4": "an undefined function",
    "misc/pass/misc5": "an undefined function",
    "misc/pass/misc6": "an undefined function",
    "pointeranalysistests/testbasicaliasing": "undefined behavior before the race",
    "predication": "an undefined function",
}
NOT_A_RACE = (
    "assert|null pointer|constant memory|0-sized|invariant might|a = 12|[A-Z]+_ERROR|kernel.cu:10$"
)
# Some threads skip a branch with a barrier and end, so the checker treats them as threads that have returned early.
ENDED = "cooperative_groups/fail/.*divergence.*"
# Some blocks end without the grid barrier at which others wait.
ENDED_BLOCKS = "cooperative_groups/fail/block_divergence_grid_group"
# Correct only if the threads of a warp run in lockstep, which no GPU since Volta promises.
LOCKSTEP = "warpsync/(2d|intragroup_scan|scan_warp|shuffle)"


def list_programs(folder):
    """The programs of a copy of the repository whose labels a run can show."""
    root = folder / "testsuite/CUDA"
    for path in sorted(root.glob("**/*.cu")):
        name, text = str(path.parent.relative_to(root)), path.read_text()
        if not any(name.startswith(skipped) for skipped in SKIPPED):
            mistakes = find_mistakes(name, text)
            if mistakes is not None:
                yield Program(name, lambda text=text: run(text), mistakes, ("uninit",))


def find_mistakes(name, text):
    """The labelled mistakes; None if the label is about something else."""
    label = "\n".join(
        itertools.takewhile(lambda line: line.startswith("//") or not line, text.splitlines())
    )
    if re.match("//pass", label, re.I):
        return (Mistake("race"),) if re.fullmatch(LOCKSTEP, name) else ()
    if re.search(NOT_A_RACE, label, re.M):
        return None
    if name == ENDED_BLOCKS:
        return (Mistake("barrier"),)
    return () if re.fullmatch(ENDED, name) else (Mistake("race"),)


def read_shape(text, option, most):
    """The extents of the grid or the block, such as ``--blockDim=[4,4]``, reduced to at most `most` elements."""
    shape = []
    for extent in re.search(rf"--{option}=\[?([\d,]+)", text)[1].split(","):
        shape.append(max(1, min(int(extent), most // math.prod(shape))))
    return tuple(shape)


def run(text):
    block = read_shape(text, "blockDim", MOST_IN_BLOCK)
    grid = read_shape(text, "gridDim", MOST_THREADS // math.prod(block))
    code, kernels = prepare(text)
    options = tuple(re.findall(r"-D\w+=?\w*", text.splitlines()[1]))
    module = cp.RawModule(code=code, options=options)
    for name, parameters in kernels:
        kept = []  # arrays that only structures point to
        arguments = [make_argument(module, text, *parameter, kept) for parameter in parameters]
        module.get_function(name)(grid, block, tuple(arguments))
        cp.cuda.Device().synchronize()


def prepare(text):
    """The code to compile, and its kernels, each as (name, [(type, name of a parameter)]).

    For each type that is neither a pointer nor a number, the code has a kernel that stores its size.
    """
    code = re.sub(r'#include *[<"]cuda.h[>"]', "", text)
    code = re.sub(r"(?<!\w)__global__", 'extern "C" __global__', code)
    code = "".join(header for word, header in HEADERS.items() if word in text) + "#line 1\n" + code
    plain = re.sub(r"//.*", "", text)
    kernels = []
    for name, parameters in re.findall(r"__global__\s+void\s+(\w+)\s*\(([^)]*)\)", plain):
        split = [
            re.fullmatch(r"(.*?)\s*(\w+)", p.strip(), re.S)
            for p in parameters.split(",")
            if p.strip()
        ]
        kernels.append((name, [(found[1], found[2]) for found in split]))
    types = {kind for _, parameters in kernels for kind, _ in parameters if is_structure(kind)}
    sizes = "".join(
        f'\nextern "C" __global__ void size_of_{kind.split()[-1]}(int* size) {{ *size = sizeof({kind}); }}'
        for kind in sorted(types)
    )
    return ANNOTATIONS + code + sizes, kernels


def is_structure(kind):
    return "*" not in kind and not re.search(
        r"\b(int|unsigned|char|float|double|long|size_t|bool)\b", kind
    )


def make_argument(module, text, kind, name, kept):
    if "*" in kind:
        return cp.zeros(BUFFER_BYTES, dtype=cp.uint8)
    if is_structure(kind):
        return make_structure(module, kind, kept)
    value = re.search(rf"__requires\({name} == (\d+)\)|^//{name} = (\d+)", text, re.M)
    if re.search(rf"__requires\({name} == blockDim.x\)", text):
        number = read_shape(text, "blockDim", MOST_IN_BLOCK)[0]
    else:
        number = int(value[1] or value[2]) if value else 1
    types = {"float": np.float32, "double": np.float64, "char": np.int8, "size_t": np.uint64}
    return types.get(kind, np.int32)(number)


def make_structure(module, kind, kept):
    """A structure of pointers to separate arrays, which are added to ``kept``."""
    size = cp.zeros(1, dtype=cp.int32)
    module.get_function(f"size_of_{kind.split()[-1]}")((1,), (1,), (size,))
    arrays = [cp.zeros(BUFFER_BYTES // 64, dtype=cp.uint8) for _ in range(-(-int(size[0]) // 8))]
    kept.extend(arrays)
    pointers = np.array([array.data.ptr for array in arrays], dtype=np.uint64)
    return np.frombuffer(pointers.tobytes()[: int(size[0])], dtype=f"V{int(size[0])}")[0]
