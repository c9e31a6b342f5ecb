// An entry point of compiled code with the C calling convention.
#pragma once

#include "runtime/cpu/code/jit.h"
#include "simt/ir/owned_module.h"

#include <cstdint>
#include <string>

namespace heddle::host {

/// Calls a host function for a C caller; `of` identifies the function. Thread-safe.
using CallFromC = void (*)(void *of, const uint64_t *arguments, uint64_t *results);

class EntryFromC {
public:
  /// Compiles and links `code`, which defines the function `name` for C callers. That function passes `of` and its
  /// slots to `call` (simt::callFromCFunction). Throws CompileError.
  EntryFromC(simt::OwnedModule code, const std::string &name, CallFromC call, void *of);
  EntryFromC(const EntryFromC &) = delete;
  EntryFromC &operator=(const EntryFromC &) = delete;
  ~EntryFromC() { code_.unload(); }

  void *address() const { return address_; }
  const std::string &llvmIr() const { return llvmIr_; }

private:
  cpu::Jit::Code code_;
  void *address_;
  std::string llvmIr_;
};

} // namespace heddle::host
