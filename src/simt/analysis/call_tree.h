// Facts about each function of a SIMT module and the functions it calls.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

namespace llvm {
class CallGraphNode;
}

namespace heddle::simt {

/// A GPU's limit of local memory per thread (CUDA C++ Programming Guide, technical specifications), which also holds
/// on the CPU device.
inline constexpr uint64_t maxLocalBytes = 512 * 1024;

/// Facts about a function and everything it calls.
struct CallFacts {
  uint64_t instructions = 0;       ///< including callees that are inlined into it
  uint64_t localBytes = 0;         ///< local arrays along the deepest chain of calls
  bool convergent = false;         ///< can reach a barrier or another convergent operation
  bool reachesGridBarrier = false; ///< can reach a barrier of the whole grid
  bool recursive = false;          ///< may call itself, directly or not
  bool reachesRecursion = false;   ///< can reach a recursive function
};

/// Decides which device functions are inlined and collects CallFacts for every function.
class CallTree {
public:
  /// Functions with more instructions than this, inlined callees included, are not inlined, and neither are recursive
  /// functions. The limit bounds code growth in chains of functions that each call the next one twice.
  static constexpr uint64_t maxInlineSize = 4000;

  /// inlinesConvergent: inline functions with barriers regardless of their size.
  CallTree(const llvm::Module &m, bool inlinesConvergent);

  /// Returns the facts about a function; empty facts if it is unreachable in the call graph.
  CallFacts factsOf(const llvm::Function &f) const { return known_.lookup(&f); }
  /// Returns true if a device function with these facts is called instead of inlined.
  bool isKeptOutOfLine(const CallFacts &facts) const;

private:
  void addCycleOfFunctions(const std::vector<llvm::CallGraphNode *> &cycle, bool cyclic);
  void addFactsOf(const llvm::Function &f, CallFacts &merged, uint64_t &deepestCallee) const;

  bool inlinesConvergent_;
  llvm::DenseMap<const llvm::Function *, CallFacts> known_;
};

/// Returns the function's name in the user's source: from debug information, else the symbol.
std::string sourceName(const llvm::Function &f);

} // namespace heddle::simt
