"""``heddle compile``: the code it writes, the output files, and the messages for wrong programs or wrong use."""

import re
import shutil
import subprocess

import pytest

from heddle.cli import main

saxpy = """\
#ifndef FACTOR
#define FACTOR 1
#endif
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FACTOR * a * x[i] + y[i];
}
"""

scale = """\
from numba import cuda, float32, njit, void

def plain(x, a):
    x[cuda.grid(1)] *= a

@cuda.jit
def scale(x, a):
    x[cuda.grid(1)] *= a

@cuda.jit(void(float32[:]))
def declared(x):
    x[cuda.grid(1)] = 1

@cuda.jit(device=True)
def twice(x):
    return x + x

@njit
def root(x):
    return x ** 0.5

class Model:
    @staticmethod
    @cuda.jit
    def step(x):
        x[0] = 2

if __name__ == "__main__":
    raise RuntimeError("the module ran as a program")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with both sources, the working directory while the test runs."""
    (tmp_path / "saxpy.cu").write_text(saxpy)
    (tmp_path / "kernels.py").write_text(scale)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def compile(folder, capsys):
    """A function that runs the command; returns its exit code, standard output and standard error."""

    def run(*arguments):
        capsys.readouterr()
        code = main(["compile", *map(str, arguments)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


@pytest.fixture
def compile_python(folder, run_heddle):
    """The same in a separate process, which imports the Python file."""

    def run(*arguments):
        result = run_heddle("compile", *arguments)
        return result.returncode, result.stdout, result.stderr

    return run


def shown(result):
    """The standard output of a successful command."""
    code, out, err = result
    assert (code, err) == (0, "")
    return out


def shown_by(process):
    """The standard output of a successful process."""
    return shown((process.returncode, process.stdout, process.stderr))


def test_ptx_is_shown_for_the_architecture_asked_for(compile):
    ptx = shown(compile("saxpy.cu", "--emit", "ptx", "--arch", "sm_90"))
    assert ".target sm_90" in ptx and re.search(r"\.entry \w*saxpy\w*\(", ptx)


def test_the_architecture_may_be_a_compute_capability(compile):
    assert ".target sm_86" in shown(compile("saxpy.cu", "--cc=8.6"))


@pytest.mark.parametrize("arch", ["sm_100a", "compute_100f", "compute_100"])
def test_the_suffix_of_an_architecture_has_no_effect(compile, arch):
    assert ".target sm_100\n" in shown(compile("saxpy.cu", "--arch", arch))


def test_atomics_of_16_bytes_are_instructions_of_newer_architectures(compile, folder):
    (folder / "wide.cu").write_text(
        "__global__ void k(ulonglong2* x) { x[1] = atomicCAS(x, x[1], x[2]); }"
    )
    ptx = shown(compile("wide.cu", "--arch", "sm_90"))
    assert "atom.relaxed.gpu.global.cas.b128" in ptx and ".version 8.4" in ptx
    code, _, error = compile("wide.cu", "--arch", "sm_80")
    assert code == 1 and "atomicCAS of 16 bytes needs compute capability 9.0" in error


def test_inline_ptx_may_need_the_newest_version(compile, folder):
    (folder / "inline.cu").write_text(
        """
__global__ void k(unsigned long long* policy) {
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(*policy));
}"""
    )
    assert ".version 9.0" in shown(compile("inline.cu", "--arch", "sm_80"))
    # The PTX of headers needs no newer version than the architecture.
    (folder / "header.cu").write_text(
        """
#include <mma.h>
__global__ void k(float* c, const __half* a, const __half* b) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  fill_fragment(sum, 0.0f);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}"""
    )
    assert ".version 7.1" in shown(compile("header.cu", "--arch", "sm_80"))


def test_the_architecture_is_what_the_source_sees(compile, folder):
    (folder / "old.cu").write_text("#if __CUDA_ARCH__ < 800\n#error too old\n#endif\n" + saxpy)
    assert compile("old.cu", "--arch", "sm_80")[0] == 0
    assert compile("old.cu", "--arch", "sm_75")[0] == 1


@pytest.mark.skipif(not shutil.which("ptxas", path="/usr/local/cuda/bin"), reason="no ptxas")
def test_nvidias_assembler_takes_the_ptx(compile):
    assert compile("saxpy.cu", "--arch", "sm_80", "-o", "saxpy.ptx")[0] == 0
    ptxas = shutil.which("ptxas", path="/usr/local/cuda/bin")
    subprocess.run([ptxas, "-arch", "sm_80", "saxpy.ptx", "-o", "saxpy.cubin"], check=True)


def test_the_cpus_assembly_has_the_kernels_entry(compile):
    assert "saxpy.entry" in shown(compile("saxpy.cu", "--device", "cpu"))
    assert "saxpy.entry" in shown(compile("saxpy.cu", "--device", "cpu", "--emit", "asm"))


def test_without_options_the_code_is_that_of_the_device_that_runs_kernels(run_heddle, folder):
    env = {"HEDDLE_DEVICE": "cpu"}
    assert "saxpy.entry" in shown_by(run_heddle("compile", "saxpy.cu", env=env))
    assert ".target sm_75" in shown_by(run_heddle("compile", "saxpy.cu", "--emit", "ptx", env=env))


def test_llvm_ir_is_the_devices(compile):
    gpu = shown(compile("saxpy.cu", "--device", "cuda", "--emit", "llvm", "--cc", "9.0"))
    assert "nvptx64-nvidia-cuda" in gpu and "@simt." not in gpu
    cpu = shown(compile("saxpy.cu", "--device", "cpu", "--emit", "llvm"))
    assert "saxpy.entry" in cpu and "nvptx" not in cpu


def test_simt_ir_is_what_the_back_end_begins_with(compile):
    ir = shown(compile("saxpy.cu", "--device", "cpu", "--emit", "simt"))
    assert "@simt.ctaid.x" in ir and "saxpy.entry" not in ir


def test_an_object_is_a_file_named_after_the_source(compile, folder):
    assert shown(compile("saxpy.cu", "--device", "cpu", "--emit", "object")) == ""
    assert (folder / "saxpy.o").read_bytes().startswith(b"\x7fELF")


def test_an_object_may_go_to_another_file(compile, folder):
    shown(compile("saxpy.cu", "--device", "cpu", "--emit", "object", "-o", "other.obj"))
    assert (folder / "other.obj").read_bytes().startswith(b"\x7fELF")


def test_text_may_go_to_a_file(compile, folder):
    assert shown(compile("saxpy.cu", "--emit", "ptx", "-o", "out.ptx")) == ""
    assert ".entry" in (folder / "out.ptx").read_text()


def test_the_drivers_machine_code_needs_a_gpu(run_heddle, folder):
    result = run_heddle(
        "compile", "saxpy.cu", "--device", "cuda", "--emit", "object", env={"HEDDLE_DEVICE": "cpu"}
    )
    assert result.returncode == 1 and not (folder / "saxpy.cubin").exists()
    assert "the GPU's driver makes its machine code" in result.stderr
    assert "PTX needs no GPU" in result.stderr


def test_compiler_options_reach_the_compiler(compile):
    plain = shown(compile("saxpy.cu", "--cc", "9.0"))
    assert shown(compile("saxpy.cu", "--cc", "9.0", "-DFACTOR=7")) != plain
    assert shown(compile("saxpy.cu", "--cc", "9.0", "-D", "FACTOR=7")) != plain
    assert shown(compile("saxpy.cu", "--cc", "9.0", "-DFACTOR=1", "-std", "c++20")) == plain


def test_headers_beside_the_source_are_found(compile, folder):
    (folder / "factor.h").write_text("#define FACTOR 3\n")
    (folder / "user.cu").write_text('#include "factor.h"\n' + saxpy)
    assert ".entry" in shown(compile(folder / "user.cu", "--emit", "ptx"))


def test_instances_of_templates_are_named(compile, folder):
    (folder / "t.cu").write_text("template <typename T> __global__ void set(T* x) { *x = 1; }")
    names = ["--name", "set<float>", "--name=set<double>"]
    ptx = shown(compile("t.cu", "--emit", "ptx", *names))
    assert ptx.count(".entry") == 2


def test_a_program_without_a_kernel_is_told(compile, folder):
    (folder / "t.cu").write_text("template <typename T> __global__ void set(T* x) { *x = 1; }")
    code, _, err = compile("t.cu", "--emit", "ptx")
    assert code == 0 and "there is no kernel in this program" in err and "--name" in err


def test_warnings_do_not_mix_with_the_code(compile, folder):
    (folder / "w.cu").write_text("#warning look here\n" + saxpy)
    code, out, err = compile("w.cu", "--emit", "ptx")
    assert code == 0 and "w.cu:1" in err and "look here" in err and "look here" not in out


def test_an_error_of_the_source_shows_the_place(compile, folder):
    (folder / "bad.cu").write_text("__global__ void k(int* p) {\n  *p = many;\n}\n")
    code, out, err = compile("bad.cu")
    assert (code, out) == (1, "")
    assert "bad.cu:2:8: use of undeclared identifier 'many'" in err and "^" in err


def test_a_python_kernel_is_compiled_for_a_signature(compile_python):
    signature = ["--signature", "void(float32[:], float32)"]
    assert re.search(
        r"\.entry \w*scale", shown(compile_python("kernels.py:scale", *signature, "--emit", "ptx"))
    )
    assert ".entry" in shown(compile_python("kernels.py:scale", *signature, "--device", "cpu"))
    assert re.search(
        r"\.entry \w*plain", shown(compile_python("kernels.py:plain", *signature, "--cc", "9.0"))
    )


def test_a_python_kernels_object_is_named_after_its_file(compile_python, folder):
    signature = ["--signature", "(float32[:], float32)"]
    shown(compile_python("kernels.py:scale", *signature, "--device", "cpu", "--emit", "object"))
    assert (folder / "kernels.o").read_bytes().startswith(b"\x7fELF")


def test_a_declared_signature_need_not_be_repeated(compile_python):
    assert ".entry" in shown(compile_python("kernels.py:declared", "--emit", "ptx"))


def test_a_kernel_in_a_class_is_named_with_it(compile_python):
    assert ".entry" in shown(
        compile_python("kernels.py:Model.step", "--signature", "(int32[:],)", "--cc", "9.0")
    )


def test_a_device_function_is_ptx_alone(compile_python):
    ptx = shown(
        compile_python("kernels.py:twice", "--signature", "float32(float32)", "--emit", "ptx")
    )
    assert re.search(r"\.visible \.func .*twice", ptx)
    code, _, err = compile_python("kernels.py:twice", "--signature", "f4(f4)", "--device", "cpu")
    assert code == 1 and "compile a kernel that calls it" in err


def test_what_a_python_kernel_links_to_is_compiled_with_it(compile_python, folder):
    (folder / "linked.py").write_text(
        "from numba import cuda\n"
        "code = cuda.CUSource('__device__ float third(float x) { return x / 3; }')\n"
        "third = cuda.declare_device('third', 'float32(float32)', abi='c')\n"
        "@cuda.jit(link=[code])\n"
        "def k(x):\n"
        "    x[0] = third(x[0])\n"
    )
    signature = ["--signature", "(float32[:],)"]
    assert "div.rn.f32" in shown(compile_python("linked.py:k", *signature, "--cc", "9.0"))
    assert ".entry" in shown(compile_python("linked.py:k", *signature, "--device", "cpu"))


def test_an_error_of_a_python_kernel_shows_the_place(compile_python, folder):
    (folder / "bad.py").write_text("def k(x):\n    x[0] = missing\n")
    code, out, err = compile_python("bad.py:k", "--signature", "(int32[:],)", "--emit", "ptx")
    assert (code, out) == (1, "") and "bad.py:2:" in err and "^^^^^^^" in err and "missing" in err


def test_an_error_of_the_module_is_shown_as_python_does(compile_python, folder):
    (folder / "broken.py").write_text("def k(x): pass\n1 / 0\n")
    code, _, err = compile_python("broken.py:k", "--signature", "(int32[:],)")
    assert code == 1 and "ZeroDivisionError" in err and "importlib" not in err


top_level = """\
import os
import numpy as np
from numba import cuda

@cuda.jit
def k(x):
    print("in the kernel", x[0])

print("imported as", __name__)
os.write(1, b"by the system call\\n")
k[1, 1](np.ones(1))
if __name__ == "__main__":
    raise RuntimeError("the module ran as a program")
"""


@pytest.mark.parametrize("output", [[], ["-o", "k.s"]], ids=["stdout", "file"])
def test_what_the_module_prints_goes_to_standard_error(compile_python, folder, output):
    (folder / "top.py").write_text(top_level)
    code, out, err = compile_python("top.py:k", "--signature", "(float64[:],)", *output)
    assert code == 0 and not re.search("kernel 1|imported as|system call", out)
    assert "imported as top\n" in err and "in the kernel 1.0" in err and "system call" in err
    assert ".entry" in ((folder / "k.s").read_text() if output else out)


def test_a_module_named_like_one_of_python_is_not_the_main_program(compile_python, folder):
    (folder / "models").mkdir()
    (folder / "models" / "types.py").write_text(top_level)
    code, _, err = compile_python("models/types.py:k", "--signature", "(float64[:],)")
    assert code == 0 and "imported as types_\n" in err


def test_a_kernel_that_there_is_not_is_told_with_those_there_are(compile_python):
    code, _, err = compile_python("kernels.py:other", "--signature", "(int32[:],)")
    assert code == 1 and "there is no 'other'" in err and "scale, declared, twice" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "compile what?"),
        (["saxpy.cu", "kernels.py:scale"], "one source at a time"),
        (["saxpy.cu", "-D\udcff"], "'-D\\udcff' is not valid Unicode"),
        (["saxpy.cu", "-o", "a\0b"], "has a NUL byte"),
        (["saxpy.cu", "--emit", "sass"], "--emit is one of ptx, asm, llvm, simt, object"),
        (["saxpy.cu", "--emit"], "--emit needs a value"),
        (["saxpy.cu", "-maxrregcount"], "-maxrregcount needs a value"),
        (["saxpy.cu", "--device", "tpu"], "--device is cuda or cpu"),
        (["saxpy.cu", "--device", "cpu", "--emit", "ptx"], "the CPU has no PTX"),
        (["saxpy.cu", "--device", "cpu", "--arch", "sm_90"], "--arch and --cc are for GPUs"),
        (["saxpy.cu", "--arch", "sm_999"], "unknown GPU architecture 'sm_999'"),
        (["saxpy.cu", "--arch", "sm_81"], "Heddle compiles for sm_75, sm_80, "),
        (["saxpy.cu", "--arch", "sm_80a"], "unknown GPU architecture 'sm_80a'"),
        (["saxpy.cu", "--arch", "sm_90f"], "unknown GPU architecture 'sm_90f'"),
        (["saxpy.cu", "--arch", "sm_90x"], "unknown GPU architecture 'sm_90x'"),
        (["saxpy.cu", "--arch", "sm_"], "--arch is written sm_90, not 'sm_'"),
        (["saxpy.cu", "--cc", "99.9"], "unknown GPU architecture '99.9'"),
        (["saxpy.cu", "--arch", "hopper"], "--arch is written sm_90, not 'hopper'"),
        (["saxpy.cu", "--cc", "nine"], "--cc is written 9.0, not 'nine'"),
        (["saxpy.cu", "--cc", "9.0", "--arch", "sm_90"], "give one of them"),
        (["saxpy.cu", "--cc", "9.0", "--cc", "8.0"], "--cc is given twice"),
        (["saxpy.cu", "--fast"], "unknown option '--fast'"),
        (["saxpy.cu", "-std=c++98"], "-std takes c++11"),
        (["saxpy.cu", "--signature", "(int32,)"], "--signature is for Python kernels"),
        (["kernels.py"], "which kernel of 'kernels.py'? Write kernels.py:kernel"),
        (["kernels.py:"], "names no kernel"),
        (["kernels.py:scale", "--signature", "(flot32,)"], "did you mean 'float32'"),
        (
            ["kernels.py:scale", "--signature", "()", "-DN=4"],
            "Python kernels have no option '-DN=4'",
        ),
        (["kernels.py:scale", "--name", "k<int>"], "--name is for CUDA C++ templates"),
    ],
)
def test_a_wrong_use_is_told_with_the_usage(compile, arguments, message):
    code, out, err = compile(*arguments)
    assert (code, out) == (2, "")
    assert message in err and "usage: heddle compile" in err


def test_types_that_nobody_named_are_asked_for(compile_python):
    code, _, err = compile_python("kernels.py:scale")
    assert code == 2 and "scale declares no signature" in err and "--signature 'void(" in err


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_has_examples(compile, option):
    assert "heddle compile saxpy.cu --arch sm_90 -o saxpy.ptx" in shown(compile(option))


def test_code_that_cannot_be_written_is_told(compile):
    code, _, err = compile("saxpy.cu", "-o", "no/such/folder/x.ptx")
    assert code == 1 and "cannot write 'no/such/folder/x.ptx'" in err


def test_a_function_of_the_host_has_this_processors_code(compile_python):
    asked = "kernels.py:root", "--signature", "float64(float64)"
    assert "sqrt" in shown(compile_python(*asked))
    assert "define" in shown(compile_python(*asked, "--emit", "llvm"))
    code, _, err = compile_python(*asked, "--emit", "ptx")
    assert code == 2
    assert "root is a host function: it has --emit asm or llvm" in err
