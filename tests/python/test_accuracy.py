"""The program that measures the accuracy of math functions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts" / "accuracy"
sys.path.append(str(SCRIPTS))

import inputs  # noqa: E402
import measure  # noqa: E402
import measured_function  # noqa: E402
import page  # noqa: E402
from functions import BINARY, UNARY  # noqa: E402
from measured_function import MeasuredFunction  # noqa: E402
from reference import Reference, Result  # noqa: E402
from results import Results, Row  # noqa: E402

with_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


def measured(*options):
    command = [sys.executable, SCRIPTS / "measure.py", "--step", "50000017", "--samples", "100"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 functions are outside of CUDA's bounds" in done.stdout
    return done.stdout


@with_compiler
def test_the_program_writes_a_page(tmp_path):
    page = tmp_path / "accuracy.md"
    measured("--functions", "sin,erfcinv,pow", "-o", page)
    text = page.read_text()
    assert text.count("## float") == 4
    assert "| `sinf` | 2 |" in text and "| `pow` | 2 |" in text and "**over**" not in text


@with_compiler
def test_a_run_keeps_the_results_of_others(tmp_path):
    results, page = tmp_path / "accuracy.json", tmp_path / "accuracy.md"
    measured("--functions", "sin", "--results", results)
    measured("--functions", "cos,hypot", "--results", results, "-o", page)
    rows = [(row["function"], row["dtype"]) for row in json.loads(results.read_text())]
    assert rows == [(name, f"float{n}") for name in ("sin", "cos", "hypot") for n in (32, 64)]
    assert "| `sinf` |" in page.read_text() and "| `cos` |" in page.read_text()


@with_compiler
def test_a_run_without_time_keeps_all_results(tmp_path):
    results = tmp_path / "accuracy.json"
    measured("--functions", "sin", "--results", results)
    before = results.read_text()
    said = measured("--functions", "sin", "--results", results, "--seconds", "0")
    assert "not done in time: float32 sin, 0 inputs" in said
    assert results.read_text() == before


@with_compiler
def test_a_run_continues_an_earlier_one(tmp_path):
    """It measures functions that were not measured."""
    results = tmp_path / "accuracy.json"
    measured("--functions", "sin,pow", "--results", results)
    said = measured("--functions", "sin,cos,pow", "--results", results, "--continue")
    assert "sin" not in said and "pow" not in said and said.count(" cos ") == 2


@with_compiler
@pytest.mark.parametrize("jobs", ["1", "5"])
def test_every_input_is_measured_once(tmp_path, jobs):
    results = tmp_path / "accuracy.json"
    options = ["--step", "509", "--samples", "1000000", "--jobs", jobs]
    measured("--functions", "sqrt,fmax", *options, "--results", results)
    counts = [row["inputs"] for row in json.loads(results.read_text())]
    cases = [of(t) for of in (inputs.make_corner_cases, both) for t in (np.float32, np.float64)]
    every = -(-(2**32) // 509)
    assert counts == [n + len(x) for n, x in zip([every, *[10**6] * 3], cases, strict=True)]


def both(dtype):
    return inputs.make_corner_case_pairs(dtype)[0]


@with_compiler
def test_a_run_in_several_sessions_gives_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "_samples_of_a_part", 1000)
    options = "--functions", "j0,rhypot", "--step", "50000017"
    once, sessions = tmp_path / "once.json", tmp_path / "sessions.json"
    assert measure_in_process(monkeypatch, *options, "--samples", "3500", "--results", once) == 0
    for count in ("2000", "3000", "3500"):
        more = ["--samples", count, "--continue", "--results", sessions]
        assert measure_in_process(monkeypatch, *options, *more) == 0
    assert sessions.read_text() == once.read_text()


def measure_in_process(monkeypatch, *options):
    monkeypatch.setattr(sys, "argv", ["measure.py", *map(str, options)])
    return measure.main()


@with_compiler
def test_a_run_does_not_continue_the_row_of_a_changed_function(tmp_path, monkeypatch, capsys):
    results = tmp_path / "accuracy.json"
    options = ["--functions", "rhypot", "--results", results, "--samples"]
    assert measure_in_process(monkeypatch, *options, "100") == 0
    before = results.read_text()
    kernel = measured_function._kernel.replace("= {name}({arguments})", "= {name}({arguments}) / 2")
    monkeypatch.setattr(measured_function, "_kernel", kernel)
    assert measure_in_process(monkeypatch, *options, "200", "--continue") == 1
    assert "other values of float64 rhypot: delete its row to" in capsys.readouterr().out
    assert results.read_text() == before


@with_compiler
def test_devices_continue_at_their_own_rows(reference):
    """A device without a row gets all samples, and others get those that their rows lack."""
    rows = [None, row(function="sqrt", dtype="float64", inputs=1000, samples=1000)]
    function = MeasuredFunction(reference, "sqrt", np.float64, rows)
    parts = measure.make_sample_parts(function, 2500)
    assert [(part.begin, part.end) for part in parts] == [(0, 1000), (1000, 2500)]
    results = Results()
    run = measure.Run(reference, [("A", []), ("B", [])], results, None)
    for part in function.parts[:]:
        part.left = 1
        for result in part.results:
            result.count = part.end - part.begin
        run._add_results(part, (Result * 2)())
    counts = {(each.device, each.inputs, each.samples) for each in results}
    assert counts == {("A", 2500, 2500), ("B", 2500, 2500)}


@with_compiler
def test_a_function_that_does_not_exist_is_named():
    command = [sys.executable, SCRIPTS / "measure.py", "--functions", "sin,sine"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and "no function sine: there are sqrt," in done.stderr


@with_compiler
def test_a_function_that_fails_does_not_stop_others(tmp_path, monkeypatch, capsys):
    compile = MeasuredFunction.compile

    def fail_for_cos(function, devices):
        if function.name == "cos":
            raise RuntimeError("cos does not compile")
        compile(function, devices)

    monkeypatch.setattr(MeasuredFunction, "compile", fail_for_cos)
    results = tmp_path / "accuracy.json"
    options = ["--functions", "sin,cos,tan", "--step", "50000017", "--samples", "9"]
    assert measure_in_process(monkeypatch, *options, "--results", results) == 1
    assert {row["function"] for row in json.loads(results.read_text())} == {"sin", "tan"}
    said = capsys.readouterr().out
    assert "float32 cos failed" in said and "float64 cos failed" in said and "2 failed" in said


def row(**changes):
    values = {"function": "sin", "dtype": "float32", "device": "CPU (x)", "inputs": 2**32}
    values |= {"worst": 0.8, "at": "1.0", "absolute": 0.0, "absolute_at": "0.0"}
    return Row(**(values | {"wrong": 0, "wrong_at": "0.0"} | changes))


def page_of_rows(*rows):
    results = Results()
    for each in rows:
        results.add(each)
    return page.format_page(results)


def test_the_page_says_how_many_inputs_were_measured():
    text = page_of_rows(row(), row(dtype="float64", inputs=10**8), row(device="GPU", worst=1.2))
    assert "| `sinf` | 2 | 0.80 | 1.20 | all 2^32 |" in text
    assert "| `sin` | 2 | 0.80 | 100,000,000 |" in text


def test_the_page_says_when_devices_were_measured_at_different_inputs():
    text = page_of_rows(row(), row(device="GPU", inputs=5000), row(function="cos"))
    assert "| `sinf` | 2 | 0.80 | 0.80 | all 2^32; 5,000 |" in text
    assert "| `cosf` | 2 | 0.80 |  | all 2^32 |" in text


@pytest.mark.parametrize(
    "changes",
    [{"worst": 2.6}, {"wrong": 1}, {"function": "j0", "absolute": 1e-5}],
)
def test_the_page_marks_errors_over_the_bound(changes):
    assert page_of_rows(row(**changes)).count("**over**") == 1


def test_the_last_of_two_files_of_results_counts(tmp_path):
    for name, worst in (("old", 0.5), ("new", 0.7)):
        results = Results()
        results.add(row(worst=worst))
        results.add(row(function=("cos" if name == "old" else "tan")))
        results.write(tmp_path / f"{name}.json")
    command = [sys.executable, SCRIPTS / "page.py", tmp_path / "old.json", tmp_path / "new.json"]
    subprocess.run([*command, "-o", tmp_path / "page.md"], check=True, timeout=60)
    text = (tmp_path / "page.md").read_text()
    assert "| `sinf` | 2 | 0.70 |" in text and "`cosf`" in text and "`tanf`" in text


@pytest.fixture(scope="module")
def reference():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    return Reference()


def compared(reference, name, x, found):
    """The row for a device whose values are `found`."""
    result = reference.compare(name, x, None, [found])[0]
    return Row.from_result(name, x.dtype.name, "a device", result)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_wrong_value_is_measured(reference, dtype):
    x = np.array([1, 2, 4, 9, 16], dtype)
    found = np.sqrt(x)
    found[3] += 3 * np.spacing(found[3])
    result = compared(reference, "sqrt", x, found)
    assert (result.worst, result.at, result.inputs, result.exceeds_bounds) == (3, "9.0", 5, True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x, found", [(4.0, np.nan), (-4.0, 2.0)])
def test_a_nan_in_the_wrong_place_is_counted(reference, dtype, x, found):
    result = compared(reference, "sqrt", np.array([x], dtype), np.array([found], dtype))
    assert (result.wrong, result.wrong_at, result.exceeds_bounds) == (1, str(x), True)


def test_results_of_parts_are_joined(reference):
    """The result equals that of one array: the largest error with its argument, and the counts."""
    x = np.array([1, 4, 9, 16], np.float32)
    found = np.sqrt(x) + np.array([0, 1, 2, np.nan], np.float32)
    whole = reference.compare("sqrt", x, None, [found])
    parts = [reference.compare("sqrt", x[i : i + 2], None, [found[i : i + 2]]) for i in (0, 2)]
    reference.merge_results(parts[0], parts[1])
    assert bytes(parts[0]) == bytes(whole) and whole[0].count == 4 and whole[0].wrong == 1


_exact = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "rcbrt": lambda x: 1 / mpmath.cbrt(x),
    "exp2": lambda x: mpmath.power(2, x),
    "exp10": lambda x: mpmath.power(10, x),
    "log2": lambda x: mpmath.log(x, 2),
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "erfcinv": lambda x: mpmath.erfinv(1 - x),
    "normcdf": mpmath.ncdf,
    "normcdfinv": lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1),
    "tgamma": mpmath.gamma,
    "lgamma": mpmath.loggamma,
    "j0": lambda x: mpmath.besselj(0, x),
    "j1": lambda x: mpmath.besselj(1, x),
    "y0": lambda x: mpmath.bessely(0, x),
    "y1": lambda x: mpmath.bessely(1, x),
    "cyl_bessel_i0": lambda x: mpmath.besseli(0, x),
    "cyl_bessel_i1": lambda x: mpmath.besseli(1, x),
    "fabs": abs,
    "trunc": lambda x: mpmath.floor(x),
}


def check_reference(reference, name, x):
    """Compare with mpmath, whose values are correctly rounded here."""
    exact = _exact.get(name) or getattr(mpmath, name)
    with mpmath.workprec(300):
        found = np.array([exact(mpmath.mpf(float(v))) for v in x], x.dtype)
    result = compared(reference, name, x, found)
    assert result.worst <= 0.5 + 1e-6 and not result.wrong


@pytest.mark.parametrize("name", [n for n in UNARY if n not in ("logb", "rint", "round")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_references_are_exact(reference, name, dtype):
    x = np.array([1e-4, 0.03, 0.3, 0.45, 0.7, 0.96], dtype) + (name == "acosh")
    check_reference(reference, name, x)


@pytest.mark.parametrize(
    "name, low, high",
    [
        ("cyl_bessel_i0", 20, 40),  # the power series and the asymptotic one
        ("cyl_bessel_i0", 600, 710),
        ("cyl_bessel_i1", 20, 40),
        ("cyl_bessel_i1", -710, -600),
        ("erfcx", -20, 20),
        ("erfcx", 25.9, 26.1),
        ("erfcx", 100, 1000),
        ("erfcinv", 0.49, 0.51),
        ("erfcinv", 1e-60, 1e-50),
        ("erfinv", 9e-5, 1.1e-4),
        ("erfinv", -0.51, -0.49),
        ("erfinv", 1 - 1e-15, 1 - 1e-16),
        ("normcdf", -37, -30),
        ("normcdfinv", 1e-60, 1e-50),
    ],
)
def test_formulas_are_exact(reference, name, low, high):
    check_reference(reference, name, np.linspace(low, high, 50))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "name, x, exact",
    [
        *(("cyl_bessel_i0", x, np.inf) for x in (730, -730, 1e30, -np.inf)),
        *(("cyl_bessel_i1", x, np.copysign(np.inf, x)) for x in (730, -730, 1e30, -np.inf)),
        *((f"cyl_bessel_i{order}", np.nan, np.nan) for order in (0, 1)),
        *(("erfcx", x, exact) for x, exact in ((np.inf, 0), (-100, np.inf), (np.nan, np.nan))),
        *(("normcdf", x, exact) for x, exact in ((np.inf, 1), (-np.inf, 0), (-1e10, 0))),
        *(("erfinv", x, exact) for x, exact in ((1, np.inf), (-1, -np.inf), (1.1, np.nan), (0, 0))),
        *(("erfcinv", x, exact) for x, exact in ((0, np.inf), (2, -np.inf), (-1, np.nan), (1, 0))),
        *(("normcdfinv", x, exact) for x, exact in ((0, -np.inf), (1, np.inf), (np.nan, np.nan))),
        *((f"{f}pi", x, np.nan) for f in ("sin", "cos") for x in (np.inf, np.nan)),
        *(("sinpi", 1e30, 0), ("cospi", 1e30, 1), ("sinpi", -2.5, -1), ("cospi", 3, -1)),
        *(("rsqrt", 0, np.inf), ("rcbrt", -np.inf, 0), ("lgamma", -np.inf, np.inf)),
    ],
)
def test_references_at_special_values(reference, dtype, name, x, exact):
    result = compared(reference, name, np.array([x], dtype), np.array([exact], dtype))
    assert (result.worst, result.absolute, result.wrong) == (0, 0, 0)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_references_of_both_types_agree(reference, name):
    x, y = inputs.draw_sample_pairs(np.float32, 3000, seed=1)
    assert reference.largest_gap(name, x, y if name in BINARY else None) < 1e-6
