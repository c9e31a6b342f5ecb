// Functions of the host as Python objects: compiled for the types that they are called with, then called.
#pragma once

#include "bindings/source/python_function.h"
#include "bindings/types/types.h"
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
struct HostVariant {
  std::vector<python::KernelArgument> arguments;
  bool declared =
      false; ///< made for a signature that the user wrote: arguments are converted to it
  python::Type result;
  std::optional<python::Constant>
      resultConstant;      ///< what of the result exists while compiling only
  size_t resultSlots = 0;  ///< for the parts of the result
  size_t resultOwners = 0; ///< which follow them, a slot each
  std::unique_ptr<host::HostModule> module;
  /// The arguments of exceptions, by site: values of run time are Unknown, of a type.
  std::map<unsigned, std::vector<python::Constant>> raised;
  bool sharesLoops = false;                   ///< several threads run some loop of it
  bool keepsArguments = false;                ///< typed containers may keep them
  std::string typedSource;                    ///< what inspect_types prints
  std::vector<python::ParallelNote> parallel; ///< what parallel_diagnostics prints
};

/// A function decorated with njit.
class HostFunction : public PythonFunction {
public:
  /// `options`: fastmath, cache, nogil, boundscheck, opt, debug, parallel and zero_division, a bool each; locals, types by
  /// variable.
  HostFunction(nanobind::object function, nanobind::dict options);

  /// `function(*positional, **named)`; `named` may be null.
  nanobind::object call(nanobind::handle positional, nanobind::handle named);

  /// Compiles for a signature that the user wrote.
  HostVariant &declare(const Signature &signature);
  /// Calls take the declared signatures only; whether that is so.
  void disableCompile(bool disabled) { mayCompile_ = !disabled; }
  /// Forgets what was compiled, and the source: globals are looked up anew.
  void recompile();
  const std::vector<std::unique_ptr<HostVariant>> &variants() const { return variants_; }
  /// Resumes a generator that a variant has returned. `keeper` takes over what a call that raises has made.
  host::Outcome resume(const HostVariant &variant, host::Owner &generator,
                       simt::GeneratorStep &step, host::CallMemory &keeper);
  /// A call that returns a dict or a set: its memory, with a reference, and its type.
  std::pair<host::Owner *, python::Type> makeTable(ArgumentList &arguments);
  /// Throws the exception by which a call has ended.
  [[noreturn]] void raise(const HostVariant &variant, const host::Outcome &outcome);

protected:
  /// What is compiled for a signature that the user wrote.
  std::unique_ptr<HostVariant> makeDeclared(const Signature &signature);

private:
  /// A call with values of the last call's types, of a function that returns no memory; null where it is another.
  nanobind::object callAgain(nanobind::handle positional, nanobind::handle named);
  /// `keeper` takes over what a call that raises has made.
  host::Outcome run(const HostVariant &variant, const uint64_t *arguments, uint64_t *results,
                    host::CallMemory *keeper = nullptr);
  HostVariant &variantFor(ArgumentList &arguments);
  /// Has the argument be one value alone, where that may be; whether it is.
  static bool makeLiteral(ArgumentList &arguments, size_t number);
  HostVariant *declaredFor(const ArgumentList &arguments);
  HostVariant *compiledFor(llvm::ArrayRef<python::KernelArgument> arguments);
  HostVariant &compile(const std::vector<python::Type> &arguments, python::Type result,
                       bool declared);
  std::unique_ptr<HostVariant> makeVariant(const std::vector<python::Type> &arguments,
                                           python::Type result);

  CompileOptions options_;
  python::Checks checks_;
  bool releasesGil_;
  bool mayCompile_ = true;
  std::set<size_t> literal_; ///< the arguments for whose values it is compiled
  std::vector<Signature> signatures_;
  std::vector<std::unique_ptr<HostVariant>> variants_;
  std::vector<std::unique_ptr<HostVariant>> forgotten_; ///< whose generators may still run
  HostVariant *last_ = nullptr; ///< of a call; the next is most likely for it, too
};

void bindHostFunctions(nanobind::module_ &m);

} // namespace heddle
