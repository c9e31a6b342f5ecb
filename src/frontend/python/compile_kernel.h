// The front end's way in: a Python function and its argument types become a SIMT module.
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
  std::vector<bool> written;        ///< per parameter: whether its array may be changed
  bool checksAccesses = false;      ///< no thread accesses memory outside of its arrays
  std::vector<Diagnostic> warnings; ///< what to tell of it, once for each place
  std::string types;                ///< every reached function with its types, as text
  /// The arrays in a device's memory that the functions name.
  std::vector<std::shared_ptr<DeviceArrayPlace>> named;
};

/// Compiles `source` as a kernel for these arguments. `checks`: what its code looks for.
/// `device` completes messages ("compiling k(...) for cpu"). Functions that are only declared come from what `linked`
/// has. Throws CompileError.
CompiledKernel compileKernel(FunctionSource &source, const std::vector<KernelArgument> &arguments,
                             const Checks &checks, const std::string &device,
                             const LinkedCode &linked = {});

struct CompiledFunction {
  simt::OwnedModule code; ///< valid SIMT IR with one exported function
  Type result;
  std::vector<Diagnostic> warnings;
};

/// Compiles `source` as a device function that code outside the module calls by `name`, with C's conventions: a bool is
/// a byte, a tuple a structure, an array its pointer, extents and strides in parameters of their own. The rest as
/// compileKernel.
CompiledFunction compileFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                 const std::string &name, const Checks &checks,
                                 const std::string &device, const LinkedCode &linked = {});

/// A function of the host: plain LLVM IR.
struct CompiledHostFunction {
  simt::OwnedModule
      code;          ///< calls the operations for math, traps and prints of SIMT IR, and no others
  std::string entry; ///< see ModuleEmitter::emitHostEntry
  Type result;
  std::optional<Constant> resultConstant; ///< what of the result exists while compiling only
  size_t resultSlots = 0;                 ///< for the parts of the result
  size_t resultOwners = 0;                ///< which follow them, a slot each
  std::map<unsigned, std::vector<Constant>> raised; ///< the arguments of exceptions, by site
  bool sharesLoops = false;                         ///< whether several threads run some loop of it
  bool keepsArguments =
      false; ///< whether containers of numba.typed may keep what it is called with
  std::vector<Diagnostic> warnings;
  std::string types; ///< every reached function with its types, as text
  std::vector<ParallelNote>
      parallel; ///< what became of its loops over prange and its array expressions
};

/// Compiles `source` for calls by a Python program with these arguments. `declared` is the type that the program wants
/// returned, unknown where it says nothing. The rest as compileKernel.
CompiledHostFunction compileHostFunction(FunctionSource &source, const std::vector<Type> &arguments,
                                         Type declared, Checks checks);

/// A module with the function `name` by which C calls a function of the host of these types. Throws CompileError where C
/// has no such function; `source` is named in it.
simt::OwnedModule compileEntryFromC(const FunctionSource &source, llvm::ArrayRef<Type> arguments,
                                    Type result, const std::string &name);

} // namespace heddle::python
