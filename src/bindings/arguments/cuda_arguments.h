// Converts Python values to arguments of a CUDA C++ kernel, whose source declares the parameter types.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/cuda/compiled_program.h"

#include <nanobind/nanobind.h>

#include <vector>

namespace heddle {

/// A parameter, prepared for launches.
struct CudaParameter {
  explicit CudaParameter(cudacpp::Parameter parameter);
  /// A parameter of which only the size is known.
  static CudaParameter fromSize(uint32_t bytes);

  python::Type element;   ///< number type of a pointer, or of a structure such as bfloat16
  python::Type component; ///< for a pointer to structures of one number type: that type
  bool untyped = false;   ///< only the size is known: arguments keep their own types
  cudacpp::Parameter source;
};

/// Arrays accepted for pointers, in addition to contiguous arrays of the pointer's type.
struct ArrayRules {
  bool strided = false; ///< any layout
  /// CuPy's rules: any dtype and excess arguments, with a HeddleWarning; no NumPy arrays.
  bool cupys = false;
};

/// Reads the arguments of a launch on a GPU into `slots`, one for each parameter, if they are a tuple of device arrays
/// and numbers that match the parameters. Most launches have only these, and need nothing besides their slots.
/// Otherwise returns false; `slots` then has any content.
bool appendSlotsIfAllMatch(const std::vector<CudaParameter> &parameters, nanobind::handle values,
                           ArrayRules rules, const Device &device,
                           llvm::SmallVectorImpl<uint64_t> &slots);

/// Reads the arguments of a launch into `slots`: first one slot per scalar, then the bounds of the `bounded` parameters
/// (KernelInfo::bounded). `arrays` receives the arrays. Throws TypeError, ValueError or OverflowError that names the
/// parameter if a value does not match its type.
void appendCudaArgumentSlots(const std::string &kernel,
                             const std::vector<CudaParameter> &parameters,
                             llvm::ArrayRef<uint32_t> bounded, nanobind::handle values,
                             ArrayRules rules, const Device &device, ArgumentList &arrays,
                             llvm::SmallVectorImpl<uint64_t> &slots);

} // namespace heddle
