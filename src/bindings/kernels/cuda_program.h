// CUDA C++ programs as Python objects, compiled for each device on first use.
#pragma once

#include "bindings/arguments/cuda_arguments.h"
#include "program/loaded_program.h"
#include "runtime/image.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// A program's source and options.
class CudaProgram {
public:
  /// Throws CompileError (Value) for unknown options.
  CudaProgram(std::string source, std::string file, std::vector<std::string> options,
              std::vector<std::string> expressions);
  CudaProgram(const CudaProgram &) = delete;

  /// The program on `device`, compiled on first use. Called and returns with the GIL.
  program::LoadedProgram &getOrLoadOnDevice(Device &device);
  const std::shared_ptr<const program::ProgramSource> &source() const { return source_; }

private:
  std::shared_ptr<const program::ProgramSource> source_;
  std::map<Device *, program::LoadedProgram> loaded_;
};

/// An image from another compiler, with its name.
class CudaImage {
public:
  CudaImage(nanobind::bytes image, std::string name)
      : image_(image.c_str(), image.size()), name_(std::move(name)) {}
  CudaImage(const CudaImage &) = delete;

  /// The image on `device`, loaded on first use. Called and returns with the GIL.
  std::shared_ptr<Image> getOrLoadOnDevice(Device &device);

private:
  std::string image_, name_;
  std::map<Device *, std::shared_ptr<Image>> loaded_;
};

/// A kernel of a program on one device.
struct CudaKernel {
  Device *device = nullptr;
  std::shared_ptr<Module> module;
  Kernel *kernel = nullptr;
  std::shared_ptr<const program::ProgramSource> source; ///< null for an image
  cudacpp::KernelInfo info;
  std::vector<CudaParameter> parameters;
  bool prints = false;
  ArrayRules rules;
  bool cooperative = false; ///< launches require all blocks to run at once
  bool waits = false;       ///< launches wait for the kernel

  /// True if a launch with matching arguments needs nothing besides their slots.
  bool takesSlotsOnly() const {
    return !prints && !waits && info.bounded.empty() && !device->usesHostMemory();
  }
};

void bindCudaPrograms(nanobind::module_ &m);

} // namespace heddle
