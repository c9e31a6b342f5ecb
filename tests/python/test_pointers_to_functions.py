"""Pointers to functions and virtual functions in CUDA C++."""

import numpy as np
import pytest
from in_cuda_cpp import run

import heddle
from heddle import cuda

FUNCTIONS = """
typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "Function f = i & 1 ? twice : square; out[i] = f(i);",
        "Function all[2] = {square, twice}; out[i] = all[i & 1](i);",
        "out[i] = table[i & 1](i);",
        "out[i] = apply(i & 1 ? twice : square, i);",
        "Function f = constant; if (!(i & 1)) f = square; out[i] = f(i);",
    ],
    ids=["chosen", "of an array", "of a variable", "passed on", "of a constant"],
)
def test_each_thread_calls_the_function_that_its_pointer_points_to(device, body):
    out = np.zeros(20, np.int32)
    source = f"""{FUNCTIONS}
__device__ Function table[2] = {{square, twice}};
__constant__ Function constant = twice;
__device__ int apply(Function f, int x) {{ return f(x); }}
__global__ void k(int* out) {{ int i = threadIdx.x; {body} }}"""
    run(source, out, block=20)
    np.testing.assert_array_equal(out, [2 * i if i & 1 else i * i for i in range(20)])


def test_pointers_to_functions_are_compared(device):
    out = np.zeros(3, np.int32)
    body = "Function f = out[0] ? square : twice; out[0] = f == twice; out[1] = f != nullptr;"
    run(FUNCTIONS + "__global__ void k(int* out) {" + body + "}", out)
    assert out.tolist() == [1, 1, 0]


def test_a_pointer_from_a_variable_of_the_program_is_an_argument(device):
    module = heddle.RawModule(
        code=FUNCTIONS
        + "__device__ Function chosen = square;"
        + "__global__ void k(int* out, Function f) { out[0] = f(7); }"
    )
    pointer = module.get_global("chosen").copy_to_host(np.uint64)[0]
    out = cuda.to_device(np.zeros(1, np.int32))
    module.get_function("k")(1, 1, (out, pointer))
    assert out.copy_to_host()[0] == 49


def test_a_function_of_the_library_has_an_address(device):
    out = np.zeros(2, np.float32)
    source = """__global__ void k(float* out) {
      float (*all[])(float) = {sqrtf, fabsf};
      out[threadIdx.x] = all[threadIdx.x](threadIdx.x ? -3.f : 16.f);
    }"""
    run(source, out, block=2)
    assert out.tolist() == [4, 3]


def test_a_pointer_to_a_member_function_is_called_on_an_object(device):
    out = np.zeros(8, np.int32)
    source = """struct S {
      int v;
      __device__ int plus(int a) { return v + a; }
      __device__ int times(int a) { return v * a; }
      __device__ virtual int minus(int a) { return v - a; }
    };
    __global__ void k(int* out) {
      S s;
      s.v = threadIdx.x;
      int (S::*all[])(int) = {&S::plus, &S::times, &S::minus};
      out[threadIdx.x] = (s.*all[threadIdx.x % 3])(5);
    }"""
    run(source, out, block=8)
    assert out.tolist() == [5, 5, -3, 8, 20, 0, 11, 35]


def test_functions_call_each_other_through_pointers(device):
    out = np.zeros(4, np.int32)
    source = """typedef int (*Function)(int);
    __device__ int odd(int n);
    __device__ int even(int n) { Function f = odd; return n ? f(n - 1) : 1; }
    __device__ int odd(int n) { Function f = even; return n ? f(n - 1) : 0; }
    __global__ void k(int* out) {
      Function all[] = {even, odd};
      out[threadIdx.x] = all[threadIdx.x & 1](threadIdx.x);
    }"""
    run(source, out, block=4)
    assert out.tolist() == [1, 1, 1, 1]


def test_a_function_with_a_barrier_is_called_through_a_pointer(device):
    out = np.zeros(64, np.int32)
    source = """typedef void (*Step)(int*, int);
    __device__ void write(int* s, int v) { s[threadIdx.x] = v; __syncthreads(); }
    __device__ void clear(int* s, int v) { s[threadIdx.x] = 0; __syncthreads(); }
    __global__ void k(int* out) {
      __shared__ int s[64];
      Step steps[] = {write, clear};
      steps[out[0]](s, threadIdx.x);
      out[threadIdx.x] = s[63 - threadIdx.x];
    }"""
    run(source, out, block=64)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])


SHAPES = """
struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int sides() const { return 4; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Triangle : Shape {
  int base;
  __device__ Triangle(int base) : base(base) {}
  __device__ int area() const override { return base * base / 2; }
  __device__ int sides() const override { return 3; }
};
"""


def test_a_virtual_function_is_that_of_the_object(device):
    out = np.zeros(20, np.int32)
    source = f"""{SHAPES}
    __global__ void k(int* out) {{
      int i = threadIdx.x;
      Square square(i);
      Triangle triangle(i);
      const Shape* shape = i % 3 ? (const Shape*)&square : (const Shape*)&triangle;
      out[i] = 10 * shape->area() + shape->sides();
    }}"""
    run(source, out, block=20)
    expected = [10 * i * i + 4 if i % 3 else 10 * (i * i // 2) + 3 for i in range(20)]
    np.testing.assert_array_equal(out, expected)


def test_objects_of_one_kernel_are_used_and_deleted_by_another(device):
    module = heddle.RawModule(
        code=SHAPES
        + """
    __device__ Shape* all[8];
    __global__ void make() {
      int i = threadIdx.x;
      all[i] = i & 1 ? (Shape*)new Square(i) : (Shape*)new Triangle(i);
    }
    __global__ void use(int* out) { out[threadIdx.x] = all[threadIdx.x]->area(); }
    __global__ void drop() { delete all[threadIdx.x]; }"""
    )
    out = cuda.to_device(np.zeros(8, np.int32))
    module.get_function("make")(1, 8, ())
    module.get_function("use")(1, 8, (out,))
    module.get_function("drop")(1, 8, ())
    assert out.copy_to_host().tolist() == [0, 1, 2, 9, 8, 25, 18, 49]


def test_a_call_through_a_pointer_to_no_function_is_an_error(cpu):
    source = FUNCTIONS + "__device__ Function table[2] = {twice};\n"
    with pytest.raises(
        RuntimeError, match=r":6: a call through a pointer that does not point to a func"
    ):
        run(source + "__global__ void k(int* out) { out[1] = table[1](3); }", np.zeros(2, np.int32))
