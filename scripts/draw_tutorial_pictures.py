"""Draws the SVG figures in docs/tutorials/pictures."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials" / "pictures"
COLORS = ["#d7e8f7", "#fbe3c8", "#dcefd9", "#efd9ea"]
CELL = 36


class Drawing:
    """The shapes and labels of one figure. Coordinates are in points from the upper left corner."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'font-family="sans-serif" font-size="13" role="img">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def draw_box(self, x, y, width, height, text="", color="#ffffff", bold=False):
        stroke = 2 if bold else 1
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}" stroke="#555" '
            f'stroke-width="{stroke}"/>'
        )
        if text != "":
            self.draw_text(x + width / 2, y + height / 2 + 5, text, middle=True)

    def draw_text(self, x, y, text, middle=False):
        anchor = ' text-anchor="middle"' if middle else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{anchor}>{text}</text>')

    def draw_arrow(self, x1, y1, x2, y2):
        self.parts.append(
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>'
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="#555" marker-end="url(#head)"/>'
        )

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

    matrix(20, "A", lambda row, column: COLORS[column] if row == 1 else "#ffffff")
    matrix(220, "B", lambda row, column: COLORS[row] if column == 2 else "#ffffff")
    matrix(420, "C", lambda row, column: COLORS[3] if (row, column) == (1, 2) else "#ffffff")
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


def draw_pictures():
    """The SVG text of each figure, by name."""
    drawn = [draw_indexing, draw_grid_stride, draw_race, draw_tiles, draw_reduction, draw_streams]
    return {draw.__name__.removeprefix("draw_"): draw() for draw in drawn}


if __name__ == "__main__":
    for name, text in draw_pictures().items():
        (FOLDER / f"{name}.svg").write_text(text)
