// Basic blocks in static single assignment form, made from a function's start to its end.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::python {

/// Appends values to blocks, and knows what each variable is at each place. Each block remembers the last value of
/// each variable; a variable that is read where that is not known yet, in a loop, gets a phi that is completed when the
/// block is sealed: when all that jump to it are known.
class SsaBlocks {
public:
  explicit SsaBlocks(TypedFunction &f) : f_(f) {}

  Block *newBlock();
  /// A new value at the end of the current block. Throws CompileError (Unsupported) for a function that is too large.
  Value *append(Opcode opcode, Span span, std::vector<Value *> operands = {});
  Value *literal(Constant constant, Span span);

  /// Ends the current block.
  void finish(Opcode opcode, Span span, std::vector<Value *> operands,
              std::vector<Block *> successors);
  /// Ends the current block, if there is one, with a jump.
  void jump(Block *to, Span span);
  /// Continues at `block`, which nothing jumps to from now on.
  void enter(Block *block);
  /// The same where anything jumps to it; else what follows cannot be reached.
  void leaveTo(Block *block);
  /// Nothing jumps to `block` from now on.
  void seal(Block *block);

  void write(const std::string &name, Value *v);
  /// The same; `from` is where the program says so, for messages.
  void write(const std::string &name, Value *v, Span from);
  /// From here on what is raised goes to `handler`; to the caller where that is null. The handler sees the variables as they
  /// are before the statement that raises: each block that may raise comes after one that ends with a Protect, and no
  /// variable is written before it raises.
  void protectBy(Block *handler, Span span);
  Block *handler() const { return handler_; }

  /// What the variable is at the end of the current block.
  Value *read(const std::string &name, Span span) { return read(current_, name, span); }

  /// Once every block is sealed: leaves the phis that merge different values that somebody reads, and
  /// the functions that somebody names.
  void completePhis();

protected:
  TypedFunction &f_;
  Block *current_ = nullptr; ///< null after a terminator: what follows cannot be reached

private:
  struct BlockState {
    std::map<std::string, Value *> variables;
    std::map<std::string, Value *> incompletePhis;
    bool sealed = false;
  };

  [[noreturn]] void tooLarge();
  Value *read(Block *block, const std::string &name, Span span);
  Value *newPhi(Block *block, const std::string &name, Span span);
  Value *readOperands(Value *phi);
  Value *simplify(Value *phi);
  /// The value that stands for `v` now.
  Value *resolve(Value *v);
  void removeTrivialPhis();
  void dropUnused();
  void locateAssignments();

  /// Puts what is appended next into a block of its own where it may raise.
  void protect(Opcode next, Span span);

  Block *handler_ = nullptr;
  Block *protected_ =
      nullptr; ///< a block in which no variable has been written yet, after a Protect
  std::vector<BlockState> states_; ///< by the block's number
  std::vector<Value *> phis_;
  llvm::DenseMap<Value *, Value *> replaced_;
  /// Where a variable is given a value.
  std::map<std::pair<std::string, Value *>, Span> assigned_;
};

} // namespace heddle::python
