// Kernels and device functions as Python objects: compiled for the types that they are launched with, then launched.
#pragma once

#include "bindings/arguments/arguments.h"
#include "bindings/source/python_function.h"
#include "bindings/types/types.h"
#include "frontend/python/emit/checks.h"
#include "frontend/python/link/declared_functions.h"
#include "frontend/python/syntax/syntax.h"
#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// A kernel compiled for one list of arguments on one device.
struct Variant {
  Device *device = nullptr;
  std::vector<python::KernelArgument> arguments;
  bool declared =
      false; ///< made for a signature that the user wrote: arguments are converted to it
  std::shared_ptr<Module> module;
  Kernel *kernel = nullptr;
  bool prints = false;                      ///< it may write to the standard output
  std::vector<bool> written;                ///< per argument: whether its array may be changed
  bool checksAccesses = false;              ///< no thread accesses memory outside of its arrays
  std::string bitcode;                      ///< its SIMT IR
  std::string typedSource;                  ///< what inspect_types prints
  std::vector<std::shared_ptr<void>> named; ///< keeps arrays that the source names
  uint32_t constantBytes = 0;               ///< of the arrays that are part of the code
};

/// A function decorated with cuda.jit.
class Dispatcher : public PythonFunction {
public:
  Dispatcher(nanobind::object function, nanobind::dict options);

  int visitReferences(visitproc visit, void *arg) const;
  void clearReferences();
  const CompileOptions &options() const { return options_; }
  /// Of code for a GPU or for the CPU device.
  python::Checks checks(bool forGpu) const {
    return python::kernelChecks(options_.debug, options_.fastMath != FastMath::None,
                                options_.bounds, !forGpu);
  }
  /// Where functions come from that the kernel calls and Python only declares.
  python::LinkedCode linkedCode(unsigned architecture) const;
  bool isDevice() const { return isDevice_; }

  /// Throws CompileError (Type) for a signature that the function cannot have.
  void checkSignature(const Signature &signature);
  /// Declares the types of a device function, or compiles a kernel ahead of its launches.
  void declare(const Signature &signature);
  /// Has everything compiled anew, as globals are now: what was declared at once, the rest when it is launched.
  void recompile();
  /// Launches take the declared signatures only.
  void disableCompile() { mayCompile_ = false; }

  /// The variant for these arguments: a declared one that they convert to, else the one for exactly their types and
  /// what is known of them, compiled now, for that launch, when there is none.
  Variant &variantFor(Device &device, ArgumentList &arguments, const LaunchExtents &launch);
  const std::vector<std::unique_ptr<Variant>> &variants() const { return variants_; }

private:
  /// Refuses to compile a device function, or a kernel with another number of arguments than it has parameters.
  void checkParameters(size_t arguments);
  Variant &compile(Device &device, const std::vector<python::KernelArgument> &arguments,
                   bool declared, const LaunchExtents &launch);
  std::unique_ptr<Variant> makeVariant(Device &device,
                                       const std::vector<python::KernelArgument> &arguments,
                                       const LaunchExtents &launch);
  Variant *declaredFor(Device &device, const ArgumentList &arguments);
  /// Compiles the declared signatures for a device that was not current when they were declared. False where there is
  /// none left.
  bool declareOn(Device &device);
  Variant *compiledFor(Device &device, llvm::ArrayRef<python::KernelArgument> arguments);

  CompileOptions options_;
  nanobind::list linked_; ///< of CudaSource
  bool isDevice_;
  bool mayCompile_ = true;
  std::vector<Signature> signatures_;
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<std::unique_ptr<Variant>>
      replaced_;            ///< launches and Python objects may refer to them
  Variant *last_ = nullptr; ///< of a launch; the next is most likely for it, too
};

/// `dispatcher[configuration]`, a new reference: an object that launches the kernel when it is called. Null with a
/// Python exception (ValueError, TypeError) for what no launch can be.
PyObject *configure(PyObject *dispatcher, PyObject *configuration);

/// The device that launches without a stream go to, for the calling thread.
Device &currentDevice();

void bindKernels(nanobind::module_ &m);
void bindVariants(nanobind::module_ &m);
void bindLaunches(nanobind::module_ &m);

} // namespace heddle
