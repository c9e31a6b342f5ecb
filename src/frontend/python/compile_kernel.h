// Entry points of the front end: compile a Python function for given argument types to a SIMT module.
#pragma once

#include "frontend/python/emit/checks.h"
#include "frontend/python/emit/parallel/parallel_report.h"
#include "frontend/python/link/declared_functions.h"
#include "frontend/python/types/launch_facts.h"
#include "simt/ir/owned_module.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

struct CompiledKernel {
  simt::OwnedModule code; ///< valid SIMT IR with one kernel, named `kernel`
  std::string kernel;
  std::vector<bool> written;        ///< per parameter: true if the kernel may write its array
  bool checksAccesses = false;      ///< index checks cover all accesses
  std::vector<Diagnostic> warnings; ///< at most one per source location
  std::string types;                ///< every reachable function with its types, as text
  /// Arrays in device memory that the functions refer to by name.
  std::vector<std::shared_ptr<DeviceArrayPlace>> named;
};

/// Compiles `source` as a kernel for `arguments`. `checks` selects the run-time checks to insert. Error messages end
/// with `device` ("compiling k(...) for cpu"). `linked` defines functions that are only declared. Throws CompileError.
CompiledKernel compileKernel(FunctionSource &source, const std::vector<KernelArgument> &arguments,
                             const Checks &checks, const std::string &device,
                             const LinkedCode &linked = {});

struct CompiledFunction {
  simt::OwnedModule code; ///< valid SIMT IR with one exported function
  Type result;
  std::vector<Diagnostic> warnings;
};

/// Compiles `source` as a device function that code outside the module calls by `name` with the C calling convention. A
/// bool is passed as a byte and a tuple as a structure. An array is passed as separate parameters: pointer, extents,
/// strides. The other parameters are those of compileKernel.
CompiledFunction compileFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                 const std::string &name, const Checks &checks,
                                 const std::string &device, const LinkedCode &linked = {});

/// A compiled host function, as plain LLVM IR.
struct CompiledHostFunction {
  /// Its only SIMT operations are those for math, traps and prints.
  simt::OwnedModule code;
  std::string entry; ///< see ModuleEmitter::emitHostEntry
  Type result;
  /// The parts of the result that exist at compile time only.
  std::optional<Constant> resultConstant;
  size_t resultSlots = 0;                           ///< number of slots for the parts of the result
  size_t resultOwners = 0;                          ///< number of owner slots that follow them
  std::map<unsigned, std::vector<Constant>> raised; ///< exception arguments, by site
  bool sharesLoops = false;                         ///< true if several threads share some loop
  /// True if numba.typed containers may keep an argument.
  bool keepsArguments = false;
  std::vector<Diagnostic> warnings;
  std::string types; ///< every reachable function with its types, as text
  /// The parallelization report for prange loops and array expressions.
  std::vector<ParallelNote> parallel;
};

/// Compiles `source` for calls from a Python program with these arguments. `declared` is the result type that the
/// program requests, or unknown. The other parameters are those of compileKernel.
CompiledHostFunction compileHostFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                         Type declared, Checks checks);

/// Makes a module that defines a C function `name`, which calls a host function with these types. Throws a CompileError
/// that names `source` if C cannot express the types.
simt::OwnedModule compileCCallableEntry(const FunctionSource &source,
                                        llvm::ArrayRef<Type> arguments, Type result,
                                        const std::string &name);

} // namespace heddle::python
