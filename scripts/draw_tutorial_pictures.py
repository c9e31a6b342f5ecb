"""Draws the SVG figures in docs/tutorials/pictures. They are dark where the reader's system is."""

import math
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials" / "pictures"
COLORS = ["blue", "orange", "green", "pink"]
CELL = 36
STYLE = """<style>
text { fill: #222; }
.line { stroke: #555; fill: none; }
.head { fill: #555; }
.paper { fill: #ffffff; }
.none { fill: none; }
.blue { fill: #d7e8f7; }
.orange { fill: #fbe3c8; }
.green { fill: #dcefd9; }
.pink { fill: #efd9ea; }
.gray { fill: #e4e4e4; }
.red { fill: #f2b8b0; }
@media (prefers-color-scheme: dark) {
text { fill: #e8e8e8; }
.line { stroke: #a0a8b0; }
.head { fill: #a0a8b0; }
.paper { fill: #1e2129; }
.blue { fill: #24486b; }
.orange { fill: #6b4a1f; }
.green { fill: #2c5a33; }
.pink { fill: #5c3557; }
.gray { fill: #3a3e47; }
.red { fill: #8a3a31; }
}
</style>"""


class Drawing:
    """The shapes and labels of one figure. Coordinates are in points from the upper left corner. Colors are classes of
    STYLE."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'font-family="sans-serif" font-size="13" role="img">',
            f"<title>{title}</title>",
            STYLE,
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
            f'<rect class="paper" width="{width}" height="{height}"/>',
        ]

    def draw_box(self, x, y, width, height, text="", color="paper", bold=False):
        stroke = 2 if bold else 1
        self.parts.append(
            f'<g class="{color}"><rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/></g>'
            f'<rect class="line" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" stroke-width="{stroke}"/>'
        )
        if text != "":
            self.draw_text(x + width / 2, y + height / 2 + 5, text, middle=True)

    def draw_text(self, x, y, text, middle=False):
        anchor = ' text-anchor="middle"' if middle else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{anchor}>{text}</text>')

    def draw_code(self, x, y, text):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-family="monospace">{text}</text>')

    def draw_arrow(self, x1, y1, x2, y2):
        self.draw_line(x1, y1, x2, y2, ' marker-end="url(#head)"')

    def draw_line(self, x1, y1, x2, y2, more=""):
        self.parts.append(
            f'<line class="line" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"{more}/>'
        )

    def draw_path(self, points, width=1):
        shown = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline class="line" points="{shown}" stroke-width="{width}"/>')

    def format_svg(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def draw_indexing():
    d = Drawing(680, 150, "Blocks, threads and indices")
    for y, name in [(50, "blockIdx.x"), (86, "threadIdx.x"), (130, "grid(1)")]:
        d.draw_text(10, y, name)
    for block in range(3):
        left = 110 + block * 4 * CELL + block * 24
        d.draw_box(left - 6, 24, 4 * CELL + 12, 76, color=COLORS[block], bold=True)
        d.draw_text(left + 2 * CELL, 48, str(block), middle=True)
        for thread in range(4):
            d.draw_box(left + thread * CELL, 60, CELL, CELL, thread)
            d.draw_text(left + (thread + 0.5) * CELL, 130, str(4 * block + thread), middle=True)
    d.draw_text(110, 16, "grid(1) = blockIdx.x * blockDim.x + threadIdx.x, with blockDim.x = 4")
    return d.format_svg()


def draw_grid_stride():
    d = Drawing(760, 130, "A grid-stride loop")
    for i in range(20):
        d.draw_box(20 + i * CELL, 40, CELL, CELL, f"t{i % 8}", COLORS[i // 8])
        d.draw_text(20 + (i + 0.5) * CELL, 94, str(i), middle=True)
    for number in range(3):
        d.draw_text(20 + number * 8 * CELL, 30, f"iteration {number + 1}")
    d.draw_text(
        20,
        118,
        "t0 takes elements 0, 8 and 16: it starts at its index and advances by the grid size (8)",
    )
    return d.format_svg()


def draw_race():
    d = Drawing(720, 210, "A race, and the same additions with an atomic operation")
    columns = {"thread A": 0, "memory": 110, "thread B": 220}
    steps = {
        "x[0] += 1": [
            ("read 5", "5", "read 5"),
            ("add: 6", "5", "add: 6"),
            ("write 6", "6", "write 6"),
        ],
        "atomic.add(x, 0, 1)": [("5, now 6", "6", ""), ("", "7", "6, now 7")],
    }
    for side, (title, rows) in enumerate(steps.items()):
        left = 20 + side * 360
        d.draw_text(left, 24, title)
        for name, x in columns.items():
            d.draw_text(left + x + 48, 52, name, middle=True)
        for number, row in enumerate(rows):
            for text, (name, x) in zip(row, columns.items(), strict=True):
                if text:
                    color = COLORS[1] if name == "memory" else COLORS[0]
                    d.draw_box(left + x, 62 + number * 40, 96, 32, text, color)
    d.draw_text(20, 200, "two additions, result 6: one is lost")
    d.draw_text(380, 200, "two additions, result 7")
    return d.format_svg()


def draw_tiles():
    d = Drawing(620, 250, "Tiles of a matrix multiplication")
    size, unit = 6, 26

    def matrix(left, name, colored):
        d.draw_text(left + size * unit / 2, 30, name, middle=True)
        for row in range(size):
            for column in range(size):
                color = colored(row // 2, column // 2)
                d.draw_box(left + column * unit, 42 + row * unit, unit, unit, color=color)

    matrix(20, "A", lambda row, column: COLORS[column] if row == 1 else "paper")
    matrix(220, "B", lambda row, column: COLORS[row] if column == 2 else "paper")
    matrix(420, "C", lambda row, column: COLORS[3] if (row, column) == (1, 2) else "paper")
    d.draw_text(196, 125, "@", middle=True)
    d.draw_text(398, 125, "=", middle=True)
    d.draw_text(
        20,
        222,
        "For its tile of C, a block visits the pairs of tiles of equal color. In each iteration:",
    )
    d.draw_text(20, 242, "load both tiles into shared memory, barrier, multiply, barrier.")
    return d.format_svg()


def draw_reduction():
    d = Drawing(460, 260, "The sum of 8 values in three steps")
    values, y, step = [3, 1, 7, 0, 4, 1, 6, 3], 20, 4
    for i, value in enumerate(values):
        d.draw_box(100 + i * CELL, y, CELL, 28, value, COLORS[0])
    while step:
        d.draw_text(10, y + 64, f"step = {step}")
        for i in range(step):
            d.draw_arrow(100 + (i + step + 0.5) * CELL, y + 30, 100 + (i + 0.6) * CELL, y + 44)
            values[i] += values[i + step]
        y += 46
        for i in range(step):
            d.draw_box(100 + i * CELL, y, CELL, 28, values[i], COLORS[2])
        step //= 2
    d.draw_text(10, 220, "All threads wait at a barrier between steps.")
    return d.format_svg()


def draw_streams():
    d = Drawing(660, 170, "Two streams")
    rows = {"one stream": 30, "stream 1": 90, "stream 2": 124}
    for name, y in rows.items():
        d.draw_text(10, y + 18, name)
    work = [("copy in", COLORS[0]), ("kernel", COLORS[2]), ("copy out", COLORS[1])]
    for part in range(2):
        for number, (name, color) in enumerate(work):
            label = f"{name} {part + 1}"
            d.draw_box(100 + (3 * part + number) * 88, 30, 84, 26, label, color)
            d.draw_box(100 + (part + number) * 88, 90 + 34 * part, 84, 26, label, color)
    d.draw_arrow(100, 74, 628, 74)
    d.draw_text(634, 78, "t")
    return d.format_svg()


def draw_launch():
    d = Drawing(700, 190, "A launch of 3 blocks with 4 threads each")
    d.draw_text(20, 22, "host")
    d.draw_box(20, 34, 190, 30, color="gray")
    d.draw_code(30, 54, "add[3, 4](a, b, out)")
    d.draw_arrow(212, 49, 262, 49)
    d.draw_text(270, 22, "device: 12 threads run add, each with a different i")
    for block in range(3):
        left = 270 + block * 140
        d.draw_box(left, 34, 132, 62, color=COLORS[block], bold=True)
        d.draw_text(left + 66, 52, f"block {block}", middle=True)
        for thread in range(4):
            d.draw_box(left + 6 + thread * 30, 60, 30, 28, f"t{thread}")
            d.draw_arrow(left + 21 + thread * 30, 96, left + 21 + thread * 30, 120)
            number = 4 * block + thread
            d.draw_box(left + 6 + thread * 30, 122, 30, 28, number if number < 10 else "")
    d.draw_text(20, 141, "elements of out (10)")
    d.draw_text(
        20, 176, "The last two threads have nothing to do: i &lt; out.size is False for them."
    )
    return d.format_svg()


def draw_scan():
    d = Drawing(520, 260, "An inclusive scan of 8 values in three steps")
    values, y, step = [3, 1, 4, 1, 5, 9, 2, 6], 20, 1
    left = 120

    def draw_row(changed):
        for i, value in enumerate(values):
            color = COLORS[2] if i in changed else COLORS[0]
            d.draw_box(left + i * 46, y, 40, 28, value, color)

    draw_row(())
    while step < 8:
        d.draw_text(10, y + 66, f"step = {step}")
        for i in range(step, 8):
            d.draw_arrow(left + (i - step) * 46 + 22, y + 30, left + i * 46 + 12, y + 46)
        values = [v + (values[i - step] if i >= step else 0) for i, v in enumerate(values)]
        y += 48
        draw_row(range(step, 8))
        step *= 2
    d.draw_text(10, 212, "Each thread adds the value that is step places to its left.")
    d.draw_text(10, 232, "Blue elements do not change in this step.")
    d.draw_text(10, 252, "All threads wait at a barrier after reading, and after writing.")
    return d.format_svg()


def draw_barrier():
    d = Drawing(720, 210, "A race in shared memory, and a barrier that prevents it")
    for side, (title, barrier) in enumerate(
        [("without a barrier", False), ("with a barrier", True)]
    ):
        left = 20 + side * 360
        d.draw_text(left, 24, title)
        for thread in range(2):
            y = 50 + thread * 60
            d.draw_text(left, y + 20, f"thread {thread}")
            late = 60 * thread
            d.draw_box(left + 70 + late, y, 90, 30, f"tile[{thread}] = ...", COLORS[1])
            read = left + 240 if barrier else left + 165 + late
            color = COLORS[2] if barrier or thread else "red"
            d.draw_box(read, y, 90, 30, f"... tile[{1 - thread}]", color)
        if barrier:
            d.draw_line(left + 231, 40, left + 231, 150, ' stroke-width="3"')
            d.draw_text(left + 231, 168, "syncthreads()", middle=True)
    d.draw_text(20, 196, "thread 0 may read tile[1] before thread 1 writes it")
    d.draw_text(380, 196, "all writes come before all reads")
    return d.format_svg()


def draw_languages():
    d = Drawing(700, 150, "From source to machine code")
    d.draw_box(10, 20, 150, 40, "Python function", COLORS[0])
    d.draw_box(10, 90, 150, 40, "CUDA C++ source", COLORS[1])
    d.draw_box(260, 55, 150, 40, "SIMT IR", COLORS[3])
    d.draw_box(520, 20, 170, 40, "PTX for a GPU", COLORS[2])
    d.draw_box(520, 90, 170, 40, "vector code for the CPU", COLORS[2])
    d.draw_arrow(160, 40, 258, 68)
    d.draw_arrow(160, 110, 258, 82)
    d.draw_arrow(410, 68, 518, 40)
    d.draw_arrow(410, 82, 518, 110)
    d.draw_text(188, 38, "Heddle")
    d.draw_text(190, 122, "Clang")
    d.draw_text(450, 78, "LLVM")
    return d.format_svg()


def draw_prange():
    d = Drawing(640, 190, "Iterations of range and of prange")
    d.draw_text(10, 24, "range: one core runs all iterations")
    for i in range(8):
        d.draw_box(90 + i * 64, 34, 60, 26, f"i = {i}", COLORS[0])
    d.draw_text(10, 52, "core 0")
    d.draw_text(10, 94, "prange: the cores share the iterations")
    for core in range(2):
        y = 104 + core * 32
        d.draw_text(10, y + 18, f"core {core}")
        for k in range(4):
            d.draw_box(90 + k * 64, y, 60, 26, f"i = {4 * core + k}", COLORS[core])
    d.draw_arrow(90, 178, 602, 178)
    d.draw_text(610, 182, "t")
    return d.format_svg()


def draw_broadcasting():
    d = Drawing(620, 170, "A ufunc of a column and a row")
    column, row = [1, 2, 4], [1, 2, 3, 5]
    for i, value in enumerate(column):
        d.draw_box(30, 40 + i * CELL, CELL, CELL, value, COLORS[0])
    for j, value in enumerate(row):
        d.draw_box(130 + j * CELL, 76, CELL, CELL, value, COLORS[1])
        for i, other in enumerate(column):
            d.draw_box(420 + j * CELL, 40 + i * CELL, CELL, CELL, max(value, other), COLORS[2])
    for x, text in [(48, "(3, 1)"), (202, "(4,)"), (492, "(3, 4)")]:
        d.draw_text(x, 26, text, middle=True)
    d.draw_arrow(296, 94, 400, 94)
    d.draw_text(348, 86, "max(a, b)", middle=True)
    d.draw_text(492, 165, "one call per pair", middle=True)
    return d.format_svg()


def draw_generators():
    d = Drawing(680, 180, "One random generator per thread")
    d.draw_box(10, 66, 100, 34, "seed", COLORS[3])
    for thread in range(3):
        y = 20 + thread * 52
        d.draw_arrow(110, 83, 160, y + 16)
        d.draw_box(162, y, 100, 32, f"states[{thread}]", COLORS[thread])
        d.draw_arrow(264, y + 16, 296, y + 16)
        d.draw_text(302, y + 21, f"thread {thread}:")
        for k in range(4):
            number = (0.6180339 * (7 * thread + 3 * k + 1)) % 1
            d.draw_box(370 + k * 64, y, 56, 32, f"{number:.3f}", COLORS[thread])
        d.draw_text(634, y + 21, "...")
    d.draw_text(
        10, 174, "The states are 2^64 numbers apart in one sequence, so the parts do not overlap."
    )
    return d.format_svg()


def draw_diagnosis():
    d = Drawing(700, 210, "Which tool for which symptom")
    rows = [
        ("the kernel does not compile", "read the message: line, types, hint", COLORS[0]),
        (
            "an exception while it runs",
            "the message names index and thread; GPUs: debug=True",
            COLORS[1],
        ),
        (
            "a result is wrong, or differs",
            "heddle check: races, bounds, uninitialized memory",
            COLORS[2],
        ),
        (
            "a value is not as expected",
            "print in one thread; HEDDLE_DISABLE_JIT=1 and pdb",
            COLORS[3],
        ),
        ("only the GPU fails", "HEDDLE_REPLAY=1 records the launch for heddle check", "gray"),
    ]
    for k, (symptom, tool, color) in enumerate(rows):
        y = 10 + k * 40
        d.draw_box(10, y, 220, 30, symptom, color)
        d.draw_arrow(232, y + 15, 286, y + 15)
        d.draw_box(290, y, 400, 30, tool, color)
    return d.format_svg()


def draw_devices():
    d = Drawing(720, 230, "A block of 64 threads on a GPU and on a CPU")
    d.draw_text(10, 22, "GPU: a multiprocessor runs several blocks")
    for block in range(2):
        left = 10 + block * 170
        d.draw_box(left, 34, 160, 110, color=COLORS[block], bold=True)
        d.draw_text(left + 80, 54, f"block {block}", middle=True)
        for warp in range(2):
            d.draw_box(left + 10, 66 + warp * 36, 140, 28, f"warp {warp}: 32 lanes")
    d.draw_text(380, 22, "CPU: each core runs one block at a time")
    for core in range(2):
        left = 380 + core * 170
        d.draw_box(left, 34, 160, 150, color=COLORS[core], bold=True)
        d.draw_text(left + 80, 54, f"core {core}: block {core}", middle=True)
        for part in range(4):
            d.draw_box(left + 10, 64 + part * 29, 140, 24, f"vector {part}: 16 threads")
    d.draw_text(10, 174, "Warps run at the same time and")
    d.draw_text(10, 192, "wait for memory in turn.")
    d.draw_text(380, 208, "Vectors run one after the other. At a barrier,")
    d.draw_text(380, 226, "the core goes on with the next vector.")
    return d.format_svg()


def draw_timing():
    d = Drawing(700, 190, "The time of a launch and the time of its kernel")
    d.draw_text(10, 52, "host")
    d.draw_text(10, 96, "device")
    d.draw_box(80, 34, 60, 28, "launch", COLORS[0])
    d.draw_box(150, 34, 330, 28, "cuda.synchronize() waits", "gray")
    d.draw_box(140, 78, 340, 28, "kernel", COLORS[2])
    d.draw_arrow(80, 122, 640, 122)
    d.draw_text(646, 126, "t")
    for left, right, y, text in [(80, 140, 144, "wrong: only the launch"), (80, 480, 172, "right")]:
        d.draw_line(left, y, right, y, ' stroke-width="2"')
        for x in (left, right):
            d.draw_line(x, y - 6, x, y + 6, ' stroke-width="2"')
        d.draw_text(right + 12, y + 5, text)
    return d.format_svg()


def draw_substitution(title, program, modules, note):
    d = Drawing(700, 150, title)
    d.draw_box(10, 40, 210, 60, color=COLORS[0])
    for k, line in enumerate(program):
        d.draw_code(20, 64 + k * 22, line)
    for k, (name, color, target) in enumerate(modules):
        y = 20 + k * 56
        d.draw_arrow(222, 70, 292, y + 22)
        d.draw_box(296, y, 160, 44, name, "gray")
        d.draw_arrow(456, y + 22, 506, y + 22)
        d.draw_box(510, y, 180, 44, target, color)
    d.draw_text(10, 140, note)
    return d.format_svg()


def draw_from_numba():
    return draw_substitution(
        "Programs written for numba under heddle run",
        ["import numba", "from numba import cuda"],
        [
            ("Heddle's numba.cuda", COLORS[2], "GPU or CPU device"),
            ("Heddle's numba", COLORS[1], "host functions"),
        ],
        "heddle run program.py: the program stays as it is; numba need not be installed",
    )


def draw_from_cupy():
    return draw_substitution(
        "Programs written for CuPy under heddle run",
        ["import cupy as cp", "cp.RawKernel(...)"],
        [
            ("GPU and CuPy found", COLORS[2], "CuPy's arrays and kernels"),
            ("otherwise: stand-in", COLORS[1], "NumPy arrays, CPU device"),
        ],
        "heddle run program.py: the program stays as it is",
    )


def draw_divergence():
    d = Drawing(700, 230, "A warp with a divergent and with a uniform branch")
    lanes = 8
    for side, title in enumerate(["i % 2 == 0: lanes disagree", "i // 32 % 2 == 0: lanes agree"]):
        left = 90 + side * 320
        d.draw_text(left, 22, title)
        for step in range(2 - side):
            y = 50 + step * 60
            for lane in range(lanes):
                active = side == 1 or lane % 2 == step
                color = COLORS[step] if active else "gray"
                text = ("if", "else")[step] if active else "idle"
                d.draw_box(left + lane * 30, y, 30, 40, text, color)
        if not side:
            for lane in range(lanes):
                d.draw_text(left + lane * 30 + 15, 42, str(lane), middle=True)
    d.draw_arrow(60, 50, 60, 160)
    d.draw_text(14, 110, "time")
    d.draw_text(
        20,
        196,
        "The warp (8 of its 32 lanes are shown) runs both sides of a branch if its lanes disagree.",
    )
    d.draw_text(20, 216, "If they agree, it runs one side only.")
    return d.format_svg()


def draw_sectors():
    d = Drawing(720, 210, "Coalesced and strided loads")
    for row, (title, stride) in enumerate(
        [("x[i]: 1 sector for 8 lanes", 1), ("x[4 * i]: 4 sectors", 4)]
    ):
        y = 24 + row * 92
        d.draw_text(10, y, title)
        used = {lane * stride for lane in range(8)}
        for sector in range(4):
            touched = any(8 * sector <= word < 8 * sector + 8 for word in used)
            left = 10 + sector * 176
            for k in range(8):
                word = 8 * sector + k
                color = COLORS[2] if word in used else COLORS[1] if touched else "paper"
                text = word // stride if word in used else ""
                d.draw_box(left + k * 21, y + 10, 21, 30, text, color)
            d.draw_box(left, y + 10, 168, 30, color="none", bold=True)
    d.draw_text(
        10,
        190,
        "Frames are sectors of 32 bytes. Numbers are lanes. Green words are used, orange ones only moved.",
    )
    return d.format_svg()


def draw_banks():
    d = Drawing(720, 236, "A column of a tile in the banks of shared memory")
    banks = 8
    for side, width in enumerate((8, 9)):
        left = 60 + side * 350
        d.draw_text(
            left,
            20,
            f"rows of {width} words: {'all in one bank' if width == 8 else 'one word per bank'}",
        )
        for bank in range(banks):
            d.draw_text(
                left + bank * 34 + 17, 42, f"bank {bank}" if bank == 0 else str(bank), middle=True
            )
        for word in range(banks * 5):
            row, bank = divmod(word, banks)
            number, column = divmod(word, width)
            color = COLORS[number % 4] if column == 0 else "paper"
            text = f"r{number}" if column == 0 else ""
            d.draw_box(left + bank * 34, 50 + row * 28, 34, 28, text, color)
    d.draw_text(
        20,
        212,
        "r0, r1, ... are the first elements of the rows, which a warp reads as a column (8 banks instead of 32).",
    )
    d.draw_text(
        20, 230, "Left, the bank delivers them one after the other. Right, all at the same time."
    )
    return d.format_svg()


def draw_roofline():
    d = Drawing(600, 300, "The roofline of an H200")
    left, bottom, unit = 80, 240, 50  # points per factor of 4 in x, and of 10 in y

    def place(intensity, rate):
        return left + unit * math.log(intensity * 16, 4), bottom - unit * math.log10(rate / 100)

    d.draw_arrow(left, bottom, 580, bottom)
    d.draw_arrow(left, bottom, left, 30)
    d.draw_text(350, 284, "operations per byte")
    d.draw_text(8, 20, "GFLOP/s")
    for k in range(-2, 7, 2):
        x, _ = place(4**k, 100)
        d.draw_text(x, bottom + 20, f"{4**k:g}" if k >= 0 else f"1/{4**-k}", middle=True)
    for rate in (1000, 10_000, 100_000):
        _, y = place(1, rate)
        d.draw_line(left - 5, y, left, y)
        d.draw_text(left - 62, y + 5, f"{rate:,}")
    ridge = 67_000 / 4_800
    d.draw_path([place(1 / 16, 300), place(ridge, 67_000), place(4000, 67_000)], width=3)
    for name, intensity, rate, dx, dy in [
        ("saxpy", 1 / 6, 800, 10, 16),
        ("3-point average", 3 / 8, 1800, 10, 16),
        ("Mandelbrot", 500, 67_000, -36, 22),
    ]:
        x, y = place(intensity, rate)
        d.draw_box(x - 5, y - 5, 10, 10, color="red")
        d.draw_text(x + dx, y + dy, name)
    x, y = place(1, 4800)
    d.draw_text(x - 76, y - 26, "memory: 4,800 GB/s")
    x, y = place(ridge, 67_000)
    d.draw_text(x, y - 12, "arithmetic: 67,000 GFLOP/s")
    return d.format_svg()


def draw_fragments():
    d = Drawing(660, 230, "Fragments of a warp")
    unit = 9

    def matrix(left, name, kind, color):
        d.draw_text(left + 8 * unit, 24, name, middle=True)
        d.draw_box(left, 36, 16 * unit, 16 * unit, "16 x 16", color)
        d.draw_text(left + 8 * unit, 36 + 16 * unit + 18, kind, middle=True)

    matrix(20, "d", "accumulator", COLORS[3])
    matrix(184, "a", "matrix_a, float16", COLORS[0])
    matrix(348, "b", "matrix_b, float16", COLORS[1])
    matrix(512, "c", "accumulator", COLORS[3])
    for left, sign in [(174, "="), (338, "@"), (502, "+")]:
        d.draw_text(left, 36 + 8 * unit + 5, sign, middle=True)
    d.draw_text(
        20,
        222,
        "Each of the 32 lanes keeps a part of every fragment in registers. One mma_sync multiplies.",
    )
    return d.format_svg()


def draw_pipeline():
    d = Drawing(660, 170, "Copies beside computation")
    rows = {"one tile": 30, "two tiles: copy": 90, "compute": 124}
    for name, y in rows.items():
        d.draw_text(10, y + 18, name)
    for part in range(3):
        copy, compute = f"copy {part + 1}", f"tile {part + 1}"
        d.draw_box(120 + 2 * part * 84, 30, 80, 26, copy, COLORS[0])
        d.draw_box(120 + (2 * part + 1) * 84, 30, 80, 26, compute, COLORS[2])
        d.draw_box(120 + part * 84, 90, 80, 26, copy, COLORS[0])
        d.draw_box(120 + (part + 1) * 84, 124, 80, 26, compute, COLORS[2])
    d.draw_arrow(120, 74, 628, 74)
    d.draw_text(634, 78, "t")
    return d.format_svg()


def draw_pictures():
    """The SVG text of each figure, by name."""
    drawn = [
        *(
            draw_launch,
            draw_indexing,
            draw_grid_stride,
            draw_race,
            draw_tiles,
            draw_reduction,
            draw_scan,
        ),
        *(
            draw_streams,
            draw_barrier,
            draw_languages,
            draw_prange,
            draw_broadcasting,
            draw_generators,
        ),
        *(
            draw_diagnosis,
            draw_devices,
            draw_timing,
            draw_from_numba,
            draw_from_cupy,
            draw_divergence,
        ),
        *(draw_sectors, draw_banks, draw_roofline, draw_fragments, draw_pipeline),
    ]
    return {draw.__name__.removeprefix("draw_"): draw() for draw in drawn}


if __name__ == "__main__":
    for name, text in draw_pictures().items():
        (FOLDER / f"{name}.svg").write_text(text)
