"""Generates the pages of docs/reference that list the names available in kernels, from the compiler's tables.

`make reference` runs it, with heddle on the path. Tests compare the pages with the result of `generate_pages()`.
"""

import csv
import fnmatch
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
NAMES_OF_NUMBA = Path(__file__).parents[1] / "tests" / "python" / "kernel_names_of_numba.txt"


class Page(NamedTuple):
    """A page with the rows whose names start with one of `prefixes`, except rows of earlier pages."""

    file: str
    title: str
    prefixes: tuple
    introduction: str = ""


# Names that are not available in kernels.
HOST = Page(
    "host.md",
    "Names available only in host functions",
    ("",),
    "[Host functions](../host_functions.md) also have the names on the other pages, except those with the prefix "
    "`cuda.`.",
)

# A name belongs to the first page with a matching prefix.
PAGES = (
    Page("builtins.md", "Python's builtins", ("builtins.",)),
    Page(
        "math.md",
        "math",
        ("math.",),
        "The result is float32 for a float32, and float64 for a float64 or an integer.",
    ),
    Page("cmath.md", "cmath", ("cmath.",), "For a complex64 the result is complex64 or float32."),
    Page(
        "numpy.md",
        "NumPy functions",
        ("numpy.",),
        "Most functions take numbers. NumPy's ufuncs also take arrays if the last argument, or `out=`, is the output "
        "array. Functions that return arrays return views: see [arrays in kernels](../arrays_in_kernels.md).",
    ),
    Page("operator.md", "operator", ("operator.", "_operator.")),
    Page(
        "indices.md",
        "Thread indices",
        (
            *("cuda.threadIdx", "cuda.blockIdx", "cuda.blockDim", "cuda.gridDim"),
            *("cuda.grid", "cuda.laneid", "cuda.warpsize"),
        ),
        "The components x, y and z are int32. The x of a thread varies fastest within a warp. [Part 2 of the "
        "course](../tutorials/02_indexing.md) shows blocks of two and three dimensions.",
    ),
    Page(
        "barriers.md",
        "Barriers and fences",
        ("cuda.syncthreads", "cuda.threadfence", "cuda.nanosleep"),
        "A barrier does not wait for threads that have returned. All other threads of the block must reach the same "
        "barrier, or a GPU may hang; [`heddle check`](../check.md#barriers-and-warp-operations) reports it. A fence "
        "orders the memory accesses of one thread and does not wait for other threads. [Part 5 of the "
        "course](../tutorials/05_shared_memory.md) shows barriers at work.",
    ),
    Page(
        "groups.md",
        "Cooperative groups",
        ("cuda.cg.",),
        "All blocks of a kernel that calls `sync` must be resident at the same time, which limits the grid on a GPU. "
        "See [a recipe](../recipes.md#wait-for-the-whole-grid).",
    ),
    Page(
        "warps.md",
        "Warps",
        (
            *("cuda.shfl", "cuda.all_sync", "cuda.any_sync", "cuda.eq_sync", "cuda.ballot_sync"),
            *("cuda.match_", "cuda.activemask", "cuda.lanemask", "cuda.syncwarp", "cuda.reduce_"),
            "cuda.vote",
        ),
        "A warp consists of 32 threads with consecutive indices, on every device. All lanes of the mask must make the "
        "same call. [Part 18 of the course](../tutorials/18_warps.md) explains warps.",
    ),
    Page(
        "atomics.md",
        "Atomic operations",
        ("cuda.atomic.",),
        "Each operation returns the old value. `idx` is an integer, or a tuple for an array of several dimensions. "
        "[Part 4 of the course](../tutorials/04_races_and_atomics.md) explains races.",
    ),
    Page(
        "memory.md",
        "Memory",
        ("cuda.shared.", "cuda.local.", "cuda.const."),
        "Shapes are constants: a number, or a tuple of numbers. The arrays are not initialized. [Recipes]"
        "(../recipes.md#choose-the-size-of-shared-memory-at-launch) show a shared array whose size the launch "
        "determines.",
    ),
    Page(
        "tensor_cores.md",
        "Tensor cores",
        ("cuda.wmma.",),
        "Products of small matrices by a warp, as in `nvcuda::wmma` of CUDA C++. `use` is `cuda.wmma.matrix_a`, "
        "`matrix_b` or `accumulator`; `layout` is `row_major`, the default of factors, or `col_major`. With `shape`, "
        "an array of fragments is made. A fragment has `x`, the array of its elements in this lane, and "
        "`num_elements`. A tile is `ary[i : i + rows, j : j + columns]`, where `idx` is `(i, j)`. [The "
        "tutorial](../tutorials/21_tensor_cores.md) has the types, the sizes and the rules for tiles.",
    ),
    Page(
        "warpgroups.md",
        "Products of warpgroups",
        ("cuda.wgmma.",),
        "A warpgroup of 128 threads multiplies factors in shared memory, of float16 or bfloat16, and adds the products "
        "to 64 x n float32 sums. n is a multiple of 8 up to 256. GPUs of compute capability 9.0 have instructions for "
        "this. Other devices compute the same in software, without tensor cores. [The "
        "tutorial](../tutorials/21_tensor_cores.md#products-of-warpgroups) shows a kernel.\n\n"
        "`a` has the shape (64, 64). `b` has the shape (n / 64, 64, 64): `b[j, k, i]` is in row k and column "
        "64 * j + i. Or it has the shape (n, 64), and its rows are the columns of the factor. An element of row r and "
        "column c is stored at column `swizzle(r, c)`. Tiles start at multiples of 1024 bytes of shared memory, so at "
        "rows that are multiples of 8.\n\n"
        "Lane 4 * r + q of warp w of the warpgroup has the sums of rows 16 * w + r and 16 * w + r + 8: "
        "`x[4 * j + 2 * h + e]` is in row 16 * w + r + 8 * h and column 8 * j + 2 * q + e.",
    ),
    Page(
        "copies.md",
        "Asynchronous copies",
        ("cuda.pipeline.",),
        "Copies from global to shared memory, as `__pipeline_memcpy_async` of CUDA C++. Other devices than GPUs of "
        "compute capability 8.0 and later copy immediately. `count` elements along the last axis are copied, 1 by "
        "default; both addresses are multiples of the size. `heddle check` reports reads without a wait. There is "
        "[a tutorial](../tutorials/22_asynchronous_copies.md).",
    ),
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
        "Functions that return values through pointers in C return tuples.",
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
        "A vector has up to four components x, y, z and w. It has no arithmetic.",
    ),
    Page(
        "arrays.md",
        "Array methods",
        ("array.",),
        "The attributes are dtype, flags, flat, imag (of complex arrays), itemsize, nbytes, ndim, real, shape, size, "
        "strides and T. [Arrays in kernels](../arrays_in_kernels.md) describes views and assignments.",
    ),
    Page("numbers.md", "Number and tuple methods", ("number.", "int.", "tuple.")),
    Page("pointers.md", "Pointers", ("heddle.carray", "heddle.farray", "ffi.")),
    Page(
        "cupyx_jit.md",
        "cupyx.jit",
        ("jit.",),
        "`cupyx.jit` also has most operations of the other pages, under its names: `jit.threadIdx`, `jit.syncthreads`, "
        "`jit.atomic_add`. See [programs written for CuPy](../cuda_cpp.md#programs-written-for-cupy).",
    ),
    Page("others.md", "Bits, fma and constants", ("cuda.", "heddle.prange")),
    Page("extensions.md", "Other names", ("",)),
)


def list_library():
    """The rows available in kernels: dicts with name, signature, doc, difference, devices."""
    from heddle import _heddle

    rows = [row for row in _heddle.library() if row["in_kernels"]]
    return [*rows, *list_python_function_rows()]


def list_host_library():
    """The rows available only in host functions, in the same form."""
    from heddle import _heddle

    rows = [row for row in _heddle.library() if not row["in_kernels"]]
    is_internal = re.compile(r"host\.|.*\._").match
    rows = [row for row in rows if not is_internal(row["name"])]
    return [{**row, "devices": ""} for row in rows]


def list_python_function_rows():
    """Rows for the device functions of heddle.cuda.random. The doc is the first sentence of the docstring."""
    from heddle.cuda import random

    functions = {name: getattr(getattr(random, name), "py_func", None) for name in random.__all__}
    return [
        {
            "name": f"cuda.random.{name}",
            "signature": str(inspect.signature(function)),
            "doc": function.__doc__.partition(". Only in kernels")[0] + ".",
            "difference": "",
            "devices": "CPU and GPU",
        }
        for name, function in functions.items()
        if function
    ]


def read_numba_names():
    """The names that numba.cuda has in kernels, in the form of the compiler's tables."""
    lines = NAMES_OF_NUMBA.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def list_refused():
    """The names of numba.cuda that Heddle refuses: dicts with name, error, reason.

    Read from docs/reference/refused.csv, where a name may be a pattern with `*`. Lines that match no missing name are
    omitted.
    """
    with (FOLDER / "refused.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    has = {row["name"] for row in list_library()}
    missing = [name for name in read_numba_names() if name not in has]
    return [
        line for line in lines if any(fnmatch.fnmatchcase(name, line["name"]) for name in missing)
    ]


def shorten_name(name):
    """A row's name as programs write it."""
    for module, usual in (("builtins.", ""), ("numpy.", "np."), ("_operator.", "operator.")):
        if name.startswith(module):
            return usual + name.removeprefix(module)
    return name


def assign_rows_to_pages():
    """Maps each nonempty Page to its list of rows."""
    found = {}
    for row in list_library():
        page = next(page for page in PAGES if row["name"].startswith(page.prefixes))
        found.setdefault(page, []).append(row)
    return {**{page: found[page] for page in PAGES if page in found}, HOST: list_host_library()}


def escape_cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def format_table(head, lines):
    return [
        "| " + " | ".join(head) + " |",
        "| " + " | ".join("---" for _ in head) + " |",
        *("| " + " | ".join(map(escape_cell, line)) + " |" for line in lines),
    ]


def format_library_page(page, rows):
    """The text of a page with these rows."""
    with_difference = any(row["difference"] for row in rows)
    devices = {row["devices"] for row in rows}
    head = ["name", "meaning"]
    columns = [
        lambda row: f"`{shorten_name(row['name'])}{row['signature'].replace('=', '=...')}`",
        lambda row: row["doc"],
    ]
    if len(devices) > 1:
        head.append("devices")
        columns.append(lambda row: row["devices"])
    if with_difference:
        head.append("difference from numba")
        columns.append(lambda row: row["difference"])
    where = [f"Available on {devices.pop()}."] if len(devices) == 1 and page != HOST else []
    introduction = " ".join(filter(None, [page.introduction, *where]))
    lines = format_table(head, [[column(row) for column in columns] for row in rows])
    introduction = "\n\n".join(
        textwrap.fill(paragraph, 100, break_on_hyphens=False)
        for paragraph in introduction.split("\n\n")
    )
    return "\n".join(
        [
            f"# {page.title}",
            "",
            GENERATED,
            "",
            introduction,
            "",
            *lines,
            *format_examples(page, rows),
            "",
        ]
    )


def format_examples(page, rows):
    """The docstrings' examples of kernel operations, as one code block. Empty if there are none."""
    from heddle.compiler.operation_examples import examples

    if page == HOST:
        return []
    found = (examples.get(row["name"], "") for row in rows)
    lines = list(dict.fromkeys(text for text in found if text and "\n" not in text))
    return ["", "## Examples", "", "```python", *lines, "```"] if lines else []


def format_refused_page():
    lines = format_table(
        ["name", "error", "why"],
        [
            [f"`{shorten_name(row['name'])}`", f"`{row['error']}`", row["reason"]]
            for row in list_refused()
        ],
    )
    introduction = (
        "Names that numba.cuda supports in kernels but Heddle refuses. The error shows the line."
    )
    return "\n".join(["# Refused names", "", GENERATED, "", introduction, "", *lines, ""])


# The order of the pages in the index and in the site's navigation: from threads to lists of names. Pages that are not
# generated come with their titles and texts.
TOPICS = {
    "The language": {
        "language.md": "[The language](language.md): statements, expressions and types",
        "mistakes.md": "[Twenty mistakes](mistakes.md): the error of each, and the correct program",
    },
    "Threads": dict.fromkeys(
        [
            "indices.md",
            "barriers.md",
            "warps.md",
            "groups.md",
            "atomics.md",
            "tensor_cores.md",
            "warpgroups.md",
        ]
    ),
    "Memory": dict.fromkeys(
        ["memory.md", "copies.md", "arrays.md", "vector_types.md", "cache_hints.md", "pointers.md"]
    ),
    "Numbers": dict.fromkeys(
        [
            *("builtins.md", "numbers.md", "operator.md", "math.md", "cmath.md", "numpy.md"),
            *("random.md", "others.md", "fp16.md", "bf16.md", "libdevice.md"),
        ]
    ),
    "Other names": {
        "cupyx_jit.md": None,
        "extensions.md": None,
        "host.md": None,
        "refused.md": "[Refused names](refused.md), and the reasons",
        "names_of_numba.md": "[Numba's names](names_of_numba.md): the status of every public name of numba, by module",
    },
}


def format_index_page(pages):
    """The text of docs/reference/README.md: the pages by topic with their numbers of names."""
    generated = {
        page.file: f"[{page.title}]({page.file}): {len(rows)} {'name' if len(rows) == 1 else 'names'}"
        for page, rows in pages.items()
    }
    introduction = (
        "This reference describes the language and the names available in kernels. The [host API](../api/README.md) "
        "lists the names that host code uses: devices, arrays, streams, launches."
    )
    lines = ["# Kernel reference", "", GENERATED, "", *textwrap.wrap(introduction, 100), ""]
    for topic, files in TOPICS.items():
        items = [
            f"- {text or generated[file]}"
            for file, text in files.items()
            if text or file in generated
        ]
        lines += [f"## {topic}", "", *items, ""]
    return "\n".join(lines)


GENERATED = "<!-- Generated by `make reference` from the compiler's tables. Edit the tables. -->"


def generate_pages():
    """The generated pages, as a dict from file name to text."""
    rows = assign_rows_to_pages()
    texts = {page.file: format_library_page(page, rows[page]) for page in rows}
    return {**texts, "refused.md": format_refused_page(), "README.md": format_index_page(rows)}


def find_stale():
    """The files in docs/reference that are outdated, including generated files that should no longer exist."""
    wanted = generate_pages()
    there = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    ours = {name for name, text in there.items() if GENERATED in text}
    return sorted(name for name in {*wanted, *ours} if wanted.get(name) != there.get(name))


def main():
    wanted = generate_pages()
    for name in find_stale():
        print(f"docs/reference/{name}")
        if name in wanted:
            (FOLDER / name).write_text(wanted[name])
        else:
            (FOLDER / name).unlink()


if __name__ == "__main__":
    sys.exit(main())
