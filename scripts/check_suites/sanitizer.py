"""NVIDIA's samples for compute-sanitizer: a mistake for each of its tools."""

import re
from dataclasses import dataclass

from suites import Mistake, Program

from heddle.compat import cupy as cp


@dataclass(frozen=True)
class Sample:
    """A kernel of the samples. kind: the kind of its mistake, and possibly a second kind. pattern: finds the mistake's
    lines.

    sizes: of the arrays that are its parameters, in elements. zeroed: how many bytes of the first one are set, or all.
    """

    file: str
    kernel: str
    kind: str
    pattern: str
    threads: int = 1
    blocks: int = 1
    sizes: tuple[int, ...] = ()
    zeroed: int | None = None
    numbers: tuple[int, ...] = ()


SAMPLES = (
    Sample("Memcheck/memcheck_demo", "unaligned_kernel", "misaligned bounds", r"&x \+ 1"),
    Sample("Memcheck/memcheck_demo", "out_of_bounds_kernel", "bounds", r"0x87654320"),
    Sample("Racecheck/block_error", "sumKernel", "race", r"\bsmem\[(tx|i)\]", 128, 1, (128, 1)),
    Sample("Racecheck/warp_error", "sumKernel", "race", r"\bsmem_first\[(tx|wx)", 64, 1, (64, 1)),
    Sample("Synccheck/divergent_threads", "myKernel", "barrier", "__syncthreads", 64, 1, (1008, 1)),
    Sample("Synccheck/illegal_syncwarp", "myKernel", "warp", "__syncwarp", 32, 1, (1,)),
    Sample("Initcheck/memset_error", "vectorAdd", "uninit", r"v\[tx\] \+=", 32, 2, (64,), 64),
    Sample(
        "Suppressions/suppressions_initcheck_demo",
        "mult",
        "uninit",
        r"a\[tid\]",
        123,
        1,
        (123, 123),
        491,
        (123,),
    ),
)


def list_programs(folder):
    """The programs of a copy of the repository that have a kernel."""
    for sample in SAMPLES:
        text = (folder / f"{sample.file}.cu").read_text()
        lines = [
            n for n, line in enumerate(text.splitlines(), 1) if re.search(sample.pattern, line)
        ]
        kind, _, other = sample.kind.partition(" ")
        mistake = Mistake(kind, frozenset(lines), other)
        yield Program(
            f"{sample.file}.{sample.kernel}", lambda s=sample, t=text: run(s, t), (mistake,)
        )


def run(sample, text):
    device_code = re.sub(r"^(static void run_|int main\b).*", "", text, flags=re.M | re.S)
    device_code = re.sub(r"^#include.*", "", device_code, flags=re.M)
    module = cp.RawModule(code=device_code.replace("__global__", 'extern "C" __global__'))
    arrays = [cp.empty(size, dtype=cp.int32) for size in sample.sizes]
    for array in arrays[:1]:
        array.view(cp.uint8)[: sample.zeroed] = 0
    numbers = [cp.int32(number) for number in sample.numbers]
    module.get_function(sample.kernel)((sample.blocks,), (sample.threads,), (*arrays, *numbers))
    cp.cuda.Device().synchronize()
