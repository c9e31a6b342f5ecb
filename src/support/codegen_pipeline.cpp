#include "support/codegen_pipeline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"

namespace heddle {

using namespace llvm;

namespace {

template <class T> void setOption(StringRef name, const T &value) {
  if (auto *option = static_cast<cl::opt<T> *>(cl::getRegisteredOptions().lookup(name)))
    *option = value;
}

/// The most loads and stores of a block whose order the scheduler looks at one by one.
constexpr unsigned mostOrdered = 500;

} // namespace

bool addCodeGeneration(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &out,
                       CodeGenFileType type) {
  // Read while a pipeline is built.
  [[maybe_unused]] static const bool set = [] {
    setOption("disable-lsr", true);
    setOption("dag-maps-huge-region", mostOrdered);
    return true;
  }();
  return !target.addPassesToEmitFile(passes, out, nullptr, type);
}

} // namespace heddle
