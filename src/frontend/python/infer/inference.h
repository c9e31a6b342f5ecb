// Type inference by numba's rules.
#pragma once

#include "frontend/python/infer/block_order.h"
#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

/// Infers the types of one function.
///
/// Visits blocks in program order: those of a loop until their types settle, then all until the function's types
/// settle. The type of a merge unifies those of its live paths. When the types have settled, one pending decision is
/// made (Decisions); this repeats until none is left. A value whose visit fails has no type. The error becomes final
/// when the types that it depends on have settled: outside loops immediately, in a loop when the outermost loop has
/// settled, and at the end if a question about a type is open. If the function makes a list, errors are final only at
/// the end, because the list's item type depends on all items that the function adds.
class Inference {
public:
  Inference(FunctionInstances &instances, TypedFunction &f) : typing_(instances, f), order_(f) {}
  /// Types every reachable value. Returns false if the SSA form must be rebuilt (FunctionTyping::outdated). Throws
  /// CompileError (Typing, Unsupported).
  bool run();

private:
  /// Visits the blocks [begin, end) of `order_`, those of a loop until nothing changes. Code after the loop then sees
  /// the final types of variables.
  void visitUntilTypesStable(size_t begin, size_t end);
  void visitLoopUntilTypesStable(size_t head);
  void visitBlock(Block &block);
  bool visitOrPostponeError(Value &v);
  /// True if an error in `v` may go away with later types.
  bool mayStillSucceed(const Value &v);
  /// True if a question about a type is unanswered.
  bool hasUntypedTypeTest();
  /// True if the function creates a list whose item type later code may still widen.
  bool hasListThatMayWiden() const;
  bool hasAnyValue(llvm::function_ref<bool(const Value &)> test) const;

  /// Recomputes reachability; true if it changed. It may also shrink: for example, an int32 variable becomes int64 once
  /// all assignments in a loop are known, which changes the result of isinstance(x, int).
  bool markReachable();
  /// Marks the successors of `block` that are now reachable; true if there are new ones. The visit order reaches most
  /// blocks this way, so that long functions do not need more passes than short ones.
  bool markSuccessorsReachable(Block &block);
  /// False if the block ends with a branch whose condition has no type yet, because it may become constant. True if the
  /// condition waits for the type of a container, because it then does not become constant.
  static bool mayFollowBranch(const Block &block);

  FunctionTyping typing_;
  BlockOrder order_;
  unsigned changes_ = 0;   ///< in this pass
  unsigned loopDepth_ = 0; ///< of the visited blocks
  bool failed_ = false;    ///< a visit of this pass failed, perhaps temporarily
  bool raises_ = false;    ///< errors are final from now on
};

} // namespace heddle::python
