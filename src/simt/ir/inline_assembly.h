// Inline PTX assembly in SIMT IR.
#pragma once

#include "llvm/IR/InstrTypes.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// An operand $0, $1, ... of the assembly text: a register or a constant.
struct AssemblyOperand {
  char constraint = 'r';        ///< h, r, l: 16, 32, 64 bits; f, d: float, double; n: a constant
  llvm::Type *type = nullptr;   ///< type of the input or output value
  llvm::Value *input = nullptr; ///< initial value of the register; null for an output without one
  bool isOutput = false;
};

struct Assembly {
  std::vector<AssemblyOperand> operands; ///< outputs come first, in the order of the call's results
  bool clobbersMemory = false;
  std::string problem; ///< why SIMT IR does not support this call; else empty
};

/// Metadata of the memory accesses that stand for a matrix instruction, whose lanes access other elements on a GPU. A
/// module with matrix instructions has named metadata with this name.
inline constexpr const char *emulatedMatrices = "heddle.matrices";

/// Named metadata of a module with factors of warpgroups. Their patterns of eight rows need more alignment than other
/// shared variables, on all devices.
inline constexpr const char *warpgroupFactors = "heddle.warpgroups";
inline constexpr unsigned warpgroupAlignment =
    1024; ///< bytes (PTX ISA 9.0, "Matrix Descriptor Format")

/// Named metadata of a module whose program contains PTX, not only the headers that it includes.
inline constexpr const char *inlinePtxOfProgram = "heddle.ptx";

/// The width of the register that a constraint denotes; 0 for a constant.
unsigned registerBits(char constraint);

/// Parses the operands and clobbers of an inline assembly call.
Assembly parseAssembly(const llvm::CallBase &call);

} // namespace heddle::simt
