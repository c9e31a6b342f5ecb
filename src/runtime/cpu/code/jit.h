// Object files become code of this process.
#pragma once

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace heddle::cpu {

/// The process's one JIT. Objects see the functions of runtime_symbols.def and nothing else of the process, and each
/// object is apart from all others.
class Jit {
public:
  /// Made at the first call and never destroyed: workers may run its code until the process ends.
  /// Throws CompileError (Internal) when this host has no JIT.
  static Jit &instance();
  static Jit *instanceIfMade();

  struct Linked {
    llvm::orc::JITDylib *code;
    std::vector<void *> addresses; ///< of the symbols asked for, in order
  };
  /// Throws CompileError (Internal) when the object does not link; nothing of it remains then.
  Linked link(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<std::string> &symbols);
  void unload(llvm::orc::JITDylib &code);

  /// For fork: no other thread is inside the JIT while it is held.
  std::mutex &mutex() { return mutex_; }

private:
  Jit();

  std::mutex mutex_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  llvm::orc::JITDylib *host_ = nullptr;
  uint64_t serial_ = 0;
  std::string cause_; ///< what the session reported first of the code being linked
};

} // namespace heddle::cpu
