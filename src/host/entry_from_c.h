// How C enters compiled code: a function with C's calling convention.
#pragma once

#include "runtime/cpu/code/jit.h"
#include "simt/ir/owned_module.h"

#include <cstdint>
#include <string>

namespace heddle::host {

/// Makes a call from C: `of` says of what. May be called by any thread.
using CallFromC = void (*)(void *of, const uint64_t *arguments, uint64_t *results);

class EntryFromC {
public:
  /// `code` has the function `name`, which makes its calls by `call` (simt::callFromCFunction). Throws CompileError.
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
