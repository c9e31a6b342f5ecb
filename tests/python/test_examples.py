"""The examples as new users run them: under Python, and with numba's name under ``heddle run``."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heddle

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "black_scholes": "n=1000",
    "device_functions": "n=1000",
    "grid_stride": "n=1000",
    "heat_equation": "n=40, steps=20",
    "histogram": "n=5000",
    "matmul": "n=50",
    "mandelbrot": "width=80",
    "monte_carlo_pi": "n=128, points=100",
    "race_and_atomic": "n=5000",
    "vector_add": "n=1000",
}


@pytest.fixture
def run_python(tmp_path):
    """A function that runs Python in an empty folder; a warning is an error."""
    paths = [str(Path(heddle.__file__).parent.parent), str(EXAMPLES)]

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-W", "error", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
        )

    return run


def test_every_example_is_tested():
    files = {path.stem for path in EXAMPLES.glob("*.py")}
    assert files - {"tour", "plain_python"} == set(SMALL)


def test_every_example_is_in_the_reading_list():
    listed = (EXAMPLES / "README.md").read_text()
    assert [path.name for path in EXAMPLES.glob("*.py") if path.name not in listed] == []


@pytest.mark.parametrize("name", SMALL)
def test_an_example_agrees_with_numpy(run_python, name):
    result = run_python("-c", f"import {name}; {name}.main({SMALL[name]})")
    assert (result.stderr, result.returncode) == ("", 0)
    assert result.stdout.strip()


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs_with_numbas_name(run_script, name):
    source = (EXAMPLES / f"{name}.py").read_text()
    assert source.count("from heddle import cuda") == 1
    source = source.replace("from heddle import cuda", "from numba import cuda")
    source = source[: source.index('if __name__ == "__main__"')]
    result = run_script(source + f"main({SMALL[name]})\n")
    assert (result.stderr, result.returncode) == ("", 0)
    assert result.stdout.strip()


def test_the_mandelbrot_picture_is_a_png(run_python, tmp_path):
    run_python("-c", "import mandelbrot; mandelbrot.main(40)")
    written = (tmp_path / "mandelbrot.png").read_bytes()
    assert written.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(written[16:20], "big") == 40  # the width in the header


def test_the_tour_finds_every_example_right(run_python):
    result = run_python(EXAMPLES / "tour.py", "--quick")
    assert (result.stderr, result.returncode) == ("", 0)
    assert "All agree with NumPy" in result.stdout
    assert "\r" not in result.stdout  # no progress bar where nobody watches


def test_the_tour_fails_when_an_example_is_wrong(run_python):
    result = run_python(
        "-c",
        "import sys, numpy as np, tour, vector_add\n"
        "vector_add.run = lambda n: (np.zeros(3), np.array([0, 0, 1]))\n"
        "sys.exit(tour.main(['--quick']))",
    )
    assert "1 of 3 numbers differ from NumPy's" in result.stdout
    assert "1 example is wrong" in result.stdout
    assert result.returncode == 1


def test_the_tour_goes_on_after_an_example_that_fails(run_python):
    result = run_python(
        "-c",
        "import sys, tour, vector_add\n"
        "vector_add.run = lambda n: 1 // 0\n"
        "sys.exit(tour.main(['--quick']))",
    )
    assert "vector add: ZeroDivisionError" in result.stdout
    assert "device functions" in result.stdout
    assert result.returncode == 1


def test_the_picture_in_the_readme_shows_the_kernel_of_the_example():
    root = EXAMPLES.parent
    assert "](docs/pictures/kernel.svg)" in (root / "README.md").read_text()
    picture = (root / "docs" / "pictures" / "kernel.svg").read_text()
    shown = [
        html.unescape(line) for line in re.findall(r'<text x="16" y="\d+">(.*)</text>', picture)
    ]
    assert not any(line.startswith(" ") for line in shown)  # browsers drop these spaces
    code = "\n".join(shown[:-2]).replace("\N{NO-BREAK SPACE}", " ")
    assert code in (EXAMPLES / "mandelbrot.py").read_text().replace("\n\n\n", "\n\n")
    assert re.search(r"1000 x 800 pixels in \d+ ms", picture)
