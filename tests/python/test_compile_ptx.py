"""cuda.compile and its variants: PTX on any machine, with or without a GPU."""

import re
import shutil
import subprocess

import pytest

from heddle import boolean, cuda, float32, float64, int32, int64, uint8, void

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def add(x, y):
    return x + y


def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@pytest.fixture
def assembled(tmp_path):
    """A function that passes PTX to the assembler, if there is one, and returns the PTX."""

    def assemble(ptx):
        if ptxas:
            target = re.search(r"\.target (sm_\w+)", ptx)[1]
            (tmp_path / "code.ptx").write_text(ptx)
            command = [ptxas, "-arch", target, "-c", tmp_path / "code.ptx", "-o", tmp_path / "code"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=60)
            assert result.returncode == 0, result.stderr
        return ptx

    return assemble


def test_a_device_function_is_called_by_its_name(assembled):
    ptx, result = cuda.compile(add, (float32, float32))
    assert result == float32
    assert re.search(r"\.visible \.func .*\badd\(", assembled(ptx))
    assert ".entry" not in ptx and "add.f32" in ptx


def test_the_result_is_converted_to_the_signature(assembled):
    ptx, result = cuda.compile(add, float64(int32, int32))
    assert result == float64 and "cvt.rn.f64.s64" in assembled(ptx)
    with pytest.raises(TypeError, match="signature"):
        cuda.compile(add, "float64(int32)")


def test_a_kernel_is_an_entry(assembled):
    ptx, result = cuda.compile_ptx(scale, void(float32[:], float32))
    assert str(result) == "none" and re.search(r"\.visible \.entry \w*scale\w*\(", assembled(ptx))
    assert cuda.compile(scale, "void(float32[:], float32)", device=False, abi="numba")[0] == ptx
    assert cuda.compile_ptx(cuda.jit(scale), "void(float32[:], float32)")[0] == ptx


@pytest.mark.parametrize(
    ("capability", "target"),
    [(None, "sm_75"), ((7, 5), "sm_75"), ((8, 0), "sm_80"), ((9, 0), "sm_90"), ((12, 0), "sm_120")],
)
def test_the_capability_is_chosen(assembled, capability, target):
    ptx, _ = cuda.compile_ptx(scale, (float32[:], float32), cc=capability)
    assert f".target {target}" in assembled(ptx)


def test_the_name_is_chosen(assembled):
    ptx, _ = cuda.compile(add, (int32, int32), abi_info={"abi_name": "sum_of_two"})
    assert "sum_of_two(" in assembled(ptx)
    ptx, _ = cuda.compile(add, (int32, int32), abi="numba")
    assert re.search(r"\.func .*test_compile_ptx_add\(", assembled(ptx))
    with pytest.raises(ValueError, match="abi_name"):
        cuda.compile(add, (int32, int32), abi_info={"abi_name": "no name"})


def test_bools_are_bytes_and_tuples_structures(assembled):
    def split(x, up):
        return x, up, x > 3

    ptx, result = cuda.compile(split, (float64, boolean))
    assert str(result) == "Tuple(float64, bool, bool)"
    assert ".param .align 8 .b8 func_retval0[16]" in assembled(ptx)


def test_functions_that_are_called_come_along(assembled):
    @cuda.jit(device=True)
    def twice(x):
        return 2 * x

    def four_times(x):
        return twice(twice(x))

    ptx, result = cuda.compile(four_times, (uint8,))
    assert result == int64 and assembled(ptx).count(".visible") == 1


def test_an_array_is_pointer_extents_and_strides(assembled):
    def element(x, i, j):
        return x[i, j]

    ptx, result = cuda.compile(element, (float32[:, :], int32, int32))
    assert result == float32
    assert len(re.findall(r"\.param \.b64 element_param_\d", assembled(ptx))) == 5


def test_options_are_those_of_jit(assembled):
    signature = "void(float32[:], float32)"
    ptx, _ = cuda.compile_ptx(scale, signature, launch_bounds=(128, 2), max_registers=24)
    assert {".maxntid 128", ".minnctapersm 2", ".maxnreg 24"} <= set(
        re.findall(r"\.max\w+ \d+|\.minnctapersm \d+", assembled(ptx))
    )
    assert ".loc" not in ptx
    assert ".loc" in assembled(cuda.compile_ptx(scale, signature, lineinfo=True)[0])

    def quotient(x, y):
        return x / y

    precise, fast = (
        assembled(cuda.compile(quotient, (float32, float32), fastmath=fast)[0])
        for fast in (False, True)
    )
    assert "div.rn.f32" in precise and "div.rn.f32" not in fast


def test_debug_code_checks_indices(assembled):
    ptx, _ = cuda.compile_ptx(scale, "void(float32[:], float32)", debug=True, opt=False)
    assert "heddle_errors" in assembled(ptx)


def debug_information(ptx):
    """The bytes of .debug_info, with a zero in place of each label."""
    section = ptx.partition(".debug_info")[2].partition("}")[0]
    return bytes(
        int(value) if directive == "8" else 0
        for directive, value in re.findall(r"^\.b(\d+) (\S+)", section, re.MULTILINE)
    )


def test_a_debugger_finds_every_variable(assembled):
    def kernel(x, n):
        i = cuda.grid(1)
        once = x[i] * 2
        alias = n
        constant = 5
        total = 0.0
        for j in range(n):
            inner = once * j
            total += inner
        first, second = i, alias + constant
        x[first] = total + second

    ptx, _ = cuda.compile_ptx(kernel, void(float32[::1], int64), debug=True, opt=False)
    found = debug_information(assembled(ptx)).split(b"\0")
    names = b"n i once alias constant total j inner first second".split()
    assert [name for name in names if not any(text.endswith(name) for text in found)] == []


@pytest.mark.parametrize("options", [{"debug": True, "opt": False}, {"lineinfo": True}])
def test_a_device_function_has_its_lines(options):
    ptx, _ = cuda.compile_ptx(add, (float64, float64), device=True, **options)
    assert "\t.loc\t" in ptx and (".section\t.debug_info" in ptx) == ("debug" in options)


def test_a_debugger_finds_one_variable_for_values_of_one_type():
    def kernel(x, n):
        step = n
        if n > 3:
            step = n * 2
        step = step + 1
        x[0] = step

    ptx, _ = cuda.compile_ptx(kernel, void(float32[::1], int64), debug=True, opt=False)
    assert debug_information(ptx).count(b"step\0") == 1


@pytest.mark.parametrize("capability", [(7, 5), (9, 0)])
@pytest.mark.parametrize(
    ("dtype", "shuffles"), [(int32, 1), (float32, 1), (int64, 2), (float64, 2)]
)
def test_a_shuffle_is_one_instruction_for_32_bits(assembled, dtype, shuffles, capability):
    def k(x, mask):
        x[0] = cuda.shfl_down_sync(mask, x[0], 3, width=8)

    ptx, _ = cuda.compile_ptx(k, void(dtype[:], int64), cc=capability)
    assert assembled(ptx).count("shfl.sync.down.b32") == shuffles


@pytest.mark.parametrize(("capability", "instruction"), [((7, 5), "shfl"), ((8, 0), "redux")])
def test_a_warp_reduction_is_one_instruction_where_the_gpu_has_it(
    assembled, capability, instruction
):
    def k(x, mask):
        x[0] = cuda.reduce_min_sync(mask, x[0])

    ptx, _ = cuda.compile_ptx(k, void(int32[:], int64), cc=capability)
    assert set(re.findall(r"redux|shfl", assembled(ptx))) == {instruction}


def test_all_codes_are_a_list():
    codes, result = cuda.compile_all(add, (int32, int32))
    assert codes == [cuda.compile(add, (int32, int32))[0]] and result == int64


def test_the_ptx_for_the_current_device_has_its_capability(device):
    major, minor = cuda.get_current_device().compute_capability
    for compile_it in (cuda.compile_for_current_device, cuda.compile_ptx_for_current_device):
        ptx, _ = compile_it(scale, "void(float32[:], float32)", device=False, abi="numba")
        assert f".target sm_{major}{minor}" in ptx


@pytest.mark.parametrize(
    ("options", "exception", "text"),
    [
        ({"output": "ltoir"}, NotImplementedError, "LTO-IR"),
        ({"output": "sass"}, NotImplementedError, 'the output is "ptx"'),
        ({"abi": "d"}, NotImplementedError, 'the ABI is "numba" or "c"'),
        ({"device": False}, NotImplementedError, "kernels have no C ABI"),
        ({"cc": "9.0"}, TypeError, "compute capability"),
        ({"cc": (9, 0, 1)}, TypeError, "compute capability"),
        ({"launch_bounds": (1, 2, 3, 4)}, ValueError, "launch_bounds has 1 to 3"),
    ],
    ids=str,
)
def test_options_that_cannot_be_are_refused(options, exception, text):
    with pytest.raises(exception, match=text):
        cuda.compile(add, (int32, int32), **options)


def test_a_gpu_that_is_too_old_is_refused():
    from heddle.errors import LoweringError

    with pytest.raises(LoweringError, match="7.5|sm_75"):
        cuda.compile(add, (int32, int32), cc=(5, 0))


def test_a_kernel_returns_nothing():
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.compile_ptx(scale, "float32(float32[:], float32)")


def test_mistakes_are_shown_as_in_a_launch():
    from heddle.errors import TypingError

    def wrong(x):
        return x.nothing

    with pytest.raises(TypingError, match=r"(?s)test_compile_ptx.py:\d+.*\^.*compiling wrong"):
        cuda.compile(wrong, (float32,))
    with pytest.raises(TypeError, match="compiles Python functions"):
        cuda.compile(3, (float32,))
