#include "runtime/cuda/driver/driver.h"

#include "support/os/files.h"
#include "support/os/shared_library.h"
#include "support/os/threads.h"

#include <atomic>
#include <cstdlib>

namespace heddle::cuda {

namespace {

std::atomic<bool> initialized{false};
enum class Usable : uint8_t { Yes, NotInForkedChild, NotAfterCrash };
std::atomic<Usable> usable{Usable::Yes};
std::atomic<bool> ending{false};

/// cuGetProcAddress_v2, the CUDA 12 variant.
using GetProcAddress = CUresult (*)(const char *name, void **function, int version, uint64_t flags,
                                    int *status);
/// Stream 0 is the legacy default stream (CU_GET_PROC_ADDRESS_LEGACY_STREAM).
constexpr uint64_t legacyDefaultStream = 1;

std::string formatCudaVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void *findDriverFunction(GetProcAddress get, const char *name, int version) {
  void *function = nullptr;
  int status = 0;
  if (get(name, &function, version, legacyDefaultStream, &status) != result::success)
    return nullptr;
  return function;
}

/// Fills the function table. Returns the name of the first missing function, or an empty string.
std::string resolveFunctionsOrNameMissing(Driver &driver, GetProcAddress get) {
  std::string missing;
#define HEDDLE_CUDA_OPTIONAL(name, version, parameters)                                            \
  driver.name = reinterpret_cast<decltype(driver.name)>(findDriverFunction(get, #name, version));
#define HEDDLE_CUDA_FUNCTION(name, version, parameters)                                            \
  HEDDLE_CUDA_OPTIONAL(name, version, parameters)                                                  \
  if (!driver.name && missing.empty())                                                             \
    missing = #name;
#include "runtime/cuda/driver/functions.def"
  return missing;
}

/// Describes a driver without cuGetProcAddress_v2 by its version.
std::string describeOldDriver(void *library) {
  int version = 0;
  using GetVersion = CUresult (*)(int *);
  if (auto get = reinterpret_cast<GetVersion>(os::findSymbol(library, "cuDriverGetVersion")))
    get(&version);
  return "the NVIDIA driver " +
         (version ? "supports CUDA " + formatCudaVersion(version) : std::string("is too old")) +
         "; heddle needs a driver for CUDA " + formatCudaVersion(oldestDriver) + " or newer";
}

/// Initializes the driver. Returns the reason if `library` is not usable, else an empty string and a complete `driver`.
std::string initializeDriverOrExplain(void *library, const std::string &path, Driver &driver) {
  auto get = reinterpret_cast<GetProcAddress>(os::findSymbol(library, "cuGetProcAddress_v2"));
  if (!get)
    return describeOldDriver(library);
  std::string missing = resolveFunctionsOrNameMissing(driver, get);
  if (driver.cuDriverGetVersion)
    driver.cuDriverGetVersion(&driver.version);
  if (driver.version && driver.version < oldestDriver)
    return describeOldDriver(library);
  if (!missing.empty())
    return "the NVIDIA driver (" + path + ") has no function " + missing;
  initialized = true;
  if (CUresult failed = driver.cuInit(0))
    return "the NVIDIA driver does not start: cuInit: " + driver.nameOfErrorCode(failed) + " (" +
           std::to_string(failed) + "): " + driver.descriptionOfErrorCode(failed);
  return "";
}

struct Loaded {
  Driver driver;
  std::string whyNot;

  Loaded() {
    std::string named = os::pathFromEnvironment("HEDDLE_LIBCUDA");
    std::string path = named.empty() ? "libcuda.so.1" : named;
    std::string error;
    void *library = os::loadSharedLibrary(path, error);
    if (!library) {
      whyNot = "there is no NVIDIA driver: " + error;
      return;
    }
    os::atFork(nullptr, nullptr, [] {
      if (initialized)
        usable = Usable::NotInForkedChild;
    });
    whyNot = initializeDriverOrExplain(library, path, driver);
    // Registered after libcuda's exit handlers, so that it runs before them.
    std::atexit([] { ending = true; });
  }
};

} // namespace

std::string Driver::nameOfErrorCode(CUresult code) const {
  const char *text = nullptr;
  if (!cuGetErrorName || cuGetErrorName(code, &text) != result::success || !text)
    return "CUDA error " + std::to_string(code);
  return text;
}

std::string Driver::descriptionOfErrorCode(CUresult code) const {
  const char *text = nullptr;
  if (!cuGetErrorString || cuGetErrorString(code, &text) != result::success || !text)
    return "the driver knows no more about it";
  return text;
}

const Driver *loadDriver(std::string &whyNot) {
  // Never destroyed: destructors of static objects still use it.
  static const auto *loaded = new Loaded;
  whyNot = loaded->whyNot;
  return whyNot.empty() ? &loaded->driver : nullptr;
}

void recordCrashAndSkipExitHandlers() {
  if (usable.exchange(Usable::NotAfterCrash) == Usable::NotAfterCrash)
    return;
  // Registered after libcuda's exit handlers, so that it runs before them.
  os::atExitWithStatus([](int status) { os::endProcess(status); });
}

bool hasDriverCrashed() { return usable.load(std::memory_order_relaxed) == Usable::NotAfterCrash; }

bool isForkedChild() { return usable.load(std::memory_order_relaxed) == Usable::NotInForkedChild; }

bool isDriverUnusable() { return usable.load(std::memory_order_relaxed) != Usable::Yes; }

bool isExiting() { return ending.load(std::memory_order_relaxed); }

} // namespace heddle::cuda
