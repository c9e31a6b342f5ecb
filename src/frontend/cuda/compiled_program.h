// A compiled CUDA C++ program: SIMT IR and the interfaces of its kernels, functions and variables.
#pragma once

#include "simt/ir/owned_module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::cudacpp {

/// The C++ type of a value that the host passes.
struct ValueType {
  enum Kind { Bool, Integer, Float, Pointer, Structure, Void } kind = Void;
  uint32_t bytes = 0;
  bool isSigned = false; ///< Integer
  std::string spelling;  ///< "const float *"
  /// Pointer: NumPy's name of a numeric pointee type; empty for other pointees.
  std::string element;
  /// Pointer: NumPy's name of the member type if all members of the pointee have the same type (float4: "float32").
  std::string component;
  uint32_t elementBytes = 0;
  bool isConst = false;  ///< Pointer: to const
  bool takesAny = false; ///< Pointer: to void or bytes, which accepts any array
};

/// A part of a parameter that occupies one launch slot: a byte range of the host value.
struct Slot {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

struct Parameter {
  std::string name; ///< empty if the source omits it
  ValueType type;
  std::vector<Slot> slots;
};

struct KernelInfo {
  std::string name;   ///< as in the source, with namespace: "blur", "ns::blur"
  std::string symbol; ///< name in the module
  std::vector<Parameter> parameters;
  /// The indices of the pointer parameters with bounds; empty if the kernel checks no accesses. After the slots of all
  /// parameters, the launch passes two slots for each: the offsets in bytes from the address to the start (0 or less)
  /// and to the end of its memory.
  std::vector<uint32_t> bounded;
  /// An error message if no launch can pass the arguments (the module then lacks the kernel); empty for all other
  /// kernels.
  std::string unlaunchable;
};

/// A __device__ function that code outside the program can call.
struct FunctionInfo {
  std::string name;   ///< as in the source, with namespace
  std::string symbol; ///< name in the module
  std::string head;   ///< "int f(float *result, int n)"
  ValueType result;
  std::vector<Parameter> parameters; ///< without slots
};

/// A __device__ or __constant__ variable.
struct VariableInfo {
  std::string name;
  std::string symbol;
  uint64_t bytes = 0;
  bool isConst = false; ///< const in C++: nothing writes it
};

struct CompiledProgram {
  simt::OwnedModule code; ///< valid SIMT IR
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::vector<FunctionInfo> functions;        ///< only from compileDeviceFunctions
  std::vector<std::string> functionTemplates; ///< names of __device__ function templates
  /// The symbol of a kernel or variable for each name expression.
  std::map<std::string, std::string> expressions;
  std::string log; ///< Clang's warnings
};

} // namespace heddle::cudacpp
