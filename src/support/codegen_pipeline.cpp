#include "support/codegen_pipeline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"

#include <mutex>

namespace heddle {

using namespace llvm;

namespace {

/// LLVM's option, read while a pipeline is built.
cl::opt<bool> *disableLoopStrengthReduction() {
  static auto *option =
      static_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup("disable-lsr"));
  return option;
}

} // namespace

bool addCodeGeneration(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &out,
                       CodeGenFileType type, bool loopStrengthReduction) {
  static std::mutex building;
  std::lock_guard lock(building);
  if (cl::opt<bool> *disable = disableLoopStrengthReduction())
    *disable = !loopStrengthReduction;
  return !target.addPassesToEmitFile(passes, out, nullptr, type);
}

} // namespace heddle
