// Inline assembly in SIMT IR: PTX, as a program gives it.
#pragma once

#include "llvm/IR/InstrTypes.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// What the text refers to as $0, $1, ...: a register's content, or a constant.
struct AssemblyOperand {
  char constraint = 'r';      ///< h, r, l: 16, 32, 64 bits; f, d: float, double; n: a constant
  llvm::Type *type = nullptr; ///< of the value that goes in or comes out
  llvm::Value *input =
      nullptr; ///< what the register holds before; null for an output that starts without a value
  bool isOutput = false;
};

struct Assembly {
  std::vector<AssemblyOperand> operands; ///< outputs come first, in the order of the call's results
  bool clobbersMemory = false;
  std::string
      problem; ///< why SIMT IR cannot have this call, in the words of its source; empty when it can
};

/// The bits of the register that a constraint stands for; 0 for a constant.
unsigned registerBits(char constraint);

/// Reads a call of inline assembly.
Assembly assemblyOf(const llvm::CallBase &call);

} // namespace heddle::simt
