"""A test suite in the way of numba's own."""

import io
import math

import numpy as np
from numba import cuda, float64, int32
from numba.cuda.testing import CUDATestCase, skip_on_cudasim, unittest


@cuda.jit(device=True)
def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


class TestKernels(CUDATestCase):
    def test_device_function(self):
        @cuda.jit("void(float64[:], float64[:], float64[:])")
        def kernel(a, b, c):
            i = cuda.grid(1)
            if i < c.size:
                c[i] = hypotenuse(a[i], b[i])

        a = np.random.rand(100)
        b = np.random.rand(100)
        c = np.zeros(100)
        kernel[2, 64](a, b, c)
        np.testing.assert_allclose(c, np.hypot(a, b))

    def test_shared_memory(self):
        @cuda.jit((int32[:],))
        def reverse(a):
            tile = cuda.shared.array(64, int32)
            i = cuda.threadIdx.x
            tile[i] = a[i]
            cuda.syncthreads()
            a[i] = tile[63 - i]

        a = np.arange(64, dtype=np.int32)
        reverse[1, 64](a)
        self.assertTrue((a == np.arange(64)[::-1]).all())

    @skip_on_cudasim("the simulator does not check types")
    def test_too_few_arguments(self):
        @cuda.jit
        def kernel(a, b):
            a[0] = b[0]

        with self.assertRaises(TypeError):
            kernel[1, 1](np.zeros(1))

    def test_device_array(self):
        d = cuda.to_device(np.arange(10, dtype=np.float64))
        self.assertEqual(d.shape, (10,))
        self.assertEqual(d.copy_to_host()[3], float64(3))


suite = unittest.TestLoader().loadTestsFromTestCase(TestKernels)
result = unittest.TextTestRunner(verbosity=0, stream=io.StringIO()).run(suite)
print(result.testsRun, len(result.errors), len(result.failures))
