#include "support/codegen_pipeline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"

namespace heddle {

using namespace llvm;

bool addCodeGeneration(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &out,
                       CodeGenFileType type) {
  // Read while a pipeline is built.
  [[maybe_unused]] static const bool disabled = [] {
    auto *option = static_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup("disable-lsr"));
    return option && (*option = true);
  }();
  return !target.addPassesToEmitFile(passes, out, nullptr, type);
}

} // namespace heddle
