// Types: every value of a function gets one, by numba's rules.
#pragma once

#include "frontend/python/infer/block_order.h"
#include "frontend/python/infer/function_typing.h"

namespace heddle::python {

/// Infers the types of one function.
///
/// The blocks are visited in the order of the program, those of a loop until none of their types changes, all until none
/// of the function's does. A merge takes the type that unifies those of its live paths. Then one of the decisions that
/// wait (Decisions) is taken and the types settle again, until none is left. What fails keeps no type, and fails for good
/// once the types that it is about have settled: outside of loops at once, in a loop when the outermost one has settled,
/// and where a question about a type is open, at the end.
class Inference {
public:
  Inference(FunctionInstances &instances, TypedFunction &f) : typing_(instances, f), order_(f) {}
  /// Types every value that is reached. False when the graph has to be built anew (FunctionTyping::outdated). Throws
  /// CompileError (Typing, Unsupported).
  bool run();

private:
  /// Visits the blocks at these places of `order_`, those of a loop until nothing changes: what follows the loop sees a
  /// variable's last type, not one on the way to it.
  void settle(size_t begin, size_t end);
  void settleLoop(size_t head);
  void visitBlock(Block &block);
  bool visit(Value &v);
  /// Whether an error in `v` may be of a type that is not the last.
  bool mayStillSucceed(const Value &v);
  /// Whether some question about a type has no answer yet.
  bool hasOpenQuestion();

  /// What an earlier round took to be reachable may not be: a variable that was an int32 is an int64 once all that a
  /// loop assigns is known, and isinstance(x, int) has another answer.
  bool markReachable();
  /// The same from one block on: blocks are visited in an order in which most are reached by then, so that a long
  /// function needs no more rounds than a short one.
  bool reachSuccessors(Block &block);
  /// A branch whose condition has no type yet is not followed: it may turn out to be constant. One that waits for the type
  /// of a container is no constant.
  static bool branchKnown(const Block &block);

  FunctionTyping typing_;
  BlockOrder order_;
  unsigned changes_ = 0;   ///< in this round
  unsigned loopDepth_ = 0; ///< of the blocks that are visited
  bool failed_ = false;    ///< a visit of this round failed, perhaps not for good
  bool raises_ = false;    ///< whatever fails now, fails for good
};

} // namespace heddle::python
