// SLEEF's shared library, opened on first use.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"

namespace heddle::cpu {

/// The address of a SLEEF function; null if SLEEF has no such function. Looks for the library next to this binary, then
/// in the system's library path. Returns an error if there is no library. The caller must hold Jit::mutex().
llvm::Expected<void *> findVectorFunction(llvm::StringRef name);

/// Resolves SLEEF functions for the JIT linker.
struct VectorLibrary : llvm::orc::DefinitionGenerator {
  llvm::Error tryToGenerate(llvm::orc::LookupState &state, llvm::orc::LookupKind kind,
                            llvm::orc::JITDylib &library, llvm::orc::JITDylibLookupFlags flags,
                            const llvm::orc::SymbolLookupSet &names) override;
};

} // namespace heddle::cpu
