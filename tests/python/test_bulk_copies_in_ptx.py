"""Bulk copies, cluster and warpgroup instructions in inline PTX."""

import ml_dtypes
import numpy as np
import pytest
from in_cuda_cpp import assemble_for_hopper

import heddle
from heddle import cuda
from heddle.errors import UnsupportedError

KERNEL = """
typedef unsigned long long u64;
__device__ void wait(unsigned b, unsigned parity) {
  asm volatile("{ .reg .pred p; WAIT_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra WAIT_%=; }"
               :: "r"(b), "r"(parity) : "memory");
}
__device__ void expect(unsigned b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(bytes) : "memory");
}
extern "C" __global__ void k(unsigned char* out, const unsigned char* in, unsigned bytes) {
  __shared__ __align__(16) unsigned char tile[2048], other[2048];
  __shared__ u64 barrier;
  unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), i = threadIdx.x;
  unsigned t = (unsigned)__cvta_generic_to_shared(tile), o = (unsigned)__cvta_generic_to_shared(other);
  u64 policy = 0;
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b) : "memory");
  __syncthreads();
  BODY
}"""
LOAD = (
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
    " [%0], [%1], %2, [%3], %4;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
    " [%0], [%1], %2, [%3], 1;",
)
STORE = (
    "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;",
    "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;",
)
END_OF_GROUP = (
    'asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group{} 0;" ::: "memory");'
)


def load(text=LOAD[0], to="t", start="in", size="bytes"):
    operands = f'"r"({to}), "l"({start}), "r"({size}), "r"(b), "l"(policy)'
    return f'asm volatile("{text}" :: {operands} : "memory");'


def store(text=STORE[0]):
    return f'asm volatile("{text}" :: "l"(out), "r"(t), "r"(bytes), "l"(policy) : "memory");'


@pytest.fixture
def run(device, tmp_path):
    """Runs the body of the kernel, which is also assembled for a GPU. Returns what it writes to ``out``."""
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("these instructions are there from compute capability 9.0 on")

    def run(body, given, block=1, out=None):
        out = cuda.to_device(
            np.zeros(given.nbytes, np.uint8) if out is None else out.view(np.uint8)
        )
        source = KERNEL.replace("BODY", body)
        assemble_for_hopper(source, tmp_path)
        arguments = out, cuda.to_device(given.view(np.uint8)), given.nbytes
        heddle.RawKernel(source, "k")(1, block, arguments)
        return out.copy_to_host().view(given.dtype)

    return run


VALUES = np.random.default_rng(3).integers(0, 256, 1040).astype(np.uint8)


@pytest.mark.parametrize("width", ["", "1"])
@pytest.mark.parametrize("text", LOAD, ids=["cluster", "cta", "cache hint", "multicast"])
def test_threads_wait_for_the_bytes_of_a_load(run, monkeypatch, text, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    body = f"""
      if (i == 0) {{ expect(b, bytes); {load(text)} }}
      wait(b, 0);
      for (unsigned j = i; j < bytes; j += blockDim.x) out[j] = tile[bytes - 1 - j];"""
    np.testing.assert_array_equal(run(body, VALUES, block=64), VALUES[::-1])


@pytest.mark.parametrize("wait", ["", ".read"])
@pytest.mark.parametrize("text", STORE, ids=["plain", "cache hint"])
def test_a_store_writes_what_all_threads_wrote(run, text, wait):
    body = f"""
      for (unsigned j = i; j < bytes; j += blockDim.x) tile[j] = in[j] ^ 85;
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();
      if (i == 0) {{ {store(text)} {END_OF_GROUP.format(wait)} }}"""
    np.testing.assert_array_equal(run(body, VALUES, block=48), VALUES ^ 85)


def test_a_thread_loads_the_next_tile_while_others_work(run):
    """The threads add up 13 tiles of 80 bytes, in two stages."""
    body = f"""
      __shared__ u64 stages[2]; unsigned s = (unsigned)__cvta_generic_to_shared(stages), sum = 0;
      if (i == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%0+8], 1;" :: "r"(s) : "memory");
      __syncthreads();
      for (int n = 0; n < 14; ++n) {{
        if (i == 0 && n < 13) {{
          b = s + n % 2 * 8; expect(b, 80);
          {load(to="t + n % 2 * 80", start="in + 80 * n", size="80")}
        }}
        if (n > 0) {{
          wait(s + (n - 1) % 2 * 8, (n - 1) / 2 & 1);
          sum += tile[(n - 1) % 2 * 80 + i];
        }}
        __syncthreads();
      }}
      ((unsigned*)out)[i] = sum;"""
    sums = run(body, VALUES, block=80).view(np.uint32)[:80]
    np.testing.assert_array_equal(sums, VALUES.reshape(13, 80).sum(0))


def test_a_block_copies_within_shared_memory(run):
    body = """
      for (unsigned j = 0; j < bytes; ++j) tile[j] = in[j];
      expect(b, bytes);
      asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                   :: "r"(o), "r"(t), "r"(bytes), "r"(b) : "memory");
      wait(b, 0);
      for (unsigned j = 0; j < bytes; ++j) out[j] = other[j];"""
    np.testing.assert_array_equal(run(body, VALUES), VALUES)


def test_arrays_without_an_alignment_are_aligned_for_copies(cpu):
    code = """extern "C" __global__ void k(char* out, const char* in) {
      __shared__ char one, odd[3], tile[32];
      __shared__ unsigned long long barrier;
      unsigned b = (unsigned)__cvta_generic_to_shared(&barrier), t = (unsigned)__cvta_generic_to_shared(tile);
      one = odd[1] = 1;
      asm volatile("mbarrier.init.shared.b64 [%0], 2;"
        " cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%1], [%2], 32, [%0];"
        :: "r"(b), "r"(t), "l"(in) : "memory");
      for (int i = 0; i < 32; ++i) out[i] = tile[i] + one - odd[1];
    }"""
    out = cuda.to_device(np.zeros(32, np.uint8))
    heddle.RawKernel(code, "k")(1, 1, (out, cuda.to_device(VALUES)))
    np.testing.assert_array_equal(out.copy_to_host(), VALUES[:32])


def test_a_prefetch_changes_nothing(run):
    body = """asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(in), "r"(bytes));
      asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;"
                   :: "l"(in), "r"(bytes), "l"(policy));
      out[0] = 7;"""
    assert run(body, VALUES)[0] == 7


def wrapping_inc(old, limit):
    return np.where(old >= limit, 0, old + 1).astype(old.dtype)


def wrapping_dec(old, limit):
    return np.where((old == 0) | (old > limit), limit, old - 1).astype(old.dtype)


REDUCTIONS = {
    "add.u32": ("u4", np.add),
    "add.s32": ("i4", np.add),
    "add.u64": ("u8", np.add),
    "add.f32": ("f4", np.add),
    "add.f64": ("f8", np.add),
    "add.noftz.f16": ("f2", np.add),
    "add.noftz.bf16": (ml_dtypes.bfloat16, np.add),
    "min.s32": ("i4", np.minimum),
    "max.u64": ("u8", np.maximum),
    "max.s64": ("i8", np.maximum),
    "and.b32": ("u4", np.bitwise_and),
    "or.b64": ("u8", np.bitwise_or),
    "xor.b32": ("u4", np.bitwise_xor),
    "inc.u32": ("u4", wrapping_inc),
    "dec.u32": ("u4", wrapping_dec),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_combines_elements_of_global_memory(run, name):
    dtype, combine = np.dtype(REDUCTIONS[name][0]), REDUCTIONS[name][1]
    numbers = np.random.default_rng(5).integers(0, 40, (2, 64)) - (20 if dtype.kind in "if" else 0)
    old, values = numbers.astype(dtype)
    body = f"""
      for (unsigned j = 0; j < bytes; ++j) tile[j] = in[j];
      asm volatile("fence.proxy.async;" ::: "memory");
      {store(f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{name} [%0], [%1], %2;")}
      {END_OF_GROUP.format("")}"""
    np.testing.assert_array_equal(run(body, values, out=old.copy()), combine(old, values))


@pytest.mark.parametrize("name", ["add.u32", "min.s32", "xor.b32", "inc.u32", "add.u64"])
def test_a_reduction_combines_elements_of_shared_memory(run, name):
    dtype, combine = np.dtype(REDUCTIONS[name][0]), REDUCTIONS[name][1]
    old, values = np.random.default_rng(6).integers(0, 40, (2, 32)).astype(dtype)
    body = f"""
      for (unsigned j = 0; j < bytes; ++j) {{ tile[j] = in[j]; other[j] = out[j]; }}
      expect(b, bytes);
      asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{name}"
                   " [%0], [%1], %2, [%3];" :: "r"(o), "r"(t), "r"(bytes), "r"(b) : "memory");
      wait(b, 0);
      for (unsigned j = 0; j < bytes; ++j) out[j] = other[j];"""
    np.testing.assert_array_equal(run(body, values, out=old.copy()), combine(old, values))


def test_stores_and_atomics_complete_transfers(run):
    body = """
      unsigned* words = (unsigned*)other; words[0] = 3; words[5] = 0;
      expect(b, 16);
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0+16], {%1, %2}, [%3];"
                   :: "r"(o), "r"(11), "r"(12), "r"(b) : "memory");
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0+8], %1, [%2];"
                   :: "r"(o), "r"(13), "r"(b) : "memory");
      asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                   :: "r"(o), "r"(4), "r"(b) : "memory");
      wait(b, 0);
      out[0] = words[4]; out[1] = words[5]; out[2] = words[2]; out[3] = words[0];"""
    assert run(body, VALUES)[:4].tolist() == [11, 12, 13, 7]


@pytest.mark.parametrize("start, size", [("in + 8", "16"), ("in", "24")], ids=["address", "size"])
def test_a_misaligned_copy_stops_the_kernel(cpu, start, size):
    kernel = heddle.RawKernel(KERNEL.replace("BODY", load(start=start, size=size)), "k")
    with pytest.raises(RuntimeError, match="must be multiples of 16 bytes"):
        kernel(1, 1, (cuda.to_device(VALUES), cuda.to_device(VALUES), 1040))
        cuda.synchronize()


CLUSTER = {
    "mov.u32 %0, %%cluster_ctarank;": 0,
    "mov.u32 %0, %%cluster_nctarank;": 1,
    "mov.u32 %0, %%cluster_ctaid.x;": 0,
    "mov.u32 %0, %%cluster_nctaid.y;": 1,
    "mov.u32 %0, %%clusterid.x;": 2,
    "mov.u32 %0, %%nclusterid.x;": 3,
    "{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 5, 6, p; }": 6,
    "getctarank.shared::cluster.u32 %0, %1;": 0,
    "{ .reg .u32 a; mapa.shared::cluster.u32 a, %1, 0; st.shared::cluster.u32 [a], 9;"
    " atom.shared::cluster.add.u32 %0, [a], 1; ld.shared::cluster.u32 %0, [a]; }": 10,
    "{ .reg .u64 g, a; cvta.shared.u64 g, %2; mapa.u64 a, g, 0; st.u32 [a], 9; ld.u32 %0, [g]; }": 9,
    "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; mov.u32 %0, 4;": 4,
    "barrier.cluster.arrive.relaxed; barrier.cluster.wait; mov.u32 %0, 4;": 4,
    "fence.acq_rel.cluster; fence.sc.cluster; fence.proxy.alias; mov.u32 %0, 4;": 4,
    "fence.acquire.sync_restrict::shared::cluster.cluster; mov.u32 %0, 4;": 4,
    "griddepcontrol.launch_dependents; griddepcontrol.wait; mov.u32 %0, 4;": 4,
    "setmaxnreg.dec.sync.aligned.u32 40; mov.u32 %0, 4;": 4,
    "wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
    " mov.u32 %0, 4;": 4,
}
CLUSTER_KERNEL = """extern "C" __global__ void k(unsigned* out) {
  __shared__ unsigned word;
  unsigned result = 0;
  size_t wide = __cvta_generic_to_shared(&word);
  asm volatile("TEXT" : "=r"(result) : "r"((unsigned)wide), "l"(wide) : "memory");
  if (blockIdx.x == 2) out[threadIdx.x] = result;
}"""


@pytest.mark.parametrize("text", CLUSTER)
def test_a_cluster_is_one_block(cpu, text, tmp_path):
    out = cuda.to_device(np.zeros(1, np.uint32))
    source = CLUSTER_KERNEL.replace("TEXT", text)
    assemble_for_hopper(source, tmp_path)
    heddle.RawKernel(source, "k")(3, 1, (out,))
    assert out.copy_to_host()[0] == CLUSTER[text]


def test_a_cluster_barrier_waits_for_its_threads(run):
    body = """
      tile[i] = 200 - i;
      asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
      out[i] = tile[199 - i];"""
    np.testing.assert_array_equal(run(body, VALUES, block=200)[:200], np.arange(1, 201))


def test_another_block_of_a_cluster_stops_the_kernel(cpu):
    code = CLUSTER_KERNEL.replace("TEXT", "mapa.shared::cluster.u32 %0, %1, 1;")
    with pytest.raises(RuntimeError, match="mapa: the cluster has only one block"):
        heddle.RawKernel(code, "k")(3, 1, (cuda.to_device(np.zeros(1, np.uint32)),))
        cuda.synchronize()


REFUSED = {
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [%0], [%1, {%2, %2}], [%3];": "tensor maps are supported only on GPUs",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%1, {%2}], [%0];": "tensor maps",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%1, {%2}];": "tensor maps",
    "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%1], [%0], %2, 1;": "'.cp_mask' is supported only",
    "cp.async.bulk.shared::cluster.global [%0], [%1], %2;": "a completion mechanism",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%1], [%0], %2;": "does not support this type",
    "fence.proxy.tensormap::generic.acquire.gpu [%1], 128;": "tensor maps are supported only on GPUs",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %0, %0, %0}, %1, %1, 1, 1, 1, 0, 0;": "warpgroups",
    "tcgen05.fence::before_thread_sync;": "supported only on GPUs",
    "ld.global.u32 %0, [%1, {%2}];": "must be an address",
}


@pytest.mark.parametrize("text", REFUSED, ids=[text.split(" ")[0] for text in REFUSED])
def test_other_forms_are_refused_by_name(cpu, text):
    statement = f'asm volatile("{text}" :: "r"(t), "l"(in), "r"(bytes), "r"(b) : "memory");'
    with pytest.raises(UnsupportedError) as error:
        kernel = heddle.RawKernel(KERNEL.replace("BODY", statement), "k")
        kernel(1, 1, (cuda.to_device(VALUES), cuda.to_device(VALUES), 16))
    assert f"'{text.split(' ')[0].rstrip(';')}': " in str(error.value) and REFUSED[text] in str(
        error.value
    )
