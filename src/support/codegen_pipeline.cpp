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
/// The most edges between blocks that the register allocator looks at to find where one value is better kept in memory. With
/// its own limit, ten times this one, a function of 800 loops takes half a minute.
constexpr unsigned mostEdges = 1000;

} // namespace

bool addCodeGeneration(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &out,
                       CodeGenFileType type) {
  // Read while a pipeline is built.
  [[maybe_unused]] static const bool set = [] {
    setOption("disable-lsr", true);
    setOption("dag-maps-huge-region", mostOrdered);
    setOption("grow-region-complexity-budget", mostEdges);
    return true;
  }();
  return !target.addPassesToEmitFile(passes, out, nullptr, type);
}

} // namespace heddle
