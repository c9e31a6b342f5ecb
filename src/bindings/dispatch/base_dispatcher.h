// Compiled functions and their variants, which are selected by the types of a call's arguments.
#pragma once

#include "bindings/source/python_function.h"
#include "bindings/types/types.h"
#include "runtime/device.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// A function compiled for one list of argument types. Derived classes add the code.
struct BaseVariant {
  virtual ~BaseVariant() = default;
  Signature signature() const;

  Device *device = nullptr; ///< null for host functions
  std::vector<python::KernelArgument> arguments;
  python::Type result = python::noneType();
  bool declared = false; ///< compiled for a user-declared signature: arguments are converted to it
  std::string typedSource; ///< output of inspect_types
};

/// Base class of kernels, device functions and host functions: owns the variants and the declared signatures.
class BaseDispatcher : public PythonFunction {
public:
  using PythonFunction::PythonFunction;

  /// Compiles a variant for a signature that the user declared. Returns null for a device function, which has no
  /// variants.
  virtual BaseVariant *compileDeclared(const Signature &signature) = 0;
  /// Discards all variants, so that globals are read again.
  virtual void recompile() = 0;
  /// Restricts calls to the declared signatures if `disabled` is true.
  void disableCompile(bool disabled) { mayCompile_ = !disabled; }

  const std::vector<std::unique_ptr<BaseVariant>> &variants() const { return variants_; }

protected:
  /// The variant for exactly these arguments; null if there is none.
  BaseVariant *findCompiledVariant(const Device *device,
                                   llvm::ArrayRef<python::KernelArgument> arguments);
  /// The declared variant that the arguments convert to with the least loss; null if there is none. `isOnly`: see
  /// isAcceptedForDeclaredType().
  BaseVariant *findDeclaredVariant(const Device *device, const ArgumentList &arguments,
                                   bool isOnly) const;
  /// Compiles a variant for the arguments with `make`, and adds it.
  BaseVariant &compileAndAddVariant(Device *device,
                                    const std::vector<python::KernelArgument> &arguments,
                                    bool declared,
                                    llvm::function_ref<std::unique_ptr<BaseVariant>()> make);
  /// Throws CompileError (Type) unless the signature has as many parameters as the function.
  void checkParameterCount(const Signature &signature);
  /// Makes calls from compiled code convert their arguments to one of the signatures.
  void setSignaturesForCalls(const std::vector<Signature> &signatures);
  /// Throws CompileError (Type) if the number of arguments differs from the number of parameters.
  void checkArgumentCount(size_t arguments);
  /// Throws CompileError (Type), because the arguments match none of the signatures. `participle` describes the
  /// signatures in the message: "declared" or "compiled".
  [[noreturn]] void rejectArguments(const ArgumentList &arguments, const std::string &participle,
                                    const std::vector<Signature> &known,
                                    const std::string &hint = {});
  /// Removes and returns all variants. They stay alive, because calls and Python objects may refer to them.
  std::vector<BaseVariant *> discardVariants();

  bool mayCompile_ = true;
  std::vector<Signature> signatures_; ///< declared
  BaseVariant *last_ = nullptr;       ///< used by the last call, and likely by the next

private:
  std::vector<std::unique_ptr<BaseVariant>> variants_;
  std::vector<std::unique_ptr<BaseVariant>> discarded_;
};

std::vector<python::Type> typesOfKernelArguments(llvm::ArrayRef<python::KernelArgument> arguments);
/// Converts argument types to kernel arguments without facts.
std::vector<python::KernelArgument>
kernelArgumentsWithoutFacts(const std::vector<python::Type> &types);

void bindBaseDispatcher(nanobind::module_ &m);

} // namespace heddle
