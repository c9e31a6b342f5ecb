"""ScoR's microbenchmarks: locks, fences and atomic operations by scope."""

import re

from suites import Mistake, Program

from heddle.compat import cupy as cp


def list_programs(folder):
    """The programs of a copy of the repository. The file's name is the label."""
    for path in sorted(folder.glob("microbenchmarks/src/*.cu")):
        text = path.read_text()
        mistakes = () if path.stem.startswith("norace") else (Mistake("race", find_lines(text)),)
        yield Program(path.stem, lambda text=text: run(text), mistakes)


def find_lines(text):
    """The lines of the kernel that access data: locks, atomic operations and the array."""
    return frozenset(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"\bdata\[|atomic\w+\(", line)
    )


def run(text):
    shape = {name: int(value) for name, value in re.findall(r"#define (\w+)\s+(\d+)", text)}
    device_code = re.sub(r"^void errCheck.*?^}", _blank, text, flags=re.M | re.S)
    device_code = re.sub(r"^int main.*", "", device_code, flags=re.M | re.S)
    kernel = cp.RawModule(code=device_code.replace("__global__", 'extern "C" __global__'))
    data = cp.zeros(64, dtype=cp.uint32)
    kernel.get_function("kmain")((shape["NBLOCKS"],), (shape["TPERBLK"],), (data,))
    data.get()


def _blank(match):
    """The same number of lines, empty."""
    return "\n" * match[0].count("\n")
