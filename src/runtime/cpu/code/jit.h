// Links object files into this process.
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

/// The process's JIT. Objects can call only the functions of runtime_symbols.h and host_functions.h, and SLEEF. They
/// cannot see each other.
///
/// Created for the first object and never destroyed, because workers may run its code until the process ends. If a
/// fault interrupts the JIT, its state is unknown: its code stays loaded, and the next object gets a new JIT.
class Jit {
public:
  /// Loaded code of an object.
  class Code {
  public:
    Code() = default;
    /// Unloads the code, or leaves it loaded on failure. Throws nothing.
    void unload();

  private:
    friend class Jit;
    Code(Jit &jit, llvm::orc::JITDylib &library) : jit_(&jit), library_(&library) {}
    Jit *jit_ = nullptr;
    llvm::orc::JITDylib *library_ = nullptr;
  };

  struct Linked {
    Code code;
    std::vector<void *> addresses; ///< addresses of the requested symbols, in order
  };
  /// Links an object and looks up `symbols`. Throws CompileError (Internal) and removes the object if it does not link
  /// or if this host has no JIT. The functions in `own` take precedence over the runtime's for this object.
  static Linked link(std::unique_ptr<llvm::MemoryBuffer> object,
                     const std::vector<std::string> &symbols,
                     llvm::ArrayRef<HostFunction> own = {});

  /// Held while a thread uses a JIT. A fork acquires it before the scheduler's mutex.
  static std::mutex &mutex();

private:
  Jit();
  Linked linkObject(std::unique_ptr<llvm::MemoryBuffer> object,
                    const std::vector<std::string> &symbols, llvm::ArrayRef<HostFunction> own);

  /// Stops linking into this JIT: the next object gets a new one. Called with the mutex held.
  void stopUsingForNewObjects();

  bool abandoned_ = false;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  llvm::orc::JITDylib *host_ = nullptr;
  uint64_t serial_ = 0;
  std::string cause_; ///< the session's first error for the code being linked
};

} // namespace heddle::cpu
