// Programs in CUDA C++ as Python objects: compiled for the device that they are first used on.
#pragma once

#include "bindings/cuda_arguments.h"
#include "frontend/cuda/options.h"
#include "runtime/device.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// A program on one device.
struct LoadedProgram {
  cudacpp::Program source; ///< without its module, which the device has
  std::shared_ptr<Module> module;
};

/// Source with its options.
class CudaProgram {
public:
  /// Throws CompileError (Value) for unknown options.
  CudaProgram(std::string source, std::string file, std::vector<std::string> options,
              std::vector<std::string> expressions);
  CudaProgram(const CudaProgram &) = delete;

  /// The program on that device, compiled now if it was not. Called and returns with the GIL.
  LoadedProgram &on(Device &device);
  const cudacpp::Options &options() const { return options_; }

private:
  std::string source_, file_;
  cudacpp::Options options_;
  std::vector<std::string> expressions_;
  std::map<Device *, LoadedProgram> loaded_;
};

/// A kernel of a program on one device.
struct CudaKernel {
  Device *device = nullptr;
  std::shared_ptr<Module> module;
  Kernel *kernel = nullptr;
  std::string name;
  std::vector<CudaParameter> parameters;
  uint32_t maxThreads = 0; ///< of __launch_bounds__
  bool prints = false;
  bool allowStrided = false;
  bool waits = false; ///< launches return when the kernel has run
};

void bindCudaPrograms(nanobind::module_ &m);

} // namespace heddle
