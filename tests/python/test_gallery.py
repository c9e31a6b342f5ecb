"""The programs of examples/gallery: compiled kernels draw what the same kernels draw as plain Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import heddle

Image = pytest.importorskip("PIL.Image")
ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "examples" / "gallery"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
PAGE = (ROOT / "docs" / "gallery.md").read_text()
# The arguments of draw() for a small picture.
SMALL = {
    "edges": "width=24",
    "fluid": "width=72, steps=3",
    "galaxies": "width=30, stars=64, steps=3",
    "heat": "width=30, steps=6",
    "ising": "width=36, sweeps=13",
    "julia": "width=30",
    "life": "width=30, generations=4",
    "mandelbrot": "width=12",
    "reaction_diffusion": "width=48, steps=4",
    "spheres": "width=24, samples=1",
    "voronoi": "width=36, count=12",
    "waves": "width=48, steps=20",
}


def run_program(text, folder, **variables):
    paths = [str(Path(heddle.__file__).parent.parent), str(GALLERY)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    command = [sys.executable, "-c", text]
    subprocess.run(command, env=environment, cwd=folder, timeout=100, check=True)


def test_each_program_has_a_test_a_picture_and_a_section():
    programs = {path.stem for path in GALLERY.glob("*.py")} - {"palette"}
    assert programs == set(SMALL) == {path.stem for path in PICTURES.glob("*.webp")}
    assert len(programs) == 12
    assert set(re.findall(r"\]\(pictures/gallery/(\w+)\.webp\)", PAGE)) == programs
    assert set(re.findall(r"\]\(\.\./examples/gallery/(\w+)\.py\)", PAGE)) - {"palette"} == programs


def test_the_pictures_of_the_page_are_small():
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > 60_000] == []


@pytest.mark.parametrize("name", SMALL)
def test_a_program_draws_the_same_as_its_kernels_in_plain_python(tmp_path, name):
    text = f"""
import numpy as np, {name}
from palette import write_picture
picture = {name}.draw({SMALL[name]})
write_picture(picture, "{name}")
np.save("picture.npy", picture)
"""
    pictures = []
    for disabled in "0", "1":
        run_program(text, tmp_path, HEDDLE_DISABLE_JIT=disabled)
        pictures.append(np.load(tmp_path / "picture.npy").astype(int))
    assert Image.open(tmp_path / f"{name}.webp").size == pictures[0].shape[1::-1]
    compiled, plain = pictures
    assert compiled.std() > 1  # something is drawn
    # Rounding may move a few pixels at edges.
    assert np.mean(np.abs(compiled - plain).max(axis=2) > 3) < 0.02
