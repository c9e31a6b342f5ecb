// Functions of the host that C calls, too: an address, which Python's exceptions do not pass.
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
  /// Compiles for C; `name` is that of the entry in LLVM IR. Throws CompileError.
  CFunction(nanobind::object function, nanobind::dict options, const Signature &signature,
            const std::string &name);

  /// What C calls, from now on until the process ends: nobody knows when C calls it last.
  uintptr_t address();
  /// That of the entry, and of what it enters.
  std::string llvmIr() const { return entry_->llvmIr() + "\n" + entered_->module->llvmIr(); }
  bool fromCache() const { return entered_->module->fromCache(); }

private:
  static void callFromC(void *of, const uint64_t *arguments, uint64_t *results);
  /// Tells of the exception by which a call has ended: C cannot be given it.
  void report(const host::Outcome &outcome);

  std::unique_ptr<HostVariant> entered_;
  std::unique_ptr<host::EntryFromC> entry_;
  bool isKept_ = false;
};

void bindCFunctions(nanobind::module_ &m);

} // namespace heddle
