// The driver's own part of a launch: microseconds of the host per cuLaunchKernel of a vector add of 256 elements, called
// from C++ with everything prepared. What a library takes beyond it is its own. Needs no toolkit:
//
//     c++ -O2 driver_launch.cpp -ldl -o driver_launch && ./driver_launch
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr unsigned elements = 256;
constexpr int launches = 200, repeats = 40; // as gpu_timing.microseconds_per_launch

const char *const vectorAdd = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .s32 n)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .reg .f32 %f<3>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r0, %r0, %r1, %r2;
  ld.param.s32 %r3, [n];
  setp.ge.s32 %p, %r0, %r3;
  @%p ret;
  mul.wide.s32 %d3, %r0, 4;
  ld.param.u64 %d0, [a];
  ld.param.u64 %d1, [b];
  ld.param.u64 %d2, [c];
  add.s64 %d0, %d0, %d3;
  add.s64 %d1, %d1, %d3;
  add.s64 %d2, %d2, %d3;
  ld.global.f32 %f0, [%d0];
  ld.global.f32 %f1, [%d1];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%d2], %f2;
  ret;
}
)";

template <class... Arguments> auto function(void *library, const char *name) {
  auto *found = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  if (!found) {
    std::fprintf(stderr, "the driver has no %s\n", name);
    std::exit(1);
  }
  return found;
}

void check(int result, const char *what) {
  if (result) {
    std::fprintf(stderr, "%s: error %d\n", what, result);
    std::exit(1);
  }
}

} // namespace

int main() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    std::fprintf(stderr, "there is no driver: %s\n", dlerror());
    return 1;
  }
  int device = 0;
  void *context = nullptr, *module = nullptr, *kernel = nullptr;
  check(function<unsigned>(driver, "cuInit")(0), "cuInit");
  check(function<int *, int>(driver, "cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(function<void **, int>(driver, "cuDevicePrimaryCtxRetain")(&context, device),
        "cuDevicePrimaryCtxRetain");
  check(function<void *>(driver, "cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  check(function<void **, const char *>(driver, "cuModuleLoadData")(&module, vectorAdd),
        "cuModuleLoadData");
  check(function<void **, void *, const char *>(driver, "cuModuleGetFunction")(&kernel, module,
                                                                               "vector_add"),
        "cuModuleGetFunction");
  unsigned long long arrays[3];
  for (unsigned long long &array : arrays)
    check(function<unsigned long long *, size_t>(driver, "cuMemAlloc_v2")(&array,
                                                                          elements * sizeof(float)),
          "cuMemAlloc");
  int n = elements;
  void *parameters[] = {&arrays[0], &arrays[1], &arrays[2], &n};
  auto *launch = function<void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void *, void **, void **>(driver, "cuLaunchKernel");
  auto *wait = function<>(driver, "cuCtxSynchronize");

  std::vector<double> microseconds;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      check(launch(kernel, 1, 1, 1, elements, 1, 1, 0, nullptr, parameters, nullptr),
            "cuLaunchKernel");
    std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    check(wait(), "cuCtxSynchronize");
    if (repeat) // the first warms up
      microseconds.push_back(taken.count() / launches);
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + repeats / 2, microseconds.end());
  std::printf("%.3f\n", microseconds[repeats / 2]);
}
