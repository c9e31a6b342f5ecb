// Functions that Python declares and CUDA C++ or C defines, as Python objects.
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

/// CUDA C++ whose device functions kernels in Python call.
class CudaSource final : public python::ForeignCode {
public:
  /// `others`: the sources that it is linked with, whose functions it may call, as one text. Throws CompileError (Value)
  /// for unknown options.
  CudaSource(std::string source, std::string name, std::vector<std::string> options,
             std::string others);
  CudaSource(const CudaSource &) = delete;

  /// Called and returns with the GIL.
  const python::ForeignLibrary &compiledFor(unsigned architecture) override;

private:
  python::ForeignLibrary compile(unsigned architecture) const;

  std::string source_, name_, others_;
  cudacpp::Options options_;
  std::map<unsigned, python::ForeignLibrary> compiled_;
};

/// A function in LLVM IR that a program's `intrinsic` has built.
class IrFunction final : public python::ForeignCode {
public:
  /// `text`: a module that defines `symbol`; `name`: what programs call it. Throws CompileError (Lowering) for what LLVM
  /// does not read.
  IrFunction(std::string text, std::string symbol, std::string name);

  const python::ForeignLibrary &compiledFor(unsigned architecture) override;

private:
  python::ForeignLibrary libraryOf(const simt::OwnedModule &code) const;

  std::string text_, symbol_, name_;
  std::optional<python::ForeignLibrary> forDevices_;
  python::ForeignLibrary forHost_;
};

/// A function that is called by compiled code and defined elsewhere.
class DeclaredFunction {
public:
  /// `code`: a list of CudaSource. `file` and `line`: where it is declared, whose text is `text`. Throws TypeError for a
  /// signature that no function of C++ has.
  DeclaredFunction(std::string name, const Signature &signature, bool numba, nanobind::list code,
                   std::string file, unsigned line, std::string text);

  /// The C function at `address`, for functions of the host: the runtime has it as `symbol`, which names no other one.
  static std::unique_ptr<DeclaredFunction> ofC(const std::string &name, const Signature &signature,
                                               const std::string &symbol, uintptr_t address);

  /// The function that LLVM IR defines, for kernels and functions of the host. names: its parameters', for calls that
  /// name arguments.
  static std::unique_ptr<DeclaredFunction> ofIr(const std::string &name, const Signature &signature,
                                                const std::string &symbol, const std::string &text,
                                                const std::vector<std::string> &names);
  DeclaredFunction(const DeclaredFunction &) = delete;

  python::FunctionSource &source() { return source_; }
  const Signature &signature() const { return signature_; }

private:
  DeclaredFunction(std::string name, const Signature &signature, std::string file, unsigned line,
                   std::string text);

  Signature signature_;
  std::unique_ptr<IrFunction> ir_;
  nanobind::list code_; ///< keeps what the declaration names
  python::FunctionSource source_;
};

/// The ForeignCode of a list of CudaSource, which keeps it.
std::vector<python::ForeignCode *> codeOf(nanobind::handle sources);

void bindDeclaredFunctions(nanobind::module_ &m);

} // namespace heddle
