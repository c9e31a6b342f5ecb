// SLEEF's shared library, which is opened when code needs it first.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"

namespace heddle::cpu {

/// The address of a function of SLEEF's, in the library that lies beside the file that holds this code or in the system's;
/// null where it has none of that name. An error if there is no library. The caller holds Jit::mutex().
llvm::Expected<void *> vectorFunction(llvm::StringRef name);

/// Finds SLEEF's functions for the linker.
struct VectorLibrary : llvm::orc::DefinitionGenerator {
  llvm::Error tryToGenerate(llvm::orc::LookupState &state, llvm::orc::LookupKind kind,
                            llvm::orc::JITDylib &library, llvm::orc::JITDylibLookupFlags flags,
                            const llvm::orc::SymbolLookupSet &names) override;
};

} // namespace heddle::cpu
