// What a function of a SIMT module and everything that it calls amount to.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

namespace llvm {
class CallGraphNode;
}

namespace heddle::simt {

/// What a function and everything it calls amount to.
struct CallFacts {
  uint64_t instructions = 0; ///< its own and those of the callees that are copied into it
  uint64_t localBytes = 0;   ///< local arrays along the deepest chain of calls
  bool convergent = false;   ///< can reach a barrier or another convergent operation
  bool gridBarrier = false;  ///< can reach a barrier of the whole grid
  bool recursive = false;    ///< may call itself, directly or not
  bool recursion = false;    ///< can reach a function that may
};

/// Decides for each device function whether it is copied into its callers, and sums up.
class CallTree {
public:
  /// What callers' copies may not be: a function that recurses, one of more instructions than this (its own copied
  /// callees counted). It bounds the code that a chain of functions, each calling the next twice, can grow to.
  static constexpr uint64_t maxInlineSize = 4000;

  /// `copiesConvergent`: functions with barriers are copied whatever their size.
  CallTree(const llvm::Module &m, bool copiesConvergent);

  /// Of a function that nothing can call: nothing.
  CallFacts of(const llvm::Function &f) const { return known_.lookup(&f); }
  /// Whether a device function with these facts is called, not copied.
  bool staysFunction(const CallFacts &facts) const;

private:
  void add(const std::vector<llvm::CallGraphNode *> &cycle, bool cyclic);
  void addOwn(const llvm::Function &f, CallFacts &together, uint64_t &deepest) const;

  bool copiesConvergent_;
  llvm::DenseMap<const llvm::Function *, CallFacts> known_;
};

/// The user's name of a function: what its debug information says, else its symbol.
std::string sourceName(const llvm::Function &f);

} // namespace heddle::simt
