// Functions in other languages that Python code calls: those of cuda.declare_device, and C functions.
#pragma once

#include "simt/architecture.h"

#include <string>
#include <vector>

namespace heddle::python {

/// A function in a ForeignLibrary.
struct ForeignFunction {
  std::string name;   ///< as in its source
  std::string symbol; ///< name in the module
  std::string head;   ///< declaration in its language, for messages: "int f(float *result, int n)"
  /// For each parameter and then the result: the NumPy name of the number type that it points to. Empty for void
  /// pointers and for types that are not pointers.
  std::vector<std::string> pointees;
};

/// Foreign code compiled for one kind of device.
struct ForeignLibrary {
  std::string name; ///< for messages: "scale.cu"
  std::vector<ForeignFunction> functions;
  /// Function templates, which cannot be called before they are instantiated.
  std::vector<std::string> templates;
  std::string bitcode; ///< a SIMT module that exports `functions`
};

/// Foreign code that is compiled on demand, when a kernel calls it.
class ForeignCode {
public:
  /// The architecture of host functions. These can only call functions with the Parts convention, whose code is
  /// LLVM IR instead of SIMT IR.
  static constexpr Architecture host{.number = 0};

  virtual ~ForeignCode() = default;
  /// `architecture` may be `host`. The result lives as long as this object. Throws CompileError.
  virtual const ForeignLibrary &getOrCompileFor(Architecture architecture) = 0;
};

/// The calling convention of a declared function.
enum class CallingConvention {
  Numba, ///< returns int as the status, and the result through the first pointer
  C,     ///< returns the result
  /// Passes values as in compiled Python functions: scalars; pointer, extents and strides of arrays.
  Parts,
};

/// Replaces the body in a FunctionSource that only declares a function.
struct Declaration {
  CallingConvention convention = CallingConvention::Numba;
  /// The code that the declaration names. Not owned; must outlive the declaration.
  std::vector<ForeignCode *> code;
  /// The symbol in the runtime for host functions; empty for a device function.
  std::string symbol;

  bool isOnHost() const { return !symbol.empty(); }
  bool isOnBoth() const { return convention == CallingConvention::Parts; }
};

} // namespace heddle::python
