#include "support/codegen_pipeline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"

#include <mutex>

namespace heddle {

using namespace llvm;

namespace {

template <class T> void setLlvmOption(StringRef name, const T &value) {
  if (auto *option = static_cast<cl::opt<T> *>(cl::getRegisteredOptions().lookup(name)))
    *option = value;
}

/// The scheduler tracks at most this many loads and stores of a block individually.
constexpr unsigned maxOrderedAccesses = 500;
/// The register allocator considers at most this many block edges for region splitting. With LLVM's limit, which is ten
/// times larger, a function with 800 loops takes half a minute.
constexpr unsigned maxSplitEdges = 1000;

} // namespace

bool addCodeGeneration(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &out,
                       CodeGenFileType type, Sinking sinking) {
  // The pipeline constructors read these options.
  [[maybe_unused]] static const bool set = [] {
    setLlvmOption("disable-lsr", true);
    setLlvmOption("dag-maps-huge-region", maxOrderedAccesses);
    setLlvmOption("grow-region-complexity-budget", maxSplitEdges);
    return true;
  }();
  static std::mutex mutex; // the option below differs between modules
  std::scoped_lock lock(mutex);
  setLlvmOption("disable-machine-sink", sinking == Sinking::Off);
  return !target.addPassesToEmitFile(passes, out, nullptr, type);
}

} // namespace heddle
