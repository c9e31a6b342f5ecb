// Builds a function's basic blocks in SSA form, in source order.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::python {

/// Appends values to blocks and tracks the current value of each variable. Each block remembers the last value of each
/// variable. If a loop reads a variable whose value is not known yet, the variable gets a phi. Sealing the block
/// completes the phi: by then all predecessors are known.
class SsaBlocks {
public:
  explicit SsaBlocks(TypedFunction &f) : f_(f) {}

  Block *newBlock();
  /// Appends a value to the current block. Throws CompileError (Unsupported) if the function is too large.
  Value *append(Opcode opcode, Span span, std::vector<Value *> operands = {});
  Value *appendConstant(Constant constant, Span span);

  /// Ends the current block with a terminator.
  void terminateBlock(Opcode opcode, Span span, std::vector<Value *> operands,
                      std::vector<Block *> successors);
  /// Ends the current block, if there is one, with a jump.
  void jump(Block *to, Span span);
  /// Continues at `block` and seals it.
  void sealAndEnterBlock(Block *block);
  /// Continues at `block` if it has predecessors. Otherwise the code that follows is unreachable.
  void enterBlockIfReachable(Block *block);
  /// Declares that `block` gets no more predecessors.
  void sealBlock(Block *block);

  void writeVariable(const std::string &name, Value *v);
  /// Like the overload above. Also records the assignment, located at `from`, for messages.
  void writeVariable(const std::string &name, Value *v, Span from);
  /// Makes exceptions that are raised from here on go to `handler`, or to the caller if it is null. The handler sees
  /// the variables as they are before the raising statement. Therefore each block that may raise follows a block that
  /// ends with a Protect, and writes no variable before it raises.
  void setExceptionHandler(Block *handler, Span span);
  Block *handler() const { return handler_; }

  /// The value of the variable at the end of the current block.
  Value *readVariable(const std::string &name, Span span) {
    return readVariable(current_, name, span);
  }

  /// Call after all blocks are sealed. Removes phis that merge only one value, and unused phis, closures and caught
  /// exceptions.
  void removeTrivialPhisAndUnusedValues();

protected:
  TypedFunction &f_;
  Block *current_ = nullptr; ///< null after a terminator: the code that follows is unreachable

private:
  struct BlockState {
    std::map<std::string, Value *> variables;
    std::map<std::string, Value *> incompletePhis;
    bool sealed = false;
  };

  [[noreturn]] void failTooLarge();
  Value *readVariable(Block *block, const std::string &name, Span span);
  Value *newPhi(Block *block, const std::string &name, Span span);
  Value *addPhiOperands(Value *phi);
  Value *simplifyPhi(Value *phi);
  /// Returns the value that has replaced `v`, directly or through other replaced values; `v` itself if none has.
  Value *findFinalReplacement(Value *v);
  void removeTrivialPhis();
  void removeUnusedValues();
  void setPhiSpansToAssignments();

  /// Starts a new protected block for a value with the opcode `next`, if that opcode may raise. Does nothing at the
  /// start of a protected block (`protected_`).
  void startProtectedBlock(Opcode next, Span span);

  Block *handler_ = nullptr;
  /// A block after a Protect in which no variable has been written yet.
  Block *protected_ = nullptr;
  std::vector<BlockState> states_; ///< by block number
  std::vector<Value *> phis_;
  llvm::DenseMap<Value *, Value *> replaced_;
  /// The locations of assignments.
  std::map<std::pair<std::string, Value *>, Span> assigned_;
};

} // namespace heddle::python
