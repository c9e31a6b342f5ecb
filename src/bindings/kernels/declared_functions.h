// Functions declared in Python and defined in CUDA C++, C or LLVM IR, as Python objects.
#pragma once

#include "bindings/types/types.h"
#include "frontend/cuda/options.h"
#include "frontend/python/syntax/foreign_code.h"
#include "frontend/python/syntax/syntax.h"
#include "simt/ir/owned_module.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// CUDA C++ source with device functions for Python kernels.
class CudaSource final : public python::ForeignCode {
public:
  /// `others` is the text of all sources that this source is linked with; it may call their functions. Throws
  /// CompileError (Value) for unknown options.
  CudaSource(std::string source, std::string name, std::vector<std::string> options,
             std::string others);
  CudaSource(const CudaSource &) = delete;

  /// Called and returns with the GIL.
  const python::ForeignLibrary &getOrCompileFor(Architecture architecture) override;

private:
  python::ForeignLibrary compile(Architecture architecture) const;

  std::string source_, name_, others_;
  cudacpp::Options options_;
  std::map<Architecture, python::ForeignLibrary> compiled_;
};

/// A function in LLVM IR that a program built with `intrinsic`.
class IrFunction final : public python::ForeignCode {
public:
  /// `text` is a module that defines `symbol`; `name` is the name in the program. Throws CompileError (Lowering) if
  /// LLVM cannot parse the module.
  IrFunction(std::string text, std::string symbol, std::string name);

  const python::ForeignLibrary &getOrCompileFor(Architecture architecture) override;

private:
  python::ForeignLibrary makeLibrary(const simt::OwnedModule &code) const;

  std::string text_, symbol_, name_;
  std::optional<python::ForeignLibrary> forDevices_;
  python::ForeignLibrary forHost_;
};

/// A function that compiled code calls and that is defined elsewhere.
class DeclaredFunction {
public:
  /// `code` is a list of CudaSource. `numba`: the function uses numba's calling convention. `file`, `line` and `text`
  /// describe the declaration. Throws TypeError if no C++ function can have the signature.
  DeclaredFunction(std::string name, const Signature &signature, bool numba, nanobind::list code,
                   std::string file, unsigned line, std::string text);

  /// Declares the C function at `address` for host functions. `symbol` is its unique name in the runtime.
  static std::unique_ptr<DeclaredFunction> fromC(const std::string &name,
                                                 const Signature &signature,
                                                 const std::string &symbol, uintptr_t address);

  /// Declares a function in LLVM IR for kernels and host functions. `names` are its parameter names, for keyword
  /// arguments.
  static std::unique_ptr<DeclaredFunction>
  fromIr(const std::string &name, const Signature &signature, const std::string &symbol,
         const std::string &text, const std::vector<std::string> &names);
  DeclaredFunction(const DeclaredFunction &) = delete;

  python::FunctionSource &source() { return source_; }
  const Signature &signature() const { return signature_; }

private:
  DeclaredFunction(std::string name, const Signature &signature, std::string file, unsigned line,
                   std::string text);

  Signature signature_;
  std::unique_ptr<IrFunction> ir_;
  nanobind::list code_; ///< keeps the sources alive
  python::FunctionSource source_;
};

/// Converts a list of CudaSource objects. The list must outlive the result.
std::vector<python::ForeignCode *> toForeignCode(nanobind::handle sources);

void bindDeclaredFunctions(nanobind::module_ &m);

} // namespace heddle
