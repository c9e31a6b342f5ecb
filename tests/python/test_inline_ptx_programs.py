"""CUDA C++ programs with inline PTX: memory, barriers, warps, control flow, and what is refused."""

import re

import ml_dtypes
import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import CompileError, UnsupportedError

LANES = np.arange(64) % 32


def run(body, dtype="u4", size=64, block=64, before="", grid=1, arguments=(), parameters=""):
    """The values that a kernel with this body and that many threads writes to ``out``."""
    names = {"u4": "unsigned", "i4": "int", "u8": "unsigned long long", "f4": "float"}
    code = f"""{before}
extern "C" __global__ void k({names[dtype]}* out{parameters}) {{
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}"""
    out = cuda.to_device(np.zeros(size, dtype))
    heddle.RawKernel(code, "k")(grid, block, (out, *arguments))
    return out.copy_to_host()


def test_a_thread_reads_its_lane(device):
    out = run('asm("mov.u32 %0, %%laneid;" : "=r"(out[i]));')
    np.testing.assert_array_equal(out, LANES)


SPECIAL = [
    ("tid.x", lambda i: i % 32),
    ("tid.y", lambda i: i // 32),
    ("ntid.x", lambda i: 0 * i + 32),
    ("nctaid.x", lambda i: 0 * i + 1),
    ("ctaid.y", lambda i: 0 * i),
    ("warpid", lambda i: i // 32),
    ("lanemask_eq", lambda i: 1 << i % 32),
    ("lanemask_lt", lambda i: (1 << i % 32) - 1),
    ("lanemask_le", lambda i: (2 << i % 32) - 1),
    ("lanemask_gt", lambda i: 2**32 - (2 << i % 32)),
    ("lanemask_ge", lambda i: 2**32 - (1 << i % 32)),
]


@pytest.mark.parametrize("name, expected", SPECIAL, ids=[row[0] for row in SPECIAL])
def test_a_special_register_says_where_a_thread_is(device, name, expected):
    body = f'asm("mov.u32 %0, %%{name};" : "=r"(out[threadIdx.y * 32 + threadIdx.x]));'
    np.testing.assert_array_equal(run(body, block=(32, 2)), expected(np.arange(64)))


@pytest.mark.parametrize("name", ["clock64", "globaltimer"])
def test_a_clock_does_not_go_back(device, name):
    read = f'asm volatile("mov.u64 %0, %%{name};" : "=l"({{}}));'
    body = "unsigned long long a, b;" + read.format("a") + read.format("b") + "out[i] = b >= a;"
    assert run(body).all()


def test_loads_and_stores_take_vectors(device):
    body = """
      float a, b, c, d;
      asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4+16];"
                   : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(x));
      asm volatile("st.global.v2.f32 [%0], {%1, %2};" :: "l"(out), "f"(d), "f"(c) : "memory");
      asm volatile("st.f32 [%0+8], %1;" :: "l"(out), "f"(a + b) : "memory");"""
    x = cuda.to_device(np.arange(8, dtype="f4"))
    out = run(body, "f4", 4, 1, parameters=", const float* x", arguments=(x,))
    np.testing.assert_array_equal(out, [7, 6, 9, 0])


def test_narrow_loads_extend_to_their_register(device):
    body = """
      unsigned u; int s;
      asm volatile("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(u) : "l"(x));
      asm volatile("ld.global.ca.s8 %0, [%1];" : "=r"(s) : "l"(x));
      out[0] = u; out[1] = s;
      asm volatile("st.global.u8 [%0], %1;" :: "l"(out + 2), "r"(0x1234) : "memory");"""
    x = cuda.to_device(np.array([200], "u1"))
    out = run(body, "i4", 3, 1, parameters=", const unsigned char* x", arguments=(x,))
    np.testing.assert_array_equal(out, [200, -56, 0x34])


def test_shared_memory_has_addresses_of_32_bits(device):
    body = """
      __shared__ unsigned before[3], tile[64];
      before[i % 3] = 0;
      unsigned at = (unsigned)__cvta_generic_to_shared(tile + i);
      asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(i * i) : "memory");
      __syncthreads();
      unsigned other = (unsigned)__cvta_generic_to_shared(tile + (i ^ 1));
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(out[i]) : "r"(other));"""
    np.testing.assert_array_equal(run(body), (np.arange(64) ^ 1) ** 2)


def test_dynamic_shared_memory_has_addresses_of_32_bits(device):
    code = """extern "C" __global__ void k(float* out) {
      extern __shared__ float tile[];
      unsigned at;
      asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(at) : "l"(tile));
      asm volatile("st.shared.f32 [%0], %1;" :: "r"(at + 4 * threadIdx.x), "f"(threadIdx.x + 0.5f) : "memory");
      out[threadIdx.x] = tile[threadIdx.x];
    }"""
    out = cuda.to_device(np.zeros(64, "f4"))
    heddle.RawKernel(code, "k")(1, 64, (out,), shared_mem=256)
    np.testing.assert_array_equal(out.copy_to_host(), np.arange(64) + 0.5)


def test_a_pointer_knows_its_memory(device):
    body = """
      __shared__ unsigned s[4]; unsigned l[4]; l[i % 4] = i; s[i % 4] = i; out[i] = l[(i + 1) % 4];
      out[i] = __isShared(s + 1) | __isShared(out) << 1 | __isGlobal(out) << 2 | __isGlobal(s) << 3 |
               __isLocal(l) << 4 | __isLocal(out) << 5 | __isConstant(&c) << 6 | __isConstant(out) << 7;"""
    out = run(body, before="__constant__ int c;")
    assert (out == 0b01010101).all()


def test_a_pointer_to_shared_memory_comes_back_from_its_address(device):
    body = """
      __shared__ unsigned s[64];
      unsigned* p = (unsigned*)__cvta_shared_to_generic(__cvta_generic_to_shared(s + i));
      *p = 3 * i;
      __syncthreads();
      out[i] = s[i];"""
    np.testing.assert_array_equal(run(body), 3 * np.arange(64))


ATOMICS = [
    ("atom.global.add.u32 %0, [%1], %2;", 64 * 65 // 2),
    ("atom.relaxed.gpu.global.max.s32 %0, [%1], %2;", 64),
    ("atom.add.release.gpu.u32 %0, [%1], %2;", None),
    ("atom.global.or.b32 %0, [%1], %2;", 127),
    ("atom.inc.u32 %0, [%1], 1000;", 64),
    ("atom.sys.acq_rel.global.xor.b32 %0, [%1], %2;", None),
    ("{ red.global.add.u32 [%1], %2; mov.u32 %0, 0; }", 64 * 65 // 2),
]


@pytest.mark.parametrize("ptx, expected", [row for row in ATOMICS if row[1] is not None])
def test_atomics_count_each_thread(device, ptx, expected):
    body = f'unsigned old; asm volatile("{ptx}" : "=r"(old) : "l"(out), "r"(i + 1) : "memory");'
    assert run(body)[0] == expected


def test_atomics_swap_where_the_old_value_is_expected(device):
    body = """
      unsigned old;
      do asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(out), "r"(i), "r"(i + 1) : "memory");
      while (old != i);"""
    assert run(body, block=32, size=1)[0] == 32


def test_floats_are_added_atomically(device):
    body = 'asm volatile("red.global.add.f32 [%0], %1;" :: "l"(out), "f"(0.5f) : "memory");'
    assert run(body, "f4")[0] == 32


SHUFFLES = [
    ("up.b32 %0, %1, 1, 0x0", np.maximum(LANES - 1, 0)),
    ("down.b32 %0, %1, 3, 0x1f", np.where(LANES + 3 < 32, LANES + 3, LANES)),
    ("bfly.b32 %0, %1, 5, 0x1f", LANES ^ 5),
    ("idx.b32 %0, %1, 7, 0x1f", LANES * 0 + 7),
    ("up.b32 %0, %1, 1, 0x1800", np.where(LANES % 8 == 0, LANES, LANES - 1)),
    ("idx.b32 %0, %1, 2, 0x181f", LANES // 8 * 8 + 2),
]


@pytest.mark.parametrize("ptx, expected", SHUFFLES, ids=[row[0] for row in SHUFFLES])
def test_lanes_read_each_other(device, ptx, expected):
    body = f"""unsigned lane = i % 32, r;
      asm volatile("shfl.sync.{ptx}, 0xffffffff;" : "=r"(r) : "r"(lane)); out[i] = r;"""
    np.testing.assert_array_equal(run(body), expected)


def test_a_shuffle_says_whether_its_lane_was_inside(device):
    body = """asm volatile("{ .reg .pred p; .reg .b32 t; shfl.sync.down.b32 t|p, %1, 4, 0x1f, -1;"
                           " selp.u32 %0, 1, 0, p; }" : "=r"(out[i]) : "r"(i));"""
    np.testing.assert_array_equal(run(body), LANES + 4 < 32)


WARPS = [
    ("vote.sync.ballot.b32 %0, p, -1;", (LANES * 0 + 0x55555555)),
    ("vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q;", LANES * 0 + 1),
    ("vote.sync.all.pred q, p, -1; selp.u32 %0, 1, 0, q;", LANES * 0),
    ("vote.sync.all.pred q, !q, -1; selp.u32 %0, 1, 0, q;", LANES * 0 + 1),
    ("match.any.sync.b32 %0, %2, -1;", np.where(LANES % 2 == 0, 0x55555555, 0xAAAAAAAA)),
    ("match.all.sync.b32 %0|q, %2, -1;", LANES * 0),
    ("activemask.b32 %0; setp.ne.u32 q, %0, 0; selp.u32 %0, 1, 0, q;", LANES * 0 + 1),
]


@pytest.mark.parametrize("ptx, expected", WARPS, ids=[row[0][:20] for row in WARPS])
def test_lanes_vote_and_match(device, ptx, expected):
    before = ".reg .pred p, q; setp.eq.u32 p, %2, 0; setp.ne.u32 q, %1, %1;"
    body = f'asm volatile("{{ {before} {ptx} }}" : "=r"(out[i]) : "r"(i), "r"(i % 2));'
    np.testing.assert_array_equal(run(body), expected)


def test_a_lane_is_elected(device):
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("elect.sync is there from compute capability 9.0 on")
    body = """unsigned lane = i % 32, leader = 99;
      if (lane >= 5)
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffe0; @p add.u32 %0, %0, 100; }"
                     : "=r"(leader));
      out[i] = leader;"""
    expected = np.where(LANES < 5, 99, np.where(LANES == 5, 105, 5))
    np.testing.assert_array_equal(run(body), expected)
    body = """asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(out[i]));"""
    np.testing.assert_array_equal(run(body), LANES == 0)


REDUCTIONS = [("add.u32", 496), ("max.s32", 31), ("min.u32", 0), ("or.b32", 31), ("xor.b32", 0)]


@pytest.mark.parametrize("name, expected", REDUCTIONS, ids=[row[0] for row in REDUCTIONS])
def test_lanes_reduce(device, name, expected):
    if device.type != "cpu" and device.compute_capability < (8, 0):
        pytest.skip("redux.sync is there from compute capability 8.0 on")
    body = f'asm volatile("redux.sync.{name} %0, %1, 0xffffffff;" : "=r"(out[i]) : "r"(i % 32));'
    assert (run(body) == expected).all()


@pytest.mark.parametrize("ptx", ["bar.sync 0;", "barrier.sync 0;", "barrier.cta.sync.aligned 0;"])
def test_a_barrier_waits_for_the_block(device, ptx):
    body = f"""__shared__ unsigned s[64]; s[i] = i;
      asm volatile("{ptx}" ::: "memory"); out[i] = s[63 - i];"""
    np.testing.assert_array_equal(run(body), 63 - np.arange(64))


def test_a_barrier_counts(device):
    body = """asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 20; bar.red.popc.u32 %0, 0, p; }"
                           : "=r"(out[i]) : "r"(i) : "memory");"""
    assert (run(body) == 20).all()


@pytest.mark.parametrize(
    "ptx",
    ["", "membar.gl;", "membar.cta;", "fence.acq_rel.gpu;", "fence.sc.sys;", "bar.warp.sync -1;"],
)
def test_fences_order_what_a_thread_does(device, ptx):
    body = f'out[i] = i; asm volatile("{ptx}" ::: "memory"); out[i] += 1;'
    np.testing.assert_array_equal(run(body), np.arange(64) + 1)


def test_texts_without_effect(device):
    body = """asm(""); asm volatile("nanosleep.u32 %0;" :: "r"(1)); out[i] = i;
      asm volatile("prefetch.global.L2 [%0];" :: "l"(out)); asm volatile("// a comment\\n /* another */");"""
    np.testing.assert_array_equal(run(body), np.arange(64))


def test_a_thread_exits(device):
    body = """out[i] = 1;
      asm volatile("{ .reg .pred p; setp.gt.u32 p, %0, 9; @p exit; }" :: "r"(i)); out[i] = 2;"""
    np.testing.assert_array_equal(run(body), np.where(np.arange(64) > 9, 1, 2))


def test_a_text_loops(device):
    body = """asm volatile("{ .reg .pred p; .reg .u32 n; mov.u32 n, %1; mov.u32 %0, 0;"
      "AGAIN: setp.eq.u32 p, n, 0; @p bra DONE; add.u32 %0, %0, n; sub.u32 n, n, 1; bra.uni AGAIN;"
      "DONE: }" : "=&r"(out[i]) : "r"(i));"""
    i = np.arange(64)
    np.testing.assert_array_equal(run(body), i * (i + 1) // 2)


def test_registers_are_read_and_written(device):
    body = 'unsigned x = i; asm("mad.lo.u32 %0, %0, %1, %0;" : "+r"(x) : "r"(3)); out[i] = x;'
    np.testing.assert_array_equal(run(body), 4 * np.arange(64))


def test_a_text_has_several_results(device):
    body = """unsigned q, r; asm("div.u32 %0, %2, %3;\\n\\trem.u32 %1, %2, %3;" : "=&r"(q), "=r"(r) : "r"(i), "n"(7));
      out[i] = q * 100 + r;"""
    i = np.arange(64)
    np.testing.assert_array_equal(run(body), i // 7 * 100 + i % 7)


def test_a_carry_goes_from_one_text_to_the_next(device):
    body = """unsigned long long a = ~0ull - i, b = 2 * i; unsigned l, h, c;
      asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(l) : "r"((unsigned)a), "r"((unsigned)b));
      asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(h) : "r"((unsigned)(a >> 32)), "r"((unsigned)(b >> 32)));
      asm volatile("addc.u32 %0, 0, 0;" : "=r"(c));
      out[i] = c * 1000 + (((unsigned long long)h << 32 | l) == a + b);"""
    i = np.arange(64)
    np.testing.assert_array_equal(run(body), (i > 0) * 1000 + 1)


def test_registers_of_an_inner_scope_hide_those_outside(device):
    body = """asm("{ .reg .u32 t; mov.u32 t, 5; { .reg .u32 t<2>; .reg .u32 t; mov.u32 t, 9; mov.u32 t1, t; }"
      " mov.u32 %0, t; }" : "=r"(out[i]));"""
    assert (run(body) == 5).all()


def test_names_made_unique_may_come_twice(device):
    body = """for (int n = 0; n < 2; ++n)
      asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p bra SKIP_%=; add.u32 %0, %0, 1; SKIP_%=: }"
                   : "+r"(out[i]) : "r"(i));"""
    np.testing.assert_array_equal(run(body), np.where(np.arange(64) == 0, 0, 2))


def test_copies_to_shared_memory_arrive(device):
    if device.type != "cpu" and device.compute_capability < (8, 0):
        pytest.skip("cp.async is there from compute capability 8.0 on")
    body = """__shared__ unsigned s[64]; unsigned at = (unsigned)__cvta_generic_to_shared(s + i);
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(x + i) : "memory");
      asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncthreads(); out[i] = s[63 - i];"""
    x = cuda.to_device(np.arange(64, dtype="u4"))
    out = run(body, parameters=", const unsigned* x", arguments=(x,))
    np.testing.assert_array_equal(out, 63 - np.arange(64))


CACHED_ACCESSES = {
    "a load": 'asm("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(v) : "l"(x + i), "l"(p));',
    "a vector": """unsigned w; asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
      : "=r"(v), "=r"(w) : "l"(x + (i & ~1)), "l"(p)); v = i & 1 ? w : v;""",
    "a store": """v = x[i];
      asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" :: "l"(out + i), "r"(v), "l"(p));""",
    "a copy": """__shared__ unsigned s[64]; unsigned at = (unsigned)__cvta_generic_to_shared(s + i);
      asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 4, %2; cp.async.wait_all;"
        :: "r"(at), "l"(x + i), "l"(p) : "memory"); v = s[i];""",
    "an atomic": """out[i] = 0; asm volatile("red.global.add.L2::cache_hint.u32 [%0], %1, %2;"
      :: "l"(out + i), "r"(x[i]), "l"(p) : "memory"); v = out[i];""",
}


@pytest.mark.parametrize("name", CACHED_ACCESSES)
def test_a_cache_policy_changes_no_result(device, name):
    if device.type != "cpu" and device.compute_capability < (8, 0):
        pytest.skip("cache policies are there from compute capability 8.0 on")
    body = f"""unsigned v; unsigned long long p;
      asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p));
      {CACHED_ACCESSES[name]} out[i] = v;"""
    x = cuda.to_device(np.arange(64, dtype="u4") * 3)
    out = run(body, parameters=", const unsigned* x", arguments=(x,))
    np.testing.assert_array_equal(out, np.arange(64) * 3)


SHORT_SUMS = {
    "f16": (
        'atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(x), "h"((short)0x3c00)',
        16,
    ),
    "bf16": ('atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(x), "h"((short)0x3f80)', 16),
    "f16x2": ('atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(x), "r"(0x40003c00)', 32),
    "bf16x2": (
        "{.reg .b32 v; mov.b32 v, 0x40003f80; red.relaxed.gpu.global.add.noftz.bf16x2 [%1], v;"
        ' mov.u32 %0, 0;}" : "=r"(old) : "l"(x)',
        32,
    ),
}


@pytest.mark.parametrize("name", SHORT_SUMS)
def test_short_floats_are_added_atomically(device, name):
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("atom.bf16 is there from compute capability 9.0 on")
    text, bits = SHORT_SUMS[name]
    body = f"""unsigned {"short" if bits == 16 else "int"} old;
      asm volatile("{text} : "memory"); out[i] = old;"""
    x = cuda.to_device(np.zeros(2, "u2"))
    old = run(body, parameters=", unsigned short* x", arguments=(x,))
    dtype = np.float16 if name.startswith("f16") else ml_dtypes.bfloat16
    assert x.copy_to_host().view(dtype).tolist() == [64, 0 if bits == 16 else 128]
    if name.startswith("f16"):
        assert np.unique(old).size == 64


WRITTEN_INPUTS = {
    "an input": ('"and.b32 %1, %1, 12; add.u32 %0, %1, 1;"', "(i & 12) + 1"),
    "a constant": ('"sub.u32 %2, %1, %2; mov.u32 %0, %2;"', "i - 5"),
    "one of two": ('"{.reg .u32 t; mov.b64 {%1, t}, %3; add.u32 %0, %1, t;}"', "i + 7"),
    "a predicated write": (
        '"{.reg .pred p; setp.gt.u32 p, %1, %2; @p mov.u32 %1, %2; mov.u32 %0, %1;}"',
        "min(i, 5)",
    ),
    "in a loop": (
        """"{.reg .pred p; mov.u32 %0, 0; AGAIN: add.u32 %0, %0, %1; add.u32 %1, %1, -1;"
           " setp.gt.s32 p, %1, 0; @p bra AGAIN;}\"""",
        "i * (i + 1) // 2",
    ),
}


@pytest.mark.parametrize("case", WRITTEN_INPUTS)
def test_a_write_to_an_input_changes_only_its_register(cpu, case):
    text, expected = WRITTEN_INPUTS[case]
    body = f"""
      unsigned x = i; unsigned long long wide = i | 7ull << 32;
      asm volatile({text} : "=&r"(out[i]) : "r"(x), "r"(5), "l"(wide));
      out[i] += x - i;"""
    wanted = [eval(expected, {"i": i, "min": min}) for i in range(64)]
    np.testing.assert_array_equal(run(body), np.array(wanted, "i8").astype("u4"))


REFUSED = [
    (
        "tcgen05.wait::ld.sync.aligned;",
        "'tcgen05.wait::ld.sync.aligned': this instruction is supported only on GPUs",
    ),
    ("add.s32 %0, %1;", "'add.s32': the instruction does not take 2 operands"),
    ("add.s33 %0, %1, %1;", "'add.s33': the instruction has no type"),
    ("add.s64 %0, %1, %1;", "'%1' has 32 bits, the instruction takes 64"),
    ("add.foo.s32 %0, %1, %1;", "'.foo' is supported only on GPUs"),
    ("mov.u32 %0, x;", "'x' is not declared"),
    ("mov.u32 %0, %%nothing;", "CPUs have no special register with that name"),
    ("mov.u32 3, %1;", "a constant cannot be written: results go to registers"),
    ("mov.u32 %%tid.x, %1;", "'%tid.x' cannot be written: results go to registers"),
    ("mov.u32 %0, 1 mov.u32 %0, 2;", "expected ';' after 'mov.u32'"),
    ("{ mov.u32 %0, 1;", "a '{' is never closed"),
    ("mov.u32 %0, 1; }", "a '}' has no matching '{'"),
    (".reg .u32 a, a; mov.u32 %0, 1;", "the register 'a' is declared twice"),
    ("bra NOWHERE;", "the label 'NOWHERE' is not there"),
    ("ld.global.u32 %0, %1;", "must be an address"),
    ("ld.global.u32 %0, [%1];", "'%1' is not an address: addresses have 64 bits"),
    ("mul.u32 %0, %1, %1;", "an integer product needs .lo, .hi or .wide"),
    ("cvt.s32.f32 %0, %1;", "the rounding mode is missing"),
    ("setp.lt.u32 %0, %1, %1;", "'%0' is not a predicate"),
    ("@%1 mov.u32 %0, 1;", "'%1' is not a predicate"),
    (
        ".reg .pred p, q; testp.finite.f32 p|q, 0f3F800000;",
        "'testp.finite.f32': the instruction has only one result",
    ),
    ("mov.u32 %0, 0x;", "'0x' is not a number"),
    ("mov.f32 %0, 1;", "write a floating-point number as 1.0"),
    ("sqrt.rn.f16x2 %0, %1;", "this instruction does not support this type"),
    ("dp4a.f32.u32 %0, %1, %1, %1;", "this instruction does not support this type"),
    ("mul24.lo.f32 %0, %1, %1;", "this instruction does not support this type"),
    ("slct.u32.f16x2 %0, %1, %1, %1;", "the operand compared with 0 must be .s32 or .f32"),
    ("bar.arrive 1;", "an arrival needs the number of threads"),
    (".reg .u32 a<5000>; mov.u32 %0, 1;", "is at most 4096"),
    (".global .u32 a; mov.u32 %0, 1;", "'.global' is not supported"),
    ("add.u32 %0, %1.b0, 1;", "'.b0' selects bytes, which only video instructions do"),
    ("vadd.u32.u32.u32 %0, %1.b4, %1;", "'.b4' is not .b0 to .b3, .h0 or .h1"),
    ("vadd2.u32.u32.u32 %0, %1.h4, %1, %1;", "'.h4' is not a selector for 2 lanes"),
    ("vadd4.u32.u32.u32 %0.b02, %1, %1, %1;", "'.b02' is not a mask"),
    ("elect.sync %0, -1;", "the destination is a pair"),
]


@pytest.mark.parametrize("ptx, message", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_a_cpu_does_not_know_is_refused_with_its_line(cpu, ptx, message):
    with pytest.raises(UnsupportedError) as error:
        run(f'asm volatile("{ptx}" : "=r"(out[i]) : "r"(i));')
    assert message in str(error.value)
    assert re.match(r".*:4: inline PTX: ", str(error.value))


CONSTRAINTS = [
    ('asm("" :: "r"((char)1));', "operand %0 of the assembly is an integer of 8 bits"),
    ('asm("" :: "r"(1ull));', "operand %0 of the assembly is an integer of 64 bits"),
    ('asm("" :: "f"(1.0));', "operand %0 of the assembly is a double"),
    ('asm("" :: "r"(1.0f));', "operand %0 of the assembly is a float"),
    ('asm("" :: "x"(1));', "invalid input constraint 'x' in asm"),
    ('asm("" :: "n"(i));', "operand %0 of the assembly is not an integer constant"),
    ('asm("" ::: "eax");', "unknown register name 'eax' in asm"),
    ('asm("%3" :: "r"(1));', "invalid operand number in inline asm string"),
]


@pytest.mark.parametrize("body, message", CONSTRAINTS, ids=[row[0] for row in CONSTRAINTS])
def test_operands_that_fit_no_register_are_refused(device, body, message):
    with pytest.raises(CompileError) as error:
        run(body)
    assert message in str(error.value) and ":4:" in str(error.value)


def test_a_trap_stops_the_kernel(cpu):  # and takes a GPU's context with it
    with pytest.raises(RuntimeError):
        run('asm volatile("trap;");')
        cuda.synchronize()


def test_a_warp_multiplies_fragments_of_shared_tiles(device):
    """wmma with addresses in the shared window, and a stride that is left out."""
    a, b = np.random.default_rng(1).integers(-8, 8, (2, 16, 16)).astype(np.int8)
    out = cuda.to_device(np.zeros((16, 16), np.int32))
    code = r"""
    extern "C" __global__ void k(const signed char* a, const signed char* b, int* out) {
      __shared__ __align__(32) signed char tiles[2][256];
      for (int i = threadIdx.x; i < 256; i += 32) { tiles[0][i] = a[i]; tiles[1][i] = b[i]; }
      __syncwarp();
      unsigned at = (unsigned)__cvta_generic_to_shared(tiles), x0, x1, y0, y1;
      int d[8];
      asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%0, %1}, [%2];"
                   : "=r"(x0), "=r"(x1) : "r"(at) : "memory");
      asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.shared.s8 {%0, %1}, [%2+256], 16;"
                   : "=r"(y0), "=r"(y1) : "r"(at) : "memory");
      asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 "
                   "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "
                   "{%12, %12, %12, %12, %12, %12, %12, %12};"
                   : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]),
                     "=r"(d[6]), "=r"(d[7])
                   : "r"(x0), "r"(x1), "r"(y0), "r"(y1), "r"(1));
      asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%0], "
                   "{%1, %2, %3, %4, %5, %6, %7, %8}, 16;"
                   :: "l"(out), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]), "r"(d[4]), "r"(d[5]),
                      "r"(d[6]), "r"(d[7]) : "memory");
    }"""
    heddle.RawKernel(code, "k")(1, 32, (cuda.to_device(a), cuda.to_device(b), out))
    np.testing.assert_array_equal(out.copy_to_host(), a.astype(int) @ b.T.astype(int) + 1)
