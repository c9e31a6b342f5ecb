// The driver's share of the time of a launch: cuLaunchKernel for a vector add of 256 elements, called from C++ with
// everything prepared. The rest of a library's launch time is its own. gpu_raw_kernels.py compiles it to a shared
// library, without a toolkit.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

namespace {

constexpr unsigned elements = 256;

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

struct Launcher {
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *, void **, void **) = nullptr;
  void *kernel = nullptr;
  unsigned long long arrays[3] = {};
  int n = elements;
} launcher;

void *executable = nullptr; ///< the graph of prepareGraph()
int (*runGraph)(void *, void *) = nullptr;

template <class... Arguments> int call(void *driver, const char *name, Arguments... arguments) {
  auto *function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  int result = function ? function(arguments...) : -1;
  if (result)
    std::fprintf(stderr, "%s: error %d\n", name, result);
  return result;
}

} // namespace

/// Returns true if launches are possible; otherwise prints the reason to stderr.
extern "C" bool prepare() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    std::fprintf(stderr, "there is no driver: %s\n", dlerror());
    return false;
  }
  int device = 0;
  void *context = nullptr, *module = nullptr;
  if (call(driver, "cuInit", 0u) || call(driver, "cuDeviceGet", &device, 0) ||
      call(driver, "cuDevicePrimaryCtxRetain", &context, device) ||
      call(driver, "cuCtxSetCurrent", context) ||
      call(driver, "cuModuleLoadData", &module, vectorAdd) ||
      call(driver, "cuModuleGetFunction", &launcher.kernel, module, "vector_add"))
    return false;
  for (unsigned long long &array : launcher.arrays)
    if (call(driver, "cuMemAlloc_v2", &array, elements * sizeof(float)))
      return false;
  launcher.launch = reinterpret_cast<decltype(launcher.launch)>(dlsym(driver, "cuLaunchKernel"));
  return launcher.launch;
}

extern "C" void launch(int count) {
  auto &[function, kernel, arrays, n] = launcher;
  void *parameters[] = {&arrays[0], &arrays[1], &arrays[2], &n};
  for (int i = 0; i < count; ++i)
    function(kernel, 1, 1, 1, elements, 1, 1, 0, nullptr, parameters, nullptr);
}

/// Captures `count` launches as a graph, which launchGraph() launches. Returns false if that fails.
extern "C" bool prepareGraph(int count) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *stream = nullptr, *graph = nullptr;
  constexpr unsigned nonBlocking = 1;
  constexpr int relaxed = 2;
  if (call(driver, "cuStreamCreate", &stream, nonBlocking) ||
      call(driver, "cuStreamBeginCapture_v2", stream, relaxed))
    return false;
  auto &[function, kernel, arrays, n] = launcher;
  void *parameters[] = {&arrays[0], &arrays[1], &arrays[2], &n};
  for (int i = 0; i < count; ++i)
    function(kernel, 1, 1, 1, elements, 1, 1, 0, stream, parameters, nullptr);
  if (call(driver, "cuStreamEndCapture", stream, &graph) ||
      call(driver, "cuGraphInstantiateWithFlags", &executable, graph, 0ull))
    return false;
  runGraph = reinterpret_cast<decltype(runGraph)>(dlsym(driver, "cuGraphLaunch"));
  return runGraph;
}

extern "C" void launchGraph() { runGraph(executable, nullptr); }
