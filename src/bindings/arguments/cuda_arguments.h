// Python values as arguments of a CUDA C++ kernel, whose parameters have the types that its source gives them.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/cuda/compiled_program.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace heddle {

/// A parameter, ready for launches.
struct CudaParameter {
  explicit CudaParameter(cudacpp::Parameter parameter);
  /// A parameter of which only the size is known.
  static CudaParameter ofBytes(uint32_t bytes);

  cudacpp::Parameter source;
  python::Type
      element; ///< a pointer to numbers, or bfloat16, a structure that stands for a number: the number's type
  bool untyped = false;   ///< only its size is known: values are taken by their own types
  python::Type component; ///< a pointer to structures of like numbers: their type
};

/// Which arrays pointers take, beyond contiguous ones of the pointer's type.
struct ArrayRules {
  bool strided = false; ///< of any layout
  bool anyElements =
      false; ///< of any dtype; CuPy's rule, with which goes that more arguments than parameters are fine
};

/// Reads the arguments of a launch into `slots`: one for each parameter's scalar, then the bounds of those that are
/// `bounded` (KernelInfo::bounded). `arrays` holds the arrays. Throws
/// TypeError, ValueError or OverflowError that names the parameter when a value is not of its type.
void readCudaArguments(const std::string &kernel, const std::vector<CudaParameter> &parameters,
                       llvm::ArrayRef<uint32_t> bounded, nanobind::handle values, ArrayRules rules,
                       const Device &device, ArgumentList &arrays,
                       llvm::SmallVectorImpl<uint64_t> &slots);

} // namespace heddle
