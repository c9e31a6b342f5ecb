// Host functions as Python objects: compiled for the argument types of a call, then called.
#pragma once

#include "bindings/dispatch/base_dispatcher.h"
#include "frontend/python/emit/checks.h"
#include "frontend/python/emit/parallel/parallel_report.h"
#include "host/memory.h"
#include "host/module.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// A function compiled for one list of argument types.
struct HostVariant : BaseVariant {
  std::optional<python::Constant> resultConstant; ///< compile-time part of the result
  size_t resultSlots = 0;                         ///< slots of the result's parts
  size_t resultOwners = 0;                        ///< one slot each, after the parts
  std::unique_ptr<host::HostModule> module;
  /// The arguments of exceptions, by site. Run-time values are Unknown, with a type.
  std::map<unsigned, std::vector<python::Constant>> raised;
  bool sharesLoops = false;                   ///< several threads run some of its loops
  bool keepsArguments = false;                ///< typed containers may keep the arguments
  std::vector<python::ParallelNote> parallel; ///< output of parallel_diagnostics
};

/// A function decorated with njit.
class HostFunction : public BaseDispatcher {
public:
  /// `options` holds bools (fastmath, cache, nogil, boundscheck, opt, debug, parallel, zero_division) and `locals`, a
  /// dict of types by variable name.
  HostFunction(nanobind::object function, nanobind::dict options);

  /// Calls `function(*positional, **named)`; `named` may be null.
  nanobind::object call(nanobind::handle positional, nanobind::handle named);

  HostVariant *compileDeclared(const Signature &signature) override;
  /// Compiles all variants again, with the current globals.
  void recompile() override;
  /// Resumes a generator that a variant has returned. On an exception, `keeper` takes over the memory of the call.
  host::Outcome resumeGenerator(const HostVariant &variant, host::Owner &generator,
                                simt::GeneratorStep &step, host::CallMemory &keeper);
  /// Makes a dict or a set by calling this function, which converts `argument`. Returns a reference to the container,
  /// and its type.
  std::pair<host::Owner *, python::Type> makeDictOrSet(python::Type argument, uint64_t slot);
  /// Throws the exception that ended a call.
  [[noreturn]] void raise(const HostVariant &variant, const host::Outcome &outcome);

private:
  /// Calls the function on a fast path, for arguments with the types of the last call and a result without memory.
  /// Returns null if the fast path does not apply.
  nanobind::object tryCallFast(nanobind::handle positional, nanobind::handle named);
  /// On an exception, `keeper` takes over the memory of the call.
  host::Outcome runVariant(const HostVariant &variant, const uint64_t *arguments, uint64_t *results,
                           host::CallMemory *keeper = nullptr);
  HostVariant &findOrCompileVariant(ArgumentList &arguments);
  /// Converts the arguments to the types of the best declared variant, and returns that variant. Throws if there is
  /// none.
  HostVariant &convertToDeclaredVariant(ArgumentList &arguments);
  /// Makes the argument a compile-time constant, if its type allows that. Returns true on success.
  static bool tryMakeConstantArgument(ArgumentList &arguments, size_t number);
  HostVariant &compileAndAddVariant(const std::vector<python::Type> &arguments, python::Type result,
                                    bool declared);
  std::unique_ptr<HostVariant> compileVariant(const std::vector<python::Type> &arguments,
                                              python::Type result);

  CompileOptions options_;
  python::Checks checks_;
  bool releasesGil_;
  std::set<size_t> literal_; ///< arguments that are compile-time constants
};

void bindHostFunctions(nanobind::module_ &m);

} // namespace heddle
