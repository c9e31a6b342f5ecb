// Kernels and device functions as Python objects: compiled for the argument types of a launch, then launched.
#pragma once

#include "bindings/dispatch/base_dispatcher.h"
#include "bindings/kernels/launch_configuration.h"
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
struct Variant : BaseVariant {
  std::shared_ptr<Module> module;
  Kernel *kernel = nullptr;
  bool prints = false;                      ///< may write to standard output
  std::vector<bool> written;                ///< for each argument, whether its array may be changed
  bool checksAccesses = false;              ///< no thread accesses memory outside its arrays
  std::string bitcode;                      ///< the SIMT IR
  std::vector<std::shared_ptr<void>> named; ///< keeps the arrays alive that the source names
  uint32_t constantBytes = 0;               ///< size of constant arrays in the code
};

/// A function decorated with cuda.jit.
class Dispatcher : public BaseDispatcher {
public:
  Dispatcher(nanobind::object function, nanobind::dict options);
  ~Dispatcher() override { knownShape_.forget(); }
  Dispatcher(const Dispatcher &) = delete;
  Dispatcher &operator=(const Dispatcher &) = delete;

  int visitReferences(visitproc visit, void *arg) const override;
  void clearReferences() override;
  const CompileOptions &options() const { return options_; }
  /// The run-time checks of code for a GPU, or for the CPU device.
  python::Checks checks(bool forGpu) const {
    return python::kernelChecks(options_.debug, options_.fastMath != FastMath::None,
                                options_.bounds, !forGpu);
  }
  /// The code to link: definitions of functions that are only declared in Python.
  python::LinkedCode collectLinkedCode(Architecture architecture) const;
  bool isDevice() const { return isDevice_; }

  /// Throws CompileError (Type) if the function cannot have this signature.
  void checkSignature(const Signature &signature);
  /// Declares the types of a device function, or compiles a kernel ahead of its launches.
  Variant *compileDeclared(const Signature &signature) override;
  /// Discards all variants, so that globals are read again. Recompiles declared signatures now, others at the next
  /// launch.
  void recompile() override;

  /// The variant for these arguments: a declared variant that they convert to, else the variant for exactly their types
  /// and facts, which is compiled for this launch if there is none.
  Variant &findOrCompileVariant(Device &device, ArgumentList &arguments,
                                const LaunchExtents &launch);

  /// See heddle::readConfiguration.
  LaunchConfiguration readConfiguration(PyObject *configuration);

private:
  Variant &compileAndAddVariant(Device &device,
                                const std::vector<python::KernelArgument> &arguments, bool declared,
                                const LaunchExtents &launch);
  std::unique_ptr<Variant> compileVariant(Device &device,
                                          const std::vector<python::KernelArgument> &arguments,
                                          const LaunchExtents &launch);
  /// Compiles the declared signatures for a device that was not current when they were declared. Returns false if none
  /// was left to compile.
  bool compileDeclaredSignatures(Device &device);

  CompileOptions options_;
  nanobind::list linked_; ///< CudaSource objects
  bool isDevice_;
  KnownShape knownShape_;
};

/// Returns `dispatcher[configuration]`, a new reference: an object that launches the kernel when called. Returns null
/// with a Python exception (ValueError, TypeError) for an invalid configuration.
PyObject *makeConfiguredKernel(PyObject *dispatcher, PyObject *configuration);

/// The calling thread's device for launches without a stream.
Device &currentDevice();

void bindKernels(nanobind::module_ &m);
void bindVariants(nanobind::module_ &m);
void bindLaunches(nanobind::module_ &m);

} // namespace heddle
