// A CUDA C++ program as the rest of Heddle sees it: SIMT IR, and what its kernels and variables are called and take.
#pragma once

#include "simt/ir/owned_module.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::cudacpp {

/// A type of C++ as the host passes values of it.
struct ValueType {
  enum Kind { Bool, Integer, Float, Pointer, Structure, Void } kind = Void;
  uint32_t bytes = 0;
  bool isSigned = false; ///< Integer
  std::string spelling;  ///< "const float *"
  std::string
      element; ///< Pointer: what NumPy calls a number of the pointee's type; empty for other pointees
  std::string
      component; ///< Pointer: the same of the parts of a structure of like numbers (float4: "float32")
  uint32_t elementBytes = 0;
  bool isConst = false;  ///< Pointer: to const
  bool takesAny = false; ///< Pointer: to void or bytes, so to any array
};

/// A parameter's part that has a slot of its own in a launch: bytes of the value as the host has it.
struct Slot {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

struct Parameter {
  std::string name; ///< empty where the source gives none
  ValueType type;
  std::vector<Slot> slots;
};

struct KernelInfo {
  std::string name;   ///< as the source has it, with its namespace: "blur", "ns::blur"
  std::string symbol; ///< in the module
  std::vector<Parameter> parameters;
  /// The parameters, by number, whose memory's bounds follow all slots, two slots each: what lies before the address (0 or
  /// less) and from it on, in bytes. Empty where the kernel checks nothing.
  std::vector<uint32_t> bounded;
  /// Why no launch can pass its arguments, for the user; empty for every other kernel. The module has no such kernel.
  std::string unlaunchable;
};

/// A __device__ function that code outside the program can call.
struct FunctionInfo {
  std::string name;   ///< as the source has it, with its namespace
  std::string symbol; ///< in the module
  std::string head;   ///< "int f(float *result, int n)"
  ValueType result;
  std::vector<Parameter> parameters; ///< without slots
};

/// A __device__ or __constant__ variable.
struct VariableInfo {
  std::string name;
  std::string symbol;
  uint64_t bytes = 0;
  bool isConst = false; ///< in C++: its value is known while compiling, and nobody writes it
};

struct CompiledProgram {
  simt::OwnedModule code; ///< valid SIMT IR
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::vector<FunctionInfo> functions;        ///< of compileDeviceFunctions
  std::vector<std::string> functionTemplates; ///< names of templates of __device__ functions
  /// What each name expression stands for: a kernel's or a variable's symbol.
  std::map<std::string, std::string> expressions;
  std::string log; ///< Clang's warnings
};

} // namespace heddle::cudacpp
