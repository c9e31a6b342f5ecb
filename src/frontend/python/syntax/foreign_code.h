// Functions that Python code calls and that are not Python: what cuda.declare_device names, and functions of C.
#pragma once

#include <string>
#include <vector>

namespace heddle::python {

/// A function in a ForeignLibrary.
struct ForeignFunction {
  std::string name;   ///< as its source has it
  std::string symbol; ///< in the module
  std::string head;   ///< as its language declares it, for messages: "int f(float *result, int n)"
  /// Of each parameter, and last of the result: what NumPy calls the numbers that it points to; empty for what is no
  /// pointer, and for a pointer to anything.
  std::vector<std::string> pointees;
};

/// Code of another language, compiled for one kind of device.
struct ForeignLibrary {
  std::string name; ///< for messages: "scale.cu"
  std::vector<ForeignFunction> functions;
  std::vector<std::string> templates; ///< functions that are none until they are instantiated
  std::string bitcode;                ///< a SIMT module that exports `functions`
};

/// Code of another language, compiled when a kernel calls it.
class ForeignCode {
public:
  /// The architecture for functions of the host, where only code with the convention Parts is called: LLVM IR that is
  /// no SIMT IR.
  static constexpr unsigned host = 0;

  virtual ~ForeignCode() = default;
  /// `architecture`: 10 * compute capability, or `host`. Valid while this lives. Throws CompileError.
  virtual const ForeignLibrary &compiledFor(unsigned architecture) = 0;
};

/// How a declared function is called.
enum class CallingConvention {
  Numba, ///< returns an int, its status, and the result through a first pointer
  C,     ///< returns the result
  Parts, ///< has each value as compiled functions of Python do: a number, an array's pointer, extents and strides
};

/// What a FunctionSource has in the place of a body when it only declares a function.
struct Declaration {
  CallingConvention convention = CallingConvention::Numba;
  std::vector<ForeignCode *>
      code; ///< that the declaration names; it lives as long as the declaration
  /// What the runtime of functions of the host has it as; empty for a function of a device.
  std::string symbol;

  bool isOnHost() const { return !symbol.empty(); }
  bool isOnBoth() const { return convention == CallingConvention::Parts; }
};

} // namespace heddle::python
