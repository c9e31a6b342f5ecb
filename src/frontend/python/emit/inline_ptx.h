// Calls of PTX instructions. On the CPU device, frontend/ptx translates them.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A PTX instruction with its operands: outputs first, then inputs, numbered $0, $1, ... in the text.
struct PtxCall {
  std::string text, constraints; ///< the constraints, separated by commas
  llvm::SmallVector<llvm::Type *, 8> outputs;
  llvm::SmallVector<llvm::Value *, 24> inputs;
  bool accessesMemory = false;
  bool isConvergent = false; ///< all lanes of a warp execute the instruction together

  void addOutput(char constraint, llvm::Type *type);
  void addInput(char constraint, llvm::Value *value);
  /// Makes output `i` a register that the instruction also reads. No input may follow.
  void addTiedInput(unsigned i, llvm::Value *value);
  unsigned operandCount() const { return unsigned(outputs.size() + inputs.size()); }
};

/// Emits the call. Returns its outputs.
llvm::SmallVector<llvm::Value *, 8> emitInlinePtx(llvm::IRBuilder<> &b, const PtxCall &call);

/// Adds a memory address as input. Returns the state space for the opcode: ".shared", ".global", or "" for a generic
/// address.
const char *addAddressInputAndGetSpace(Emitter &e, PtxCall &call, llvm::Value *pointer);

/// Adds an address in shared memory, for instructions with `.shared`.
void addSharedAddressInput(Emitter &e, PtxCall &call, llvm::Value *pointer);

} // namespace heddle::python
