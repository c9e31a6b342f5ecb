// Object files become code of this process.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm::orc {
class JITDylib;
class LLJIT;
} // namespace llvm::orc

namespace heddle::cpu {

/// The process's JIT. Objects see the functions of runtime_symbols.h and nothing else of the process, and each object
/// is apart from all others.
///
/// It is made for the first object and never destroyed: workers may run its code until the process ends. One whose work
/// was interrupted is in any state: its code stays where it is, and the next object gets a new JIT.
class Jit {
public:
  /// Code that an object became.
  class Code {
  public:
    Code() = default;
    /// Leaves it where it is, if that is what happens. Throws nothing.
    void unload();

  private:
    friend class Jit;
    Code(Jit &jit, llvm::orc::JITDylib &library) : jit_(&jit), library_(&library) {}
    Jit *jit_ = nullptr;
    llvm::orc::JITDylib *library_ = nullptr;
  };

  struct Linked {
    Code code;
    std::vector<void *> addresses; ///< of the symbols asked for, in order
  };
  /// Throws CompileError (Internal) when this host has no JIT or the object does not link; nothing of it remains then.
  /// `own` are functions that this object finds before those of runtime_symbols.h.
  static Linked link(std::unique_ptr<llvm::MemoryBuffer> object,
                     const std::vector<std::string> &symbols,
                     llvm::ArrayRef<HostFunction> own = {});

  /// For fork: no other thread is inside a JIT while it is held.
  static std::mutex &mutex();

private:
  Jit();
  Linked define(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<std::string> &symbols,
                llvm::ArrayRef<HostFunction> own);

  /// Called with the mutex held.
  void abandon();

  bool abandoned_ = false;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  llvm::orc::JITDylib *host_ = nullptr;
  uint64_t serial_ = 0;
  std::string cause_; ///< what the session reported first of the code being linked
};

} // namespace heddle::cpu
