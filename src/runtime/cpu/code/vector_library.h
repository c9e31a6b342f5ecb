// SLEEF's shared library, which is opened when code needs it first.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"

namespace heddle::cpu {

/// Finds SLEEF's functions: in the library that lies beside the file that holds this code, or in the system's.
class VectorLibrary : public llvm::orc::DefinitionGenerator {
public:
  llvm::Error tryToGenerate(llvm::orc::LookupState &state, llvm::orc::LookupKind kind,
                            llvm::orc::JITDylib &library, llvm::orc::JITDylibLookupFlags flags,
                            const llvm::orc::SymbolLookupSet &names) override;

private:
  void *opened_ = nullptr; ///< for good
};

} // namespace heddle::cpu
