"""Control flow of C++ that Python lacks: goto, case labels inside loops, loops with several entries."""

import random

import numpy as np
import pytest
from in_cuda_cpp import run

import heddle
from heddle.errors import TypingError, UnsupportedError


def results(body, values, before="", size=8):
    """The values that a kernel with this body writes to ``unsigned* out`` for each value of its ``n``."""
    source = f"""{before}
    extern "C" __global__ void k(unsigned* all, int* ns) {{
      int n = ns[threadIdx.x];
      unsigned* out = all + {size} * threadIdx.x;
      {body}
    }}"""
    out = np.zeros((len(values), size), "u4")
    run(source, out, np.array(values, "i4"), block=len(values))
    return out.tolist()


def test_duffs_device(device):
    body = """
      int i = 0, m = (n + 3) / 4;
      switch (n % 4) {
      case 0: do { out[i++] = 1;
      case 3: out[i++] = 2;
      case 2: out[i++] = 3;
      case 1: out[i++] = 4;
              } while (--m > 0);
      }"""
    expected = [([1, 2, 3, 4] * 2)[-n:] + [0] * (8 - n) for n in range(1, 9)]
    assert results(body, range(1, 9)) == expected


def test_goto_into_a_loop(device):
    body = """
      int i = 10;
      if (n > 2) goto inside;
      for (i = 0; i < 5; ++i) {
        out[0] += 1;
    inside:
        out[1] += i;
      }
      out[2] = i;"""
    assert [r[:3] for r in results(body, [1, 3])] == [[5, 10, 5], [0, 10, 11]]


def test_a_loop_with_an_entry_for_each_value(device):
    body = """
      unsigned left = 9;
      switch (n) { case 0: goto a; case 1: goto b; case 2: goto c; default: goto d; }
    a: out[0]++; if (!--left) return; if (left & 1) goto c;
    b: out[1]++; if (!--left) return; if (left & 2) goto d; goto a;
    c: out[2]++; if (!--left) return; goto b;
    d: out[3]++; if (!--left) return; if (left & 1) goto d; goto a;"""

    def expected(n):
        out, left, at = [0] * 4, 9, "abcd"[n]
        while True:
            out["abcd".index(at)] += 1
            left -= 1
            if not left:
                return out
            at = {
                "a": "c" if left & 1 else "b",
                "b": "d" if left & 2 else "a",
                "c": "b",
                "d": "d" if left & 1 else "a",
            }[at]

    assert [r[:4] for r in results(body, range(4))] == [expected(n) for n in range(4)]


def test_goto_into_a_loop_of_a_loop_that_is_entered_by_goto(device):
    body = """
      int i = 0, j = 1;
      if (n & 1) goto outer;
      if (n & 2) goto inner;
      for (i = 0; i < 3; ++i) {
        out[0]++;
    outer:
        for (j = 0; j < 3; ++j) {
          out[1]++;
    inner:
          out[2]++;
        }
      }"""
    assert [r[:3] for r in results(body, range(3))] == [[3, 9, 9], [2, 9, 9], [2, 7, 8]]


def test_cases_in_a_loop_of_a_switch_in_a_switch(device):
    body = """
      int i = 0;
      switch (n) {
        for (; i < 9; ) {
      case 1: out[0]++;
          switch (i) { while (i < 4) { case 2: out[1]++; default: ++i; } }
          if (0) {
      case 2: out[2]++;
      default: i++; continue; }
          i += 2;
        }
      }
      out[3] = i;"""

    def expected(n):
        out, i = [0] * 4, 0
        entry = {1: "one", 2: "two"}.get(n, "rest")
        while True:
            if entry in ("one", None):
                out[0] += 1
                first = True
                while first or i < 4:
                    if not first or i == 2:
                        out[1] += 1
                    i += 1
                    first = False
                i += 2
            else:
                out[2] += entry == "two"
                i += 1
            entry = None
            if not i < 9:
                out[3] = i
                return out

    assert [r[:4] for r in results(body, range(4))] == [expected(n) for n in range(4)]


def test_a_return_from_the_middle_of_a_loop_with_two_entries(device):
    before = """
      __device__ unsigned f(int n, unsigned* out) {
        unsigned i = 0;
        if (n & 1) goto middle;
        for (;;) {
          if (i > 6) return 100 + i;
          out[0]++;
      middle:
          if (++i == n) return i;
          out[1]++;
        }
      }"""
    body = "out[2] = f(n, out); out[3] = f(n + 1, out);"
    assert [r[2:4] for r in results(body, [0, 3, 4, 9], before)] == [
        [107, 1],
        [3, 4],
        [4, 5],
        [107, 107],
    ]


def test_threads_meet_in_a_loop_with_two_entries(device):
    source = """
    extern "C" __global__ void k(int* out, int n) {
      __shared__ int values[32];
      int i = 0, t = threadIdx.x;
      if (n > 2) goto middle;
    top:
      values[t] = 100 * i + t;
      __syncthreads();
      out[t] += values[t ^ 1];
    middle:
      __syncthreads();
      out[t] += __shfl_sync(0xffffffffu, t, (t + 1) % 32);
      if (i++ < n) goto top;
    }"""
    t = np.arange(32)
    for n in 1, 4:
        out = np.zeros(32, "i4")
        run(source, out, n, block=32)
        rounds = range(0, n + 1) if n <= 2 else range(1, n + 1)
        expected = sum(100 * i + (t ^ 1) for i in rounds) + (n + 1) * ((t + 1) % 32)
        np.testing.assert_array_equal(out, expected)


def state_machine(states):
    """(statements, a function from n to the results) of random gotos between states, each of which can be the first."""
    rng = random.Random(states)
    next_states = [(rng.randrange(states), rng.randrange(states)) for _ in range(states)]
    cases = "".join(f"case {s}: goto s{s};" for s in range(states))
    code = "".join(
        f"s{s}: x = x * 5 + {s}; if (!--left) goto end; if (x & 64) goto s{a}; goto s{b};\n"
        for s, (a, b) in enumerate(next_states)
    )
    body = f"unsigned x = 1, left = 500; switch (n) {{ {cases} }}\n{code}end: out[0] = x;"

    def result(s):
        x, left = 1, 500
        while True:
            x = (x * 5 + s) % 2**32
            left -= 1
            if not left:
                return x
            s = next_states[s][0 if x & 64 else 1]

    return body, result


@pytest.mark.parametrize("states", [3, 40, 300])
def test_a_state_machine_of_gotos(device, states):
    body, result = state_machine(states)
    first = range(0, states, max(1, states // 20))
    assert [r[0] for r in results(body, first)] == [result(s) for s in first]


def test_a_state_machine_that_begins_in_one_of_two_states(device):
    body, result = state_machine(200)
    body = body[: body.index("case 2:")] + "}" + body[body.index("\n") :]
    assert [r[0] for r in results(body, [0, 1])] == [result(0), result(1)]


def test_statements_in_an_expression_are_left_by_goto_and_break(device):
    body = """
      int i = 0;
      while (({ if (i > 2) break; i < n; })) { out[0]++; i++; }
      out[1] = ({ unsigned r = 0; for (i = 0; i < n; ++i) { if (i == 3) goto out_of_it; r += i; } r; });
      out[2] = 1;
    out_of_it:
      out[3] = i;"""
    assert [r[:4] for r in results(body, [2, 5])] == [[2, 1, 1, 2], [3, 0, 0, 3]]


def test_a_chain_of_values_that_all_threads_share_compiles(device):
    """The loop is unrolled inside the loop over threads, and each of its values is used twice by the next ones."""
    body = """
      unsigned a = blockIdx.x + 3, b = 3, c = 7, d = a ^ 21;
      for (int i = 0; i < 14; ++i) {
        d = a * c;
        b = d * 255;
        c = b * b & d;
        if ((d & 6) != 2) break;
      }
      out[0] = b + c + d;"""
    assert results(body, [1])[0][0] == 21 + 21 * 255 + ((21 * 255) ** 2 & 21)


def test_a_loop_that_nothing_enters_is_no_loop(device):
    body = "goto end; x: out[0] = 1; if (n) goto y; goto x; y: out[1] = 1; goto x; end: out[2] = 1;"
    assert results(body, [1])[0][:3] == [0, 0, 1]


@pytest.mark.parametrize("n, expected", [(0, [3, 3]), (1, [1, 2]), (5, [0, 1])])
def test_inline_ptx_that_jumps_into_a_loop(device, n, expected):
    body = """
      unsigned a = 0, b = 0;
      asm("{ .reg .pred p; .reg .u32 i;"
          "mov.u32 i, %2; setp.ne.u32 p, i, 0; @p bra MIDDLE;"
          "TOP: add.u32 %0, %0, 1;"
          "MIDDLE: add.u32 %1, %1, 1; add.u32 i, i, 1; setp.lt.u32 p, i, 3; @p bra TOP; }"
          : "+r"(a), "+r"(b) : "r"(n));
      out[0] = a; out[1] = b;"""
    assert results(body, [n])[0][:2] == expected


REFUSED = {
    "a computed goto": (
        "void* labels[] = {&&x, &&y};\ngoto *labels[n & 1];\nx: out[0] = 1;\ny: out[0] = 2;",
        UnsupportedError,
        ":3:1: kernels do not support computed goto",
    ),
    "a computed goto in a loop": (
        "void* labels[] = {&&x, &&y};\nx: out[0]++;\ny: if (out[0] < 9)\ngoto *labels[out[0] & 1];",
        UnsupportedError,
        ":5:1: kernels do not support computed goto",
    ),
    "assembly that jumps": (
        'asm goto("bra %l0;" :::: x);\nout[0] = 1;\nx: out[1] = 2;',
        UnsupportedError,
        "cannot jump to C++ labels",
    ),
    "a jump into an expression": (
        "goto x;\nout[0] = ({ x: 3; });",
        TypingError,
        ":2:1: cannot jump from this goto statement to its label",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_its_line(device, name):
    body, exception, text = REFUSED[name]
    source = f'extern "C" __global__ void k(int* out, int n) {{\n{body}\n}}'
    with pytest.raises(exception) as error:
        heddle.RawKernel(source, "k").compile()
    assert text in str(error.value)
