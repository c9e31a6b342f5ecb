"""cuRAND's generators in kernels: the numbers equal those of NVIDIA's header compiled for the host."""

import numpy as np
import pytest

import heddle
from heddle import cuda

SOURCE = r"""
#include <curand_kernel.h>

template <class State>
__device__ void draw(const unsigned long long *start, unsigned *bits, double *values) {
  State state;
  curand_init(start[0], start[1], start[2], &state);
  for (int k = 0; k < 3; ++k) bits[k] = curand(&state);
  values[0] = curand_uniform(&state);
  values[1] = curand_uniform_double(&state);
  values[2] = curand_normal(&state);
  values[3] = curand_normal(&state);
  values[4] = curand_normal_double(&state);
  values[5] = curand_log_normal(&state, 0.5f, 2.0f);
}
extern "C" __global__ void xorwow(const unsigned long long *start, unsigned *bits, double *values) {
  draw<curandState>(start, bits, values);
}
extern "C" __global__ void philox(const unsigned long long *start, unsigned *bits, double *values) {
  draw<curandStatePhilox4_32_10_t>(start, bits, values);
}
extern "C" __global__ void mrg(const unsigned long long *start, unsigned *bits, double *values) {
  draw<curandStateMRG32k3a_t>(start, bits, values);
}
extern "C" __global__ void four(unsigned *bits, double *values) {
  curandStatePhilox4_32_10_t state;
  curand_init(42, 3, 1, &state);
  for (int k = 0; k < 3; ++k) {
    uint4 four = curand4(&state);
    bits[4 * k] = four.x; bits[4 * k + 1] = four.y; bits[4 * k + 2] = four.z; bits[4 * k + 3] = four.w;
  }
  float4 uniform = curand_uniform4(&state);
  values[0] = uniform.x; values[1] = uniform.w;
  bits[12] = curand(&state);
}
extern "C" __global__ void sizes(int *bytes) {
  bytes[0] = sizeof(curandStateXORWOW_t);
  bytes[1] = sizeof(curandStatePhilox4_32_10);
  bytes[2] = sizeof(curandStateMRG32k3a);
}
extern "C" __global__ void streams(curandState *states, unsigned *bits) {
  int i = threadIdx.x;
  curand_init(7, i, 0, &states[i]);
  bits[i] = curand(&states[i]);
}
extern "C" __global__ void later(unsigned *bits) {
  curandState skipped, drawn;
  curand_init(7, 0, 1000, &skipped);
  curand_init(7, 0, 0, &drawn);
  skipahead(234, &skipped);
  for (int k = 0; k < 1234; ++k) curand(&drawn);
  bits[0] = curand(&skipped);
  bits[1] = curand(&drawn);
}
"""
EXPECTED = [
    (
        "xorwow",
        (0, 0, 0),
        [3179217846, 1883133293, 2220552389],
        [0.15698862075805664, 0.46250842073016324],
        [1.51097095, -0.822750092, -0.456207219, 1.44317508],
    ),
    (
        "xorwow",
        (1234, 0, 0),
        [624778773, 1867875844, 3739671282],
        [0.45516511797904968, 0.58241812519857272],
        [-1.74271762, 0.409659863, -1.31180541, 0.163046703],
    ),
    (
        "xorwow",
        (1234, 5, 0),
        [3732235839, 2152834071, 919474540],
        [0.38028720021247864, 0.62932654820218703],
        [-0.848760843, 0.163443461, 1.82920319, 8.42777348],
    ),
    (
        "xorwow",
        (1234, 1000003, 7),
        [3821576520, 214167980, 3009337058],
        [0.014359215274453163, 0.28054412617520125],
        [-0.803281248, -0.321634352, -0.254582048, 4.20973063],
    ),
    (
        "xorwow",
        (81985529216486895, 1099511627775, 78187493530),
        [2636027011, 2184230732, 1461808882],
        [0.83282345533370972, 0.68257616746136862],
        [-1.88955593, 1.38580954, -0.209967681, 1.68877137],
    ),
    (
        "xorwow",
        (18446744073709551615, 1, 4),
        [1596937936, 3830582543, 2346525700],
        [0.27354738116264343, 0.93530840155110662],
        [0.32951653, -0.547084987, 0.49506062, 24.6174355],
    ),
    (
        "philox",
        (0, 0, 0),
        [1713891541, 3781805453, 3159862348],
        [0.60548186302185059, 0.97224120167084038],
        [-1.33784282, -0.49182865, 2.17351886, 0.0713684112],
    ),
    (
        "philox",
        (1234, 0, 0),
        [546353992, 3665621163, 1140953199],
        [0.79605525732040405, 0.62083233660086989],
        [-0.299034804, 2.06982613, -1.59424063, 0.188257292],
    ),
    (
        "philox",
        (1234, 5, 0),
        [4181881884, 3080788858, 2334630092],
        [0.74056512117385864, 0.36079352837987244],
        [1.57627559, 0.543758214, 0.405465257, 0.468038321],
    ),
    (
        "philox",
        (1234, 1000003, 7),
        [2642715788, 4203182764, 4245587038],
        [0.46995040774345398, 0.36984996707178652],
        [-0.960067868, -1.27435589, 0.789902894, 4.11333179],
    ),
    (
        "philox",
        (81985529216486895, 1099511627775, 78187493530),
        [1995041399, 2595329423, 4155928184],
        [0.70354145765304565, 0.021079330006614327],
        [-1.66538382, 1.09062445, -0.0637160496, 6.16376495],
    ),
    (
        "philox",
        (18446744073709551615, 1, 4),
        [557615117, 3109510458, 1266164128],
        [0.72262251377105713, 0.97656557592563331],
        [1.04416287, -0.728685558, -1.99625163, 9.74951363],
    ),
    (
        "mrg",
        (0, 0, 0),
        [545508615, 1368065476, 1327943825],
        [0.82584685087203979, 0.22162991583362512],
        [0.135105282, -1.11298299, 1.08461795, 0.831928253],
    ),
    (
        "mrg",
        (1234, 0, 0),
        [3379073520, 2521876100, 213678209],
        [0.37355148792266846, 0.52457002355603854],
        [0.123897441, -0.170371205, 0.596180342, 3.32580352],
    ),
    (
        "mrg",
        (1234, 5, 0),
        [1307787078, 2849003678, 560262121],
        [0.41092896461486816, 0.27584574410034357],
        [0.250764042, -0.220557481, 0.766436954, 70.2280731],
    ),
    (
        "mrg",
        (1234, 1000003, 7),
        [2323626967, 2025248477, 2061464805],
        [0.9518125057220459, 0.4067003431265177],
        [0.443871439, 0.751880527, 2.4040235, 0.348827332],
    ),
    (
        "mrg",
        (81985529216486895, 1099511627775, 78187493530),
        [2865557264, 1715296910, 4024733537],
        [0.01149328239262104, 0.29509722503724511],
        [-0.641196549, 0.17951107, 0.408772913, 0.820828021],
    ),
    (
        "mrg",
        (18446744073709551615, 1, 4),
        [2572486932, 497963986, 1116816555],
        [0.26063218712806702, 0.65644315169114131],
        [1.14871085, -0.863118172, 0.212663977, 0.128099248],
    ),
]


@pytest.fixture(scope="module")
def module():
    return heddle.RawModule(code=SOURCE)


def run(module, name, *arrays):
    """Run a kernel with one thread on copies of the arrays. Returns their values afterwards."""
    on_device = [cuda.to_device(array) for array in arrays]
    module.get_function(name)(1, 1, tuple(on_device))
    return [array.copy_to_host() for array in on_device]


@pytest.mark.parametrize("name, start, bits, exact, values", EXPECTED)
def test_a_generator_gives_nvidias_numbers(device, module, name, start, bits, exact, values):
    _, found, numbers = run(
        module, name, np.array(start, np.uint64), np.zeros(3, np.uint32), np.zeros(6)
    )
    assert found.tolist() == bits and numbers[:2].tolist() == exact
    np.testing.assert_allclose(numbers[2:], values, rtol=2e-5, atol=1e-6)


def test_philox_gives_four_at_once(device, module):
    bits, values = run(module, "four", np.zeros(13, np.uint32), np.zeros(2))
    assert bits.tolist() == [
        *(1913948817, 3105408601, 2569034695, 2242436924),
        *(496087451, 2846961708, 1068123878, 1378468243),
        *(3851054476, 2183073026, 2660798169, 1024117811, 788659626),
    ]
    np.testing.assert_allclose(values, [0.719704986, 0.289306343], rtol=1e-7)


def test_states_have_nvidias_sizes(device, module):
    assert run(module, "sizes", np.zeros(3, np.int32))[0].tolist() == [48, 64, 48]


def test_threads_have_subsequences_of_their_own(device, module):
    states, bits = cuda.to_device(np.zeros(48 * 32, np.uint8)), cuda.to_device(np.zeros(32, "u4"))
    module.get_function("streams")(1, 32, (states.device_ctypes_pointer.value, bits))
    assert len(set(bits.copy_to_host().tolist())) == 32


def test_skipping_ahead_is_drawing_and_throwing_away(device, module):
    (bits,) = run(module, "later", np.zeros(2, np.uint32))
    assert bits[0] == bits[1]


@pytest.mark.parametrize("mean", [0.5, 20, 300, 9000])
def test_poissons_numbers_have_their_mean_and_variance(device, mean):
    kernel = heddle.RawKernel(
        """
        #include <curand_kernel.h>
        extern "C" __global__ void k(unsigned *x, double mean) {
          curandState state;
          curand_init(7, threadIdx.x, 0, &state);
          for (int i = 0; i < 64; ++i)
            x[64 * threadIdx.x + i] = curand_poisson(&state, mean);
        }""",
        "k",
    )
    numbers = cuda.to_device(np.zeros(64 * 64, np.uint32))
    kernel(1, 64, (numbers, float(mean)))
    numbers = numbers.copy_to_host()
    assert abs(numbers.mean() - mean) < 5 * (mean / numbers.size) ** 0.5
    assert 0.85 < numbers.var() / mean < 1.15


# The direction vectors of the first dimension, whose points are van der Corput's.
VECTORS = {
    bits: np.array([1 << (bits - 1 - k) for k in range(bits)], f"u{bits // 8}") for bits in (32, 64)
}

SOBOL = r"""
#include <curand_kernel.h>
template <class State, class Word, class... Scramble>
__device__ void draw(const Word *vectors, Word *bits, double *values, Scramble... scramble) {
  State state, later;
  curand_init(vectors, scramble..., 0, &state);
  curand_init(vectors, scramble..., 2, &later);
  for (int k = 0; k < 8; ++k) bits[k] = curand(&state);
  skipahead(5, &later);
  bits[8] = curand(&later);
  values[0] = curand_uniform(&later);
  values[1] = curand_uniform_double(&later);
  values[2] = curand_normal(&later);
  values[3] = curand_normal_double(&later);
}
__global__ void plain32(const unsigned *v, unsigned *bits, double *values) {
  draw<curandStateSobol32_t>(v, bits, values);
}
__global__ void scrambled32(const unsigned *v, unsigned *bits, double *values) {
  draw<curandStateScrambledSobol32_t>(v, bits, values, 0x12345678u);
}
__global__ void plain64(const unsigned long long *v, unsigned long long *bits, double *values) {
  draw<curandStateSobol64_t>(v, bits, values);
}
"""


@pytest.mark.parametrize("bits, scramble", [(32, 0), (32, 0x12345678), (64, 0)])
def test_points_of_sobol_sequences(device, bits, scramble):
    points = cuda.to_device(np.zeros(9, f"u{bits // 8}"))
    values = cuda.to_device(np.zeros(4))
    name = ("scrambled" if scramble else "plain") + str(bits)
    heddle.RawModule(code=SOBOL).get_function(name)(
        1, 1, (cuda.to_device(VECTORS[bits]), points, values)
    )
    halves = [0, 4, 6, 2, 3, 7, 5, 1]  # eighths in the order of Gray codes
    expected = [eighth << (bits - 3) ^ scramble for eighth in halves]
    assert points.copy_to_host().tolist() == [*expected, expected[7]]


def test_values_of_sobol_points(device):
    points, values = cuda.to_device(np.zeros(9, "u4")), cuda.to_device(np.zeros(4))
    heddle.RawModule(code=SOBOL).get_function("plain32")(
        1, 1, (cuda.to_device(VECTORS[32]), points, values)
    )
    uniform, double, normal, normal_double = values.copy_to_host()
    # Points 8 and 9, in the middle of their bits.
    assert uniform == 3 / 16 and double == 11 / 16 + 2**-33
    # The normal distribution's values at 15/16 and 7/16.
    np.testing.assert_allclose([normal, normal_double], [1.5341205, -0.1573107], rtol=1e-6)
