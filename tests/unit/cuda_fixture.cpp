#include "cuda_fixture.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <thread>

namespace heddle::test {

namespace {

/// Runs before devices are listed. A test that restarts this program may have set other values.
const bool prepared = [] {
  setenv("HEDDLE_LIBCUDA", HEDDLE_FAKE_CUDA, 0);
  setenv("FAKE_CUDA_DEVICES", "4", 0);
  setenv("FAKE_CUDA_MEMORY", "1073741824", 0);
  unsetenv("HEDDLE_DEVICE");
  return true;
}();

} // namespace

void *fakeFunction(const char *name) {
  static void *library = dlopen(HEDDLE_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : nullptr;
  if (!function)
    throw std::runtime_error(std::string("the fake driver has no ") + name);
  return function;
}

Device &gpu(unsigned index) { return *devices()[index]; }

bool soon(const std::function<bool()> &done) {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace heddle::test
