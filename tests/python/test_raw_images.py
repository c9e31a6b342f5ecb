"""RawModule(path=): PTX and machine code from other compilers, here with a fake driver that records launches.

tests/gpu/test_raw_images_on_gpu.py runs their kernels.
"""

import pickle

import pytest
from test_driver_without_a_gpu import prelude, pytestmark, run  # noqa: F401
from test_launches_without_a_gpu import launch, launches  # noqa: F401

import heddle
from heddle.errors import UnsupportedError

PTX = """
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .b8 table[64];
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n, .param .align 16 .b8 z[16], .param .u8 flag) {
  ret;
}
.visible .entry nothing() { ret; }
"""

module = f'''
import heddle
open("kernels.ptx", "w").write("""{PTX}""")
module = heddle.RawModule(path="kernels.ptx")
scale = module.get_function("scale")
x = cuda.device_array(8, np.float32)
address = x.__cuda_array_interface__["data"][0]
'''


@pytest.fixture
def image(launch, tmp_path, monkeypatch):  # noqa: F811
    """A function that runs a program in which ``scale`` is a kernel from the file."""
    monkeypatch.chdir(tmp_path)
    return lambda source: launch(module + source)


def test_arguments_are_passed_by_their_own_types(image):
    lines = image("""
scale(2, 32, (x, np.float32(1.5), -3, 1 + 2j, True))
pointer, factor, n, z, flag = arguments()
print(pointer == address, np.uint32(factor).view("f"), n, np.uint64(z).view("d"), flag)
print(last().kernel.decode(), last().grid[0], last().block[0])
""")
    assert lines == ["True 1.5 4294967293 1.0 1", "scale 2 32"]


def test_structures_and_arrays_of_one_element_are_passed_by_value(image):
    lines = image("""
z = np.array((3.0, 4.0), [("re", "f8"), ("im", "f8")])[()]
scale(1, 1, (address, np.array([2.5], "f"), np.uint32(7), z, np.bool_(False)))
print(np.uint32(arguments()[1]).view("f"), arguments()[2], np.uint64(arguments()[3]).view("d"))
scale(1, 1, (None, np.float32(0), 2**32 - 1, z, 255))
print(arguments()[0], arguments()[2], arguments()[4])
""")
    assert lines == ["2.5 7 3.0", "0 4294967295 255"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("x, 1.5, 1, 1j, 1", "TypeError kernel scale: parameter 2 is '4 bytes': float has 8"),
        (
            "x, np.float32(1), np.int64(1), 1j, 1",
            "TypeError kernel scale: parameter 3 is '4 bytes': ",
        ),
        (
            "x, np.float32(1), 2**32, 1j, 1",
            "OverflowError kernel scale: parameter 3 is '4 bytes': 4294967296 does",
        ),
        (
            "x, np.float32(1), 1, 3, 1",
            "TypeError kernel scale: parameter 4 is '16 bytes': takes a structure",
        ),
        (
            "x, np.float32(1), 1, 1j, x",
            "TypeError kernel scale: parameter 5 is '1 byte': takes a value of this size",
        ),
        (
            "x, np.float32(1), 1, 1j",
            "TypeError kernel scale has 5 parameters, 4 arguments were given",
        ),
        (
            "np.ones(8), np.float32(1), 1, 1j, 1",
            "TypeError kernel scale: parameter 1 is '8 bytes': the array is in",
        ),
        (
            "x[::2], np.float32(1), 1, 1j, 1",
            "ValueError kernel scale: parameter 1 is '8 bytes': the array is not",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_refused(image, arguments, message):
    assert image(f"attempt(lambda: scale(1, 1, ({arguments})))")[0].startswith(message)


def test_variables_are_found_by_their_symbols(image):
    lines = image("""
table = module.get_global("table")
table.copy_from_host(np.arange(16, dtype="i4"))
print(table.nbytes, table.copy_to_host("i4").sum())
attempt(lambda: module.get_global("other"))
""")
    assert lines[0] == "64 120"
    assert lines[1] == "ValueError there is no variable named other in kernels.ptx"


def test_a_kernel_that_the_file_lacks_is_named(image):
    lines = image('attempt(lambda: module.get_function("other"))')
    assert lines[0] == "ValueError there is no kernel named other in kernels.ptx"


def test_machine_code_is_loaded_as_ptx_is(image):
    lines = image("""
open("kernels.cubin", "w").write("fake cubin\\\\n" + open("kernels.ptx").read())
kernel = heddle.RawModule(path="kernels.cubin").get_function("nothing")
kernel(3, 4)
print(last().kernel.decode(), kernel.max_threads_per_block)
""")
    assert lines == ["nothing 1024"]


def test_a_file_that_the_driver_does_not_take_is_refused_with_its_log(image):
    lines = image("""
open("bad.ptx", "w").write("nonsense")
attempt(heddle.RawModule(path="bad.ptx").compile)
""")
    assert "does not load bad.ptx: CUDA_ERROR_INVALID_PTX" in lines[0]
    assert "not PTX" in "".join(lines)


def test_an_older_driver_cannot_tell_what_kernels_take(launch, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    source = module.replace('scale = module.get_function("scale")\n', "")
    lines = launch(
        source + 'attempt(lambda: module.get_function("scale"))', FAKE_CUDA_VERSION="12030"
    )
    assert lines[0].startswith("UnsupportedError the driver of") and "CUDA 12.4" in lines[0]


# On every machine


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels.ptx"
    path.write_text(PTX)
    return path


def test_the_cpu_device_says_what_to_do_instead(cpu, file):
    with pytest.raises(UnsupportedError, match=r"kernels.ptx is code for GPUs(.|\n)*as code="):
        heddle.RawModule(path=file).get_function("scale")


def test_a_missing_file_is_told_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.cubin"):
        heddle.RawModule(path=str(tmp_path / "missing.cubin"))


def test_a_module_of_a_file_is_pickled_with_it(cpu, file):
    again = pickle.loads(pickle.dumps(heddle.RawModule(path=file)))
    file.unlink()
    assert again.file_path == str(file) and again.code is None
    with pytest.raises(UnsupportedError):
        again.compile()
