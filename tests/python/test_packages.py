"""The metadata of the wheel, the conda package, the image and the citation agree."""

import fnmatch
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "conda" / "meta.yaml").read_text()
IMAGE = (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("conda/meta.yaml", r'^{% set version = "(.*)" %}$'),
        ("CITATION.cff", r"^version: (.*)$"),
    ],
)
def test_a_file_names_the_version_of_the_project(file, pattern):
    found = re.findall(pattern, (ROOT / file).read_text(), re.MULTILINE)
    assert found == [PROJECT["version"]]


def test_the_recipe_has_the_name_the_summary_and_the_license_of_the_project():
    assert f"  name: {PROJECT['name']}\n" in RECIPE
    assert f"  summary: {PROJECT['description']}\n" in RECIPE
    assert f"  license: {PROJECT['license']}\n" in RECIPE
    assert all(f"    - ../{file}\n" in RECIPE for file in PROJECT["license-files"])


def test_the_recipe_needs_what_the_wheel_needs():
    needed = [
        f"python {PROJECT['requires-python']}",
        *(re.sub(r"(?=>=)", " ", name) for name in PROJECT["dependencies"]),
    ]
    run = RECIPE.partition("\n  run:\n")[2]
    assert all(f"    - {name}\n" in run for name in needed)


def test_the_recipe_needs_the_glibc_that_the_wheel_needs():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    glibc = settings["cmake"]["define"]["HEDDLE_GLIBC"]
    assert f"    - __glibc >={glibc}\n" in RECIPE


def test_the_image_installs_the_dependencies_of_the_wheel():
    assert all(f"'{name}'" in IMAGE for name in PROJECT["dependencies"])


def test_the_image_gets_the_files_that_its_command_runs():
    ignored, *given = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if not line.startswith("#")
    ]
    (command,) = re.findall(r'^CMD \["python", "(.*)"\]$', IMAGE, re.MULTILINE)
    assert ignored == "*" and (ROOT / command).is_file()
    assert any(fnmatch.fnmatch(command, pattern[1:]) for pattern in given)
    assert "!dist/*.whl" in given


def test_the_package_says_that_it_has_types():
    assert (ROOT / "python" / "heddle" / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_program_that_tests_the_conda_package_runs(run_python):
    result = run_python((ROOT / "conda" / "run_test.py").read_text())
    assert (result.returncode, result.stderr) == (0, "")
