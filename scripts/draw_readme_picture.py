"""Draws docs/pictures/kernel.svg for README.md: a kernel of examples/mandelbrot.py, its result and its time here.

Needs the release build (`make build`). The time is the best of a hundred launches.
"""

import html
import inspect
import itertools
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "kernel.svg"
CELL = 4
WIDTH = 75  # cells; the example's pictures have 4/5 of their width as height
LINE = 17
LEVELS = 12  # colors of the picture
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
STYLE = """<style>
text { fill: #222; }
.paper { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
text { fill: #e8e8e8; }
.paper { fill: #1e2129; }
}
</style>"""

sys.path.insert(0, str(ROOT / "examples"))


def list_code_lines():
    """The source of the kernel, and its launch."""
    import mandelbrot

    functions = mandelbrot.rounds_until_it_leaves, mandelbrot.draw
    sources = [inspect.getsource(function.py_func).rstrip() for function in functions]
    return [
        *"\n\n".join(sources).split("\n"),
        "",
        "draw[(63, 50), (16, 16)](picture, -2.2, 1.2, 0.003)",
    ]


def measure_time():
    """The seconds of a launch that computes 1000 x 800 pixels, and the name of the device."""
    import mandelbrot

    from heddle import cuda

    mandelbrot.compute(1000)
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        mandelbrot.compute(1000)
        times.append(time.perf_counter() - begin)
    device = cuda.get_current_device()
    cores = f", {device.MULTIPROCESSOR_COUNT} cores" if device.type == "cpu" else ""
    return min(times), f"{device.name}{cores}"


def draw_cells(left, top):
    """The result as SVG paths, one for each color; a path consists of horizontal lines."""
    import mandelbrot

    counts = mandelbrot.compute(WIDTH)
    levels = np.unique([0, *np.geomspace(1, mandelbrot.ROUNDS, LEVELS).astype(int)])
    shown = np.where(
        counts == mandelbrot.ROUNDS,
        mandelbrot.ROUNDS,
        levels[np.searchsorted(levels, counts, "right") - 1],
    )
    lines = {}
    for y, row in enumerate(shown):
        starts = [0, *(np.flatnonzero(np.diff(row)) + 1), len(row)]
        for begin, end in itertools.pairwise(starts):
            text = f"M{left + begin * CELL} {top + y * CELL + CELL // 2}h{(end - begin) * CELL}"
            lines.setdefault(int(row[begin]), []).append(text)
    for level, parts in sorted(lines.items()):
        color = "#" + mandelbrot.colors(np.array(level)).tobytes().hex()
        yield f'<path stroke="{color}" stroke-width="{CELL}" d="{"".join(parts)}"/>'


def draw_picture(seconds, device):
    code = list_code_lines()
    left, height = 580, 34 + LINE * len(code)
    width = left + CELL * WIDTH + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        "<title>A kernel, its result and its time</title>",
        STYLE,
        f'<rect class="paper" width="{width}" height="{height}"/>',
        '<g font-family="monospace" font-size="11">',
    ]
    for number, line in enumerate(code):
        text = line.replace(
            " ", NO_BREAK_SPACE
        )  # browsers drop other spaces at the start of a line
        parts.append(f'<text x="16" y="{34 + number * LINE}">{html.escape(text)}</text>')
    parts += ["</g>", *draw_cells(left, 20)]
    bottom = CELL * WIDTH * 4 // 5 + 46
    for line, text in enumerate((f"1000 x 800 pixels in {1000 * seconds:.0f} ms", device)):
        parts.append(
            f'<text x="{left}" y="{bottom + line * LINE}" font-family="sans-serif" font-size="13">'
            f"{html.escape(text)}</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw_picture(*measure_time()), encoding="utf-8")


if __name__ == "__main__":
    main()
