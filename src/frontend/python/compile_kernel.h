// The front end's way in: a Python function and its argument types become a SIMT module.
#pragma once

#include "frontend/python/infer.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::python {

struct CompiledSource {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module; ///< valid SIMT IR with one kernel, named `kernel`
  std::string kernel;
  std::vector<bool> written; ///< per parameter: whether its array may be changed
  std::string types;         ///< every reached function with its types, as text
};

/// Compiles `source` as a kernel for arguments of these types. With `debug`, indices and divisors are checked.
/// `device` completes messages ("compiling k(...) for cpu"). Throws CompileError.
CompiledSource compileKernel(FunctionSource &source, const std::vector<Type> &arguments, bool debug,
                             const std::string &device);

} // namespace heddle::python
