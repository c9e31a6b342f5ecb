#include "bindings/kernels/kernel_names.h"

#include "support/compiler_run.h"

#include "llvm/Demangle/Demangle.h"

#include <cstdlib>
#include <memory>

namespace heddle {

std::string kernelNameOfSymbol(const std::string &symbol) {
  std::string name = symbol;
  runGuardedCompiler([&] { // because LLVM aborts if memory is exhausted
    llvm::ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(symbol.c_str()))
      return;
    std::unique_ptr<char, decltype(&std::free)> text(demangler.getFunctionName(nullptr, nullptr),
                                                     std::free);
    if (text)
      name = text.get();
  });
  return name;
}

} // namespace heddle
