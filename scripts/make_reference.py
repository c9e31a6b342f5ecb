"""Writes the pages of docs/reference that list what kernels may use by name, from the compiler's own tables.

Run by `make reference`, with heddle on the path. Tests compare the pages with what `pages()` returns.
"""

import csv
import fnmatch
import inspect
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
NAMES_OF_NUMBA = Path(__file__).parents[1] / "tests" / "python" / "kernel_names_of_numba.txt"


class Page(NamedTuple):
    """A page: the rows whose name starts with one of `prefixes`, unless a page above takes them."""

    file: str
    title: str
    prefixes: tuple
    introduction: str = ""


# What kernels do not have.
HOST = Page(
    "host.md",
    "Names of host functions alone",
    ("",),
    "Beside these, [functions of the host](../host_functions.md) have the names that the other pages list without "
    "`cuda.`.",
)

# The first page that takes a name has it.
PAGES = (
    Page("builtins.md", "Python's builtins", ("builtins.",)),
    Page(
        "math.md",
        "math",
        ("math.",),
        "float32 gives float32, float64 and the integers give float64.",
    ),
    Page("cmath.md", "cmath", ("cmath.",), "complex64 gives complex64 or float32."),
    Page(
        "numpy.md",
        "NumPy functions",
        ("numpy.",),
        "Functions of numbers; those that NumPy calls ufuncs take arrays too where the last argument, or `out=`, is "
        "the array to write to. Functions of arrays return views: see [arrays in kernels](../arrays_in_kernels.md).",
    ),
    Page("operator.md", "operator", ("operator.", "_operator.")),
    Page(
        "indices.md",
        "Where a thread is",
        (
            *("cuda.threadIdx", "cuda.blockIdx", "cuda.blockDim", "cuda.gridDim"),
            *("cuda.grid", "cuda.laneid", "cuda.warpsize"),
        ),
        "Components x, y and z are int32.",
    ),
    Page(
        "barriers.md",
        "Barriers and fences",
        ("cuda.syncthreads", "cuda.threadfence", "cuda.nanosleep"),
    ),
    Page("groups.md", "Groups of threads", ("cuda.cg.",)),
    Page(
        "warps.md",
        "Warps",
        (
            *("cuda.shfl", "cuda.all_sync", "cuda.any_sync", "cuda.eq_sync", "cuda.ballot_sync"),
            *("cuda.match_", "cuda.activemask", "cuda.lanemask", "cuda.syncwarp", "cuda.reduce_"),
            "cuda.vote",
        ),
        "A warp is 32 threads with consecutive indices, on every device.",
    ),
    Page("atomics.md", "Atomic operations", ("cuda.atomic.",), "Each returns the old value."),
    Page("memory.md", "Memory", ("cuda.shared.", "cuda.local.", "cuda.const.")),
    Page(
        "cache_hints.md",
        "Loads and stores with cache hints",
        ("cuda.ldc", "cuda.ldl", "cuda.stc", "cuda.stw"),
    ),
    Page("fp16.md", "float16", ("cuda.fp16.",)),
    Page("bf16.md", "bfloat16", ("cuda.bf16.",)),
    Page("random.md", "Random numbers", ("cuda.random.",)),
    Page(
        "libdevice.md",
        "libdevice",
        ("cuda.libdevice.",),
        "What C returns through pointers, these return as tuples.",
    ),
    Page(
        "vector_types.md",
        "Vector types",
        tuple(
            f"cuda.{base}"
            for base in (
                "int",
                "uint",
                "float",
                "double",
                "char",
                "uchar",
                "short",
                "ushort",
                "long",
                "ulong",
            )
        ),
        "A vector has the components x, y, z and w, and no arithmetic.",
    ),
    Page(
        "arrays.md",
        "Methods of arrays",
        ("array.",),
        "Attributes are dtype, flags, flat, imag (of complex arrays), itemsize, nbytes, ndim, real, shape, size, "
        "strides and T. [Arrays in kernels](../arrays_in_kernels.md) tells of views and assignments.",
    ),
    Page("numbers.md", "Methods of numbers and tuples", ("number.", "int.", "tuple.")),
    Page("pointers.md", "Pointers", ("heddle.carray", "heddle.farray", "ffi.")),
    Page(
        "cupyx_jit.md",
        "cupyx.jit",
        ("jit.",),
        "What `cupyx.jit` has beside the operations above, which it calls `jit.threadIdx`, `jit.syncthreads` or "
        "`jit.atomic_add`; see [programs written for CuPy](../cuda_cpp.md#programs-written-for-cupy).",
    ),
    Page("others.md", "Other operations", ("cuda.", "heddle.prange")),
    Page("extensions.md", "Other names", ("",)),
)


def library():
    """What kernels may use: dicts with name, signature, doc, difference, devices."""
    from heddle import _heddle

    rows = [row for row in _heddle.library() if row["in_kernels"]]
    return [*rows, *functions_in_python()]


def host_library():
    """What functions of the host have and kernels have not, likewise."""
    from heddle import _heddle

    rows = [row for row in _heddle.library() if not row["in_kernels"]]
    rows = [row for row in rows if not row["name"].startswith("host.")]  # the library's own
    return [{**row, "devices": ""} for row in rows]


def functions_in_python():
    """A row for each device function of heddle.cuda.random; the doc is the first sentence of its docstring."""
    from heddle.cuda import random

    functions = {name: getattr(getattr(random, name), "py_func", None) for name in random.__all__}
    return [
        {
            "name": f"cuda.random.{name}",
            "signature": str(inspect.signature(function)),
            "doc": function.__doc__.partition(". Only inside a kernel")[0] + ".",
            "difference": "",
            "devices": "CPU and GPU",
        }
        for name, function in functions.items()
        if function
    ]


def names_of_numba():
    """What numba.cuda offers in kernels, by the names of the compiler's tables."""
    lines = NAMES_OF_NUMBA.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def refused():
    """What numba.cuda offers and heddle refuses: dicts with name, error, reason.

    From docs/reference/refused.csv, where a name may end in `*`; lines that no longer refuse anything are left out.
    """
    with (FOLDER / "refused.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    has = {row["name"] for row in library()}
    missing = [name for name in names_of_numba() if name not in has]
    return [
        line for line in lines if any(fnmatch.fnmatchcase(name, line["name"]) for name in missing)
    ]


def shown(name):
    """A row's name as a program writes it."""
    for module, usual in (("builtins.", ""), ("numpy.", "np."), ("_operator.", "operator.")):
        if name.startswith(module):
            return usual + name.removeprefix(module)
    return name


def rows_of_pages():
    """The rows of each page: a dict from Page to a list of rows, pages without any left out."""
    found = {}
    for row in library():
        page = next(page for page in PAGES if row["name"].startswith(page.prefixes))
        found.setdefault(page, []).append(row)
    return {**{page: found[page] for page in PAGES if page in found}, HOST: host_library()}


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(head, lines):
    return [
        "| " + " | ".join(head) + " |",
        "| " + " | ".join("---" for _ in head) + " |",
        *("| " + " | ".join(map(cell, line)) + " |" for line in lines),
    ]


def library_page(page, rows):
    """The text of a page of names."""
    with_difference = any(row["difference"] for row in rows)
    devices = {row["devices"] for row in rows}
    head = ["name", "meaning"]
    columns = [
        lambda row: f"`{shown(row['name'])}{row['signature'].replace('=', '=...')}`",
        lambda row: row["doc"],
    ]
    if len(devices) > 1:
        head.append("devices")
        columns.append(lambda row: row["devices"])
    if with_difference:
        head.append("difference from numba")
        columns.append(lambda row: row["difference"])
    where = [f"On every device: {devices.pop()}."] if len(devices) == 1 and page != HOST else []
    introduction = " ".join(filter(None, [page.introduction, *where]))
    lines = table(head, [[column(row) for column in columns] for row in rows])
    return "\n".join([f"# {page.title}", "", GENERATED, "", introduction, "", *lines, ""])


def refused_page():
    lines = table(
        ["name", "error", "why"],
        [[f"`{shown(row['name'])}`", f"`{row['error']}`", row["reason"]] for row in refused()],
    )
    introduction = (
        "What numba.cuda has in kernels and heddle refuses, each with an error that names the line."
    )
    return "\n".join(["# What is refused", "", GENERATED, "", introduction, "", *lines, ""])


def index_page(pages):
    """docs/reference/README.md: every page with how many names it has."""
    written = [
        "- [The language](language.md): statements, expressions and types",
        "- [Twenty mistakes](mistakes.md): the error that each raises, and what to write instead",
    ]
    made = [
        f"- [{page.title}]({page.file}): {len(rows)} {'name' if len(rows) == 1 else 'names'}"
        for page, rows in pages.items()
    ]
    last = [
        "- [What is refused](refused.md), and why",
        "- [Names of numba](names_of_numba.md): what a program that imports numba finds, module by module",
    ]
    title = ["# Reference", "", GENERATED, "", "What a kernel may use, page by page.", ""]
    return "\n".join([*title, *written, *made, *last, ""])


GENERATED = "<!-- Written by `make reference` from the compiler's tables: change those. -->"


def pages():
    """The generated pages: a dict from file name to text."""
    rows = rows_of_pages()
    texts = {page.file: library_page(page, rows[page]) for page in rows}
    return {**texts, "refused.md": refused_page(), "README.md": index_page(rows)}


def stale():
    """Names of the files in docs/reference that are not what the tables say, those that should be gone included."""
    wanted = pages()
    there = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    ours = {name for name, text in there.items() if GENERATED in text}
    return sorted(name for name in {*wanted, *ours} if wanted.get(name) != there.get(name))


def main():
    wanted = pages()
    for name in stale():
        print(f"docs/reference/{name}")
        if name in wanted:
            (FOLDER / name).write_text(wanted[name])
        else:
            (FOLDER / name).unlink()


if __name__ == "__main__":
    sys.exit(main())
