// The C++ interface from a program's point of view, on every device of this machine.

#include <heddle/heddle.h>

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <thread>
#include <utility>

namespace {

using heddle::Buffer;
using heddle::Device;
using heddle::Error;
using heddle::Kernel;
using heddle::Module;

const char *const saxpy = R"(
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

class OnEachDevice : public testing::TestWithParam<Device> {
protected:
  Device device = GetParam();
};

std::string nameOf(const testing::TestParamInfo<Device> &info) {
  return (info.param.isCpu() ? "cpu" : "cuda") + std::to_string(info.param.index());
}
INSTANTIATE_TEST_SUITE_P(Api, OnEachDevice, testing::ValuesIn(Device::all()), nameOf);

/// The error that `work` throws; the test fails if it throws none.
template <typename Work> Error errorOf(Work work) {
  try {
    work();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(Error::Kind::Internal, "");
}

#define EXPECT_ERROR(expectedKind, text, ...)                                                      \
  do {                                                                                             \
    Error error = errorOf([&] { __VA_ARGS__; });                                                   \
    EXPECT_EQ(error.kind(), Error::Kind::expectedKind);                                            \
    EXPECT_PRED_FORMAT2(testing::IsSubstring, std::string(text), std::string(error.what()));       \
  } while (false)

template <typename T>
testing::AssertionResult holds(const Buffer<T> &buffer, const std::vector<T> &expected) {
  std::vector<T> values = buffer.toVector();
  if (values == expected)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the buffer holds " << testing::PrintToString(values);
}

std::vector<float> counted(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST_P(OnEachDevice, AKernelReadsAndWritesBuffers) {
  Module module(device, saxpy);
  Buffer<float> x(device, counted(1000)), y(device, std::vector<float>(1000, 1.0f));
  module.function("saxpy").launch({4}, {256}, 1000, 2.0f, x, y);
  EXPECT_EQ(y.toVector()[999], 1 + 2 * 999.0f);
}

TEST_P(OnEachDevice, NumbersConvertToTheParametersTypes) {
  Module module(device, saxpy);
  Buffer<float> x(device, {1.0f}), y(device, {0.0f});
  module.function("saxpy").launch(1, 1, size_t(1), 3, x, y);
  module.function("saxpy").launch(1, 1, 1.0, 0.5, x, y);
  EXPECT_TRUE(holds(y, {3.5f}));
}

TEST_P(OnEachDevice, OptionsAndNameExpressionsReachTheCompiler) {
  Module module(device, "template <typename T> __global__ void set(T *x) { *x = N; }", {"-DN=7"},
                {"set<double>"});
  Buffer<double> x(device, 1);
  module.function("set<double>").launch(1, 1, x);
  EXPECT_TRUE(holds(x, {7.0}));
}

TEST_P(OnEachDevice, AVariableIsReadAndWritten) {
  Module module(device, "__constant__ int factor; __device__ int seen[2];"
                        "__global__ void k() { seen[1] = 10 * factor; }");
  module.global<int>("factor").copyFrom({4});
  module.global<int>("seen").copyFrom({0, 0});
  module.function("k").launch(1, 1);
  EXPECT_TRUE(holds(module.global<int>("seen"), {0, 40}));
}

TEST_P(OnEachDevice, AStructureIsPassedByValue) {
  struct Pair {
    char tag;
    double value;
  };
  Module module(device, "struct Pair { char tag; double value; };"
                        "__global__ void k(Pair p, double *out) { *out = p.tag * p.value; }");
  Buffer<double> out(device, 1);
  module.function("k").launch(1, 1, Pair{3, 1.5}, out);
  EXPECT_TRUE(holds(out, {4.5}));
}

TEST_P(OnEachDevice, VectorsAndComplexNumbersTakeStructuresOfTheirSize) {
  Module module(device, "#include <cuComplex.h>\n"
                        "__global__ void k(float4 *v, cuFloatComplex z) { v->y = cuCimagf(z); }");
  Buffer<float> asFloats(device, 4);
  asFloats.fillBytes(0);
  module.function("k").launch(1, 1, asFloats, std::complex<float>(1, 2));
  EXPECT_TRUE(holds(asFloats, {0, 2, 0, 0}));
  module.function("k").launch(1, 1, asFloats, 5);
  EXPECT_TRUE(holds(asFloats, {0, 0, 0, 0}));
}

TEST_P(OnEachDevice, HalfPrecisionParametersTakeNumbers) {
  Module module(device, "#include <cuda_fp16.h>\n"
                        "__global__ void k(__half h, float *out) { *out = __half2float(h); }");
  Buffer<float> out(device, 1);
  module.function("k").launch(1, 1, 1.5, out);
  EXPECT_TRUE(holds(out, {1.5f}));
}

TEST_P(OnEachDevice, HalfPrecisionArraysTakeTheirBits) {
  Module module(device,
                "#include <cuda_fp16.h>\n"
                "__global__ void k(const __half *h, float *out) { *out = __half2float(*h); }");
  Buffer<std::uint16_t> bits(device, {0x4000});
  Buffer<float> out(device, 1);
  module.function("k").launch(1, 1, bits, out);
  EXPECT_TRUE(holds(out, {2.0f}));
}

TEST_P(OnEachDevice, TheLaunchSetsTheDynamicSharedMemory) {
  Module module(device, "__global__ void reverse(int *x) {"
                        "  extern __shared__ int tile[];"
                        "  tile[threadIdx.x] = x[threadIdx.x];"
                        "  __syncthreads();"
                        "  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x]; }");
  Buffer<int> x(device, {1, 2, 3, 4});
  heddle::Launch how{1, 4};
  how.dynamicSharedBytes = 16;
  module.function("reverse").launch(how, x);
  EXPECT_TRUE(holds(x, {4, 3, 2, 1}));
}

TEST_P(OnEachDevice, StreamsRunInOrderAndEventsMeasureTime) {
  Module module(device, saxpy);
  Buffer<float> x(device, counted(64)), y(device, counted(64));
  heddle::Stream stream(device), other(device);
  heddle::Event begin(device), end(device);
  heddle::Launch how{1, 64};
  how.stream = &stream;
  stream.record(begin);
  module.function("saxpy").launch(how, 64, 1, x, y);
  stream.record(end);
  other.wait(end);
  other.synchronize();
  EXPECT_TRUE(end.done());
  EXPECT_GE(end.millisecondsSince(begin), 0);
  EXPECT_EQ(y.toVector()[63], 126);
}

TEST_P(OnEachDevice, AKernelThatWaitsForTheGridSeesAllBlocks) {
  Module module(device,
                "#include <cooperative_groups.h>\n"
                "__global__ void k(int *x, int *sum) {"
                "  x[blockIdx.x] = blockIdx.x; cooperative_groups::this_grid().sync();"
                "  if (blockIdx.x == 0) for (int i = 0; i < gridDim.x; ++i) *sum += x[i]; }");
  Kernel kernel = module.function("k");
  EXPECT_TRUE(kernel.attributes().cooperative);
  Buffer<int> x(device, 4), sum(device, {0});
  heddle::Launch how{4, 1};
  how.cooperative = true;
  kernel.launch(how, x, sum);
  EXPECT_TRUE(holds(sum, {6}));
}

TEST_P(OnEachDevice, ACooperativeGridThatDoesNotFitIsAnError) {
  Kernel kernel = Module(device, saxpy).function("saxpy");
  Buffer<float> x(device, 1);
  heddle::Launch how{kernel.maxCooperativeBlocks(256) + 1, 256};
  how.cooperative = true;
  EXPECT_ERROR(Argument, "blocks", kernel.launch(how, 1, 1, x, x));
}

TEST_P(OnEachDevice, BuffersLiveUntilTheKernelHasRun) {
  Module module(device, "__global__ void k(const int *from, int *to) {"
                        "  for (int i = 0; i < 100000; ++i) atomicAdd(to, *from); }");
  Buffer<int> sum(device, {0});
  {
    Buffer<int> one(device, {1});
    module.function("k").launch(1, 1, one, sum);
  }
  EXPECT_TRUE(holds(sum, {100000}));
}

TEST_P(OnEachDevice, AMovedFromHandleStaysValid) {
  Buffer<int> x(device, {1, 2}), y = std::move(x);
  EXPECT_EQ(x.memory().owner(), y.memory().owner());
  Module module(device, saxpy), other = std::move(module);
  EXPECT_EQ(module.function("saxpy").name(), "saxpy");
}

TEST_P(OnEachDevice, AnEmptyBufferWorks) {
  Buffer<int> x(device, 0);
  x.fillBytes(1);
  x.copyFrom(nullptr, 0);
  EXPECT_TRUE(holds(x, {}));
}

TEST_P(OnEachDevice, ProgramsAreCompiledAndLaunchedFromManyThreads) {
  Module shared(device, "__device__ int count; __global__ void up() { atomicAdd(&count, 1); }");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Module own(device, "__global__ void set(int *x) { *x = 7; }");
      Buffer<int> x(device, 1);
      own.function("set").launch(1, 1, x);
      EXPECT_TRUE(holds(x, {7}));
      shared.function("up").launch(1, 32);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(holds(shared.global<int>("count"), {128}));
}

TEST_P(OnEachDevice, PartsOfABufferAreCopied) {
  Buffer<int> x(device, {1, 2, 3, 4});
  const int values[] = {8, 9};
  x.copyFrom(values, 2, 1);
  int last[2];
  x.copyTo(last, 2, 2);
  EXPECT_TRUE(holds(x, {1, 8, 9, 4}));
  EXPECT_EQ(last[0], 9);
  EXPECT_EQ(last[1], 4);
}

TEST_P(OnEachDevice, AttributesReportResourceUsage) {
  Module module(device, "__global__ void __launch_bounds__(64) k(int *x) {"
                        "  __shared__ int s[8]; s[threadIdx.x % 8] = x[0]; __syncthreads();"
                        "  x[0] = s[0]; }");
  Kernel kernel = module.function("k");
  heddle::KernelAttributes attributes = kernel.attributes();
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64u);
  EXPECT_EQ(attributes.sharedBytes, 32u);
  EXPECT_EQ(kernel.name(), "k");
  EXPECT_EQ(kernel.parameters().at(0).type, "int *");
  EXPECT_FALSE(module.assembly().empty());
}

// Errors

TEST_P(OnEachDevice, ACompileErrorShowsItsLocation) {
  EXPECT_ERROR(Compile, "<cuda source>:2:11: use of undeclared identifier 'many'",
               Module(device, "__global__ void k(int *p) {\n  *p = 1; many; }"));
}

TEST_P(OnEachDevice, AnUnknownOptionIsAnError) {
  EXPECT_ERROR(Argument, "unknown option '--fast'", Module(device, saxpy, {"--fast"}));
}

TEST_P(OnEachDevice, AnUnknownKernelIsAnErrorThatListsKernels) {
  EXPECT_ERROR(Argument, "its kernels are: saxpy", Module(device, saxpy).function("daxpy"));
}

TEST_P(OnEachDevice, AnUnknownVariableIsAnError) {
  EXPECT_ERROR(Argument, "there is no variable named 'v'", Module(device, saxpy).global<int>("v"));
}

TEST_P(OnEachDevice, AVariableOfAnotherSizeIsAnError) {
  Module module(device, "__device__ char v[6]; __global__ void k() { v[0] = 1; }");
  EXPECT_ERROR(Argument, "has 6 bytes", module.global<int>("v"));
}

/// Invalid launches of saxpy.
class WrongLaunches : public OnEachDevice {
protected:
  Kernel kernel = Module(device, saxpy).function("saxpy");
  Buffer<float> x{device, 4};
};
INSTANTIATE_TEST_SUITE_P(Api, WrongLaunches, testing::ValuesIn(Device::all()), nameOf);

TEST_P(WrongLaunches, AMissingArgumentIsAnError) {
  EXPECT_ERROR(Argument, "kernel saxpy has 4 parameters, 3 arguments were given",
               kernel.launch(1, 1, 1, 1, x));
}

TEST_P(WrongLaunches, AnArrayOfAnotherTypeIsAnError) {
  Buffer<double> y(device, 4);
  EXPECT_ERROR(Argument, "parameter 4 (y) is 'float *': takes an array of float32, not of float64",
               kernel.launch(1, 1, 1, 1, x, y));
}

TEST_P(WrongLaunches, ANumberForAPointerIsAnError) {
  EXPECT_ERROR(Argument, "parameter 3 (x) is 'const float *': takes a Buffer or an address, not 5",
               kernel.launch(1, 1, 1, 1, 5, x));
}

TEST_P(WrongLaunches, ABufferForANumberIsAnError) {
  EXPECT_ERROR(Argument, "parameter 1 (n) is 'int': takes an integer, not a pointer",
               kernel.launch(1, 1, x, 1, x, x));
}

TEST_P(WrongLaunches, APointerToConstForAWrittenPointerIsAnError) {
  const float *y = x.data();
  EXPECT_ERROR(Argument, "the pointer is to const", kernel.launch(1, 1, 1, 1, x, y));
}

TEST_P(WrongLaunches, ANumberThatDoesNotFitIsAnError) {
  EXPECT_ERROR(Argument, "2147483648 does not fit", kernel.launch(1, 1, 2147483648u, 1, x, x));
  EXPECT_ERROR(Argument, "takes an integer, not 0.5", kernel.launch(1, 1, 0.5, 1, x, x));
  EXPECT_ERROR(Argument, "does not fit", kernel.launch(1, 1, 1e30, 1, x, x));
}

TEST_P(WrongLaunches, AStructureForANumberIsAnError) {
  struct Three {
    char bytes[3];
  };
  EXPECT_ERROR(Argument, "takes an integer, not a structure",
               kernel.launch(1, 1, Three(), 1, x, x));
}

TEST_P(WrongLaunches, ATooLargeBlockIsAnError) {
  EXPECT_ERROR(Argument, "block of 2048 threads", kernel.launch(1, 2048, 1, 1, x, x));
}

TEST_P(WrongLaunches, AnEmptyOrNegativeGridIsAnError) {
  EXPECT_ERROR(Argument, "the grid has an extent of 0", kernel.launch(0, 1, 1, 1, x, x));
  EXPECT_ERROR(Argument, "the grid has an extent of -1", kernel.launch(-1, 1, 1, 1, x, x));
}

TEST_P(WrongLaunches, TooMuchSharedMemoryIsAnError) {
  heddle::Launch how{1, 1};
  how.dynamicSharedBytes = 1 << 30;
  EXPECT_ERROR(Argument, "shared memory of", kernel.launch(how, 1, 1, x, x));
}

TEST_P(WrongLaunches, ObjectsOfAnotherDeviceAreAnError) {
  Device other = device.isCpu() ? Device::all().front() : Device::cpu();
  if (other == device)
    GTEST_SKIP() << "there is no other device";
  Buffer<float> y(other, 4);
  EXPECT_ERROR(Argument, "the buffer is on " + other.name(), kernel.launch(1, 1, 1, 1, x, y));
  heddle::Stream stream(other);
  heddle::Launch how{1, 1};
  how.stream = &stream;
  EXPECT_ERROR(Argument, "the stream is on " + other.name(), kernel.launch(how, 1, 1, x, x));
  EXPECT_ERROR(Argument, "the stream is on", x.fillBytes(0, stream));
}

TEST_P(WrongLaunches, ACopyOutsideABufferIsAnError) {
  EXPECT_ERROR(Argument, "the buffer has 16 bytes", x.copyFrom({1, 2, 3, 4, 5}));
  float value;
  EXPECT_ERROR(Argument, "the buffer has 16 bytes", x.copyTo(&value, 1, 4));
}

TEST_P(WrongLaunches, ExhaustedMemoryIsAnError) {
  EXPECT_ERROR(Memory, "", Buffer<double>(device, size_t(1) << 60));
  EXPECT_ERROR(Memory, "", Buffer<double>(device, SIZE_MAX));
}

TEST(Devices, AMissingGpuIsAnError) {
  EXPECT_ERROR(Argument, "there is no GPU 999", Device::cuda(999));
}

TEST(Devices, TheCpuIsTheLastDevice) {
  EXPECT_TRUE(Device::cpu().isCpu());
  EXPECT_EQ(Device::all().back(), Device::cpu());
  EXPECT_GT(Device::cpu().memory().total, 0u);
  EXPECT_TRUE(Device::cpu().attribute("MULTIPROCESSOR_COUNT"));
  EXPECT_FALSE(Device::cpu().attribute("NO_SUCH_THING"));
}

/// On the CPU only, because an assertion ends a GPU's context with some drivers.
TEST(Kernels, AnAssertionIsThrownByTheNextWait) {
  Device device = Device::cpu();
  Module module(device, "#include <cassert>\n__global__ void k(int n) { assert(n < 3); }");
  module.function("k").launch(1, 1, 5);
  EXPECT_ERROR(Kernel, "n < 3", device.synchronize());
  module.function("k").launch(1, 1, 1);
  device.synchronize();
}

} // namespace
