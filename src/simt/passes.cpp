#include "simt/passes.h"

#include "simt/inline_device_functions.h"
#include "simt/relax_floats.h"
#include "simt/verifier.h"

#include "llvm/Passes/PassBuilder.h"

namespace heddle::simt {

using namespace llvm;

void registerPasses(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
#define SIMT_MODULE_PASS(NAME, CREATE)                                                             \
  if (name == NAME) {                                                                              \
    passes.addPass(CREATE);                                                                        \
    return true;                                                                                   \
  }
#define SIMT_FUNCTION_PASS(NAME, CREATE)                                                           \
  if (name == NAME) {                                                                              \
    passes.addPass(createModuleToFunctionPassAdaptor(CREATE));                                     \
    return true;                                                                                   \
  }
#include "simt/passes.def"
        return false;
      });
}

} // namespace heddle::simt
