// Host functions that C can call through an address. Python exceptions do not cross the C frames.
#pragma once

#include "bindings/host/host_function.h"
#include "host/entry_from_c.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

namespace heddle {

/// A function decorated with cfunc.
class CFunction : public HostFunction {
public:
  /// Compiles the function for C; `name` is the symbol of the entry point in LLVM IR. Throws CompileError.
  CFunction(nanobind::object function, nanobind::dict options, const Signature &signature,
            const std::string &name);

  /// The C address. It stays valid until the process ends, because C code may call it at any time.
  uintptr_t keepAliveAndGetAddress();
  /// The IR of the entry point and of the function that it calls.
  std::string llvmIr() const { return entry_->llvmIr() + "\n" + entered_->module->llvmIr(); }
  bool fromCache() const { return entered_->module->fromCache(); }

private:
  static void callFromC(void *of, const uint64_t *arguments, uint64_t *results);
  /// Reports an exception that cannot propagate into C.
  void reportUnraisable(const host::Outcome &outcome);

  HostVariant *entered_; ///< the variant for the signature
  std::unique_ptr<host::EntryFromC> entry_;
  bool isKept_ = false;
};

void bindCFunctions(nanobind::module_ &m);

} // namespace heddle
