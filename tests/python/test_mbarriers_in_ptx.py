"""mbarrier instructions in inline PTX: arrivals, expected bytes, tokens and parities, and threads that wait."""

import numpy as np
import pytest
from in_cuda_cpp import assemble_for_hopper

import heddle
from heddle import cuda
from heddle.errors import UnsupportedError

# A kernel with an mbarrier in shared memory at the 32-bit address b.
KERNEL = """
typedef unsigned long long u64;
__device__ bool is_over(unsigned b, unsigned parity) {{
  unsigned over;
  asm volatile("{{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }}"
               : "=r"(over) : "r"(b), "r"(parity) : "memory");
  return over;
}}
extern "C" __global__ void k(int* out) {{
  __shared__ u64 barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), i = threadIdx.x;
  u64 token = 0;
  if (i == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"({expected}) : "memory");
  __syncthreads();
  {body}
}}"""


def source_of(body, expected):
    return KERNEL.format(body=body, expected=expected)


@pytest.fixture
def run(device, tmp_path):
    """Runs the body of the kernel, which is also assembled for a GPU. The threads write to ``out``."""
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("these instructions are there from compute capability 9.0 on")

    def run(body, expected=1, block=1):
        out = cuda.to_device(np.full(max(block, 16), -1, np.int32))
        source = source_of(body, expected)
        assemble_for_hopper(source, tmp_path)
        heddle.RawKernel(source, "k")(1, block, (out,))
        return out.copy_to_host().tolist()

    return run


def arrive(text="mbarrier.arrive.shared.b64 %0, [%1];"):
    return f'asm volatile("{text}" : "=l"(token) : "r"(b) : "memory");'


def test_a_phase_ends_with_its_last_arrival(run):
    body = f"""
      out[0] = is_over(b, 0); out[1] = is_over(b, 1);
      {arrive()} out[2] = is_over(b, 0);
      {arrive()} out[3] = is_over(b, 0); out[4] = is_over(b, 1);
      {arrive()} {arrive()} out[5] = is_over(b, 0); out[6] = is_over(b, 1);"""
    assert run(body, expected=2)[:7] == [0, 1, 0, 1, 0, 0, 1]


def test_a_token_names_the_phase_before_its_arrival(run):
    test = """asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
      : "=r"(out[n++]) : "r"(b), "l"(token) : "memory");"""
    body = (
        f"int n = 0; {arrive()} {test} u64 first = token; {arrive()} {test} token = first; {test}"
    )
    body += f"{arrive()} {test}"
    assert run(body, expected=2)[:4] == [0, 1, 1, 0]


COUNTED = {
    "arrivals": ("mbarrier.arrive.shared.b64 %0, [%1], 3;", [9, 6, 3]),
    "no completion": ("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;", [9, 7, 5]),
    "scopes": ("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1], 1;", [9, 8, 7]),
    "drop": ("mbarrier.arrive_drop.shared.b64 %0, [%1];", [9, 8, 7]),
    "bytes": ("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 64;", [9, 8, 7]),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_token_holds_the_pending_arrivals(run, name):
    text, expected = COUNTED[name]
    count = 'asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[n++]) : "l"(token));'
    body = "int n = 0;" + 3 * (arrive(text) + count)
    assert run(body, expected=9)[:3] == expected


def test_later_phases_do_not_expect_threads_that_dropped(run):
    drop = arrive("mbarrier.arrive_drop.shared.b64 %0, [%1], 2;")
    body = f"""{drop} out[0] = is_over(b, 0); {arrive()} out[1] = is_over(b, 0);
      {arrive()} out[2] = is_over(b, 1);"""
    assert run(body, expected=3)[:3] == [0, 1, 1]


def test_a_phase_waits_for_its_bytes(run):
    transfer = (
        'asm volatile("mbarrier.{}.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(b), "r"({}));'
    )
    body = f"""
      {transfer.format("expect_tx", 32)}
      {arrive("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], 16;")}
      out[0] = is_over(b, 0); {transfer.format("complete_tx", 40)} out[1] = is_over(b, 0);
      {transfer.format("complete_tx", 8)} out[2] = is_over(b, 0); out[3] = is_over(b, 1);"""
    assert run(body)[:4] == [0, 0, 1, 0]


def test_bytes_may_arrive_before_they_are_expected(run):
    body = f"""
      asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 48;" :: "r"(b));
      out[0] = is_over(b, 0); {arrive("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 48;")}
      out[1] = is_over(b, 0);"""
    assert run(body)[:2] == [0, 1]


def test_an_invalidated_barrier_may_begin_anew(run):
    body = f"""{arrive()}
      asm volatile("mbarrier.inval.shared.b64 [%0]; mbarrier.init.shared.b64 [%0], 2;" :: "r"(b) : "memory");
      out[0] = is_over(b, 0); {arrive()} {arrive()} out[1] = is_over(b, 0);"""
    assert run(body)[:2] == [0, 1]


def test_barriers_have_generic_addresses(run):
    body = """asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(&barrier) : "memory");
      out[0] = is_over(b, 0);"""
    assert run(body)[0] == 1


WAITS = {
    "a loop in PTX": """asm volatile("{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;"
        " @P1 bra DONE; bra LAB_WAIT; DONE: }" :: "r"(b), "r"(parity) : "memory");""",
    "a short loop in PTX": """asm volatile("{ .reg .pred P; W_%=:"
        " mbarrier.try_wait.parity.shared.b64 P, [%0], %1, 1000; @!P bra W_%=; }"
        :: "r"(b), "r"(parity) : "memory");""",
    "a loop in C++": "while (!is_over(b, parity)) {}",
    "a loop with a limit": "for (int n = 0; n < 1000000 && !is_over(b, parity); ++n) {}",
    "a token": """unsigned over; do asm volatile("{ .reg .pred p;"
        " mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%1], %2, 99; selp.b32 %0, 1, 0, p; }"
        : "=r"(over) : "r"(b), "l"(token) : "memory"); while (!over);""",
}


@pytest.mark.parametrize("width", ["", "1"])
@pytest.mark.parametrize("name", WAITS)
def test_threads_that_wait_let_others_run(run, monkeypatch, name, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    body = f"""__shared__ int values[2][96]; int sum = 0;
      for (int round = 0; round < 6; ++round) {{
        unsigned parity = round & 1;
        values[parity][i] = round + i;
        {arrive("mbarrier.arrive.release.cta.shared.b64 %0, [%1];")}
        {WAITS[name]}
        sum += values[parity][95 - i];
      }}
      out[i] = sum;"""
    assert run(body, expected=96, block=96) == [15 + 6 * (95 - i) for i in range(96)]


@pytest.mark.parametrize("width", ["", "1"])
def test_a_warp_fills_stages_that_another_one_reads(run, monkeypatch, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    wait = WAITS["a loop in PTX"]
    body = f"""
      __shared__ u64 barriers[2][3]; __shared__ int values[3];
      unsigned all = (unsigned)__cvta_generic_to_shared(barriers), stage = 0, phase = 0;
      if (i == 0)
        for (int s = 0; s < 3; ++s)
          asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%0+24], 32;"
                       " fence.mbarrier_init.release.cluster;" :: "r"(all + 8 * s) : "memory");
      __syncthreads();
      int sum = 0;
      for (int n = 0; n < 50; ++n) {{
        if (i == 32) {{
          unsigned b = all + 24 + 8 * stage, parity = phase ^ 1; {wait}
          values[stage] = n * n;
          asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(all + 8 * stage) : "memory");
        }} else if (i < 32) {{
          unsigned b = all + 8 * stage, parity = phase; {wait}
          sum += values[stage] + i;
          asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(all + 24 + 8 * stage) : "memory");
        }}
        if (++stage == 3) {{ stage = 0; phase ^= 1; }}
      }}
      if (i < 32) out[i] = sum;"""
    assert run(body, block=64)[:32] == [sum(n * n for n in range(50)) + 50 * i for i in range(32)]


@pytest.mark.parametrize(
    "text, pending",
    [
        ("cp.async.mbarrier.arrive.shared.b64 [%0];", 4),
        ("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];", 3),
    ],
    ids=["expected in addition", "expected already"],
)
def test_copies_arrive(run, text, pending):
    body = f"""__shared__ int there[4]; __shared__ int from[4];
      asm volatile("{text} cp.async.wait_all;" :: "r"(b) : "memory");
      {arrive()} asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[0]) : "l"(token));"""
    assert run(body, expected=4)[0] == pending


def test_too_many_arrivals_stop_the_kernel(cpu):
    out = cuda.to_device(np.zeros(1, np.int32))
    kernel = heddle.RawKernel(source_of(arrive("mbarrier.arrive.shared.b64 %0, [%1], 3;"), 2), "k")
    with pytest.raises(RuntimeError, match="more arrivals at an mbarrier than its phase expects"):
        kernel(1, 1, (out,))
        cuda.synchronize()


def test_a_count_of_zero_stops_the_kernel(cpu):
    out = cuda.to_device(np.zeros(1, np.int32))
    kernel = heddle.RawKernel(source_of("", 0), "k")
    with pytest.raises(RuntimeError, match="the count of an mbarrier is from 1 to 1048575"):
        kernel(1, 1, (out,))
        cuda.synchronize()


REFUSED = {
    "mbarrier.foo.shared.b64 [%0];": "'.foo' is supported only on GPUs",
    "mbarrier.init.shared.b32 [%0], 1;": "an mbarrier has the type .b64",
    "mbarrier.arrive.noComplete.shared.b64 _, [%0];": "an operand is missing",
    "cp.async.mbarrier.arrive.shared.b64;": "the instruction is cp.async.mbarrier.arrive.b64",
}


@pytest.mark.parametrize("text", REFUSED)
def test_other_forms_are_refused_by_name(cpu, text):
    code = source_of(f'asm volatile("{text}" :: "r"(b));', 1)
    with pytest.raises(UnsupportedError) as error:
        heddle.RawKernel(code, "k")(1, 1, (cuda.to_device(np.zeros(1, np.int32)),))
    assert f"'{text.split(' ')[0].rstrip(';')}': " in str(error.value) and REFUSED[text] in str(
        error.value
    )
