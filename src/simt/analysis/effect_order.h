// Checks that passes keep effects on their side of barriers. Tests and fuzzers run it after every pass.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

#include <optional>
#include <string>

namespace heddle::simt {

/// Returns whether another thread can observe when the instruction runs, or can change its result: a write, an atomic, or a
/// load of memory that may be written. Barriers, warp operations, checks, traps and accesses to
/// a thread's own stack are no effects.
bool isEffect(const llvm::Instruction &i);

/// Which barriers a thread may have passed when it runs each effect of a function. Effects are known by their source
/// locations, barriers by their sites; so the order can be compared after passes that copy and rewrite both.
class EffectOrder {
public:
  explicit EffectOrder(const llvm::Function &f);

  /// Returns the line of an effect that may now run after a barrier that it ran before, or before one that it ran after; nothing
  /// where there is none. isStructured: only the former. Structured control flow has paths that no thread can take.
  std::optional<std::string> movedIn(const llvm::Function &f, bool isStructured) const;

private:
  using Key = uint64_t; ///< of a source location, with the kind of access
  using Sites = llvm::DenseSet<uint64_t>;
  struct Barriers {
    Sites after;   ///< the effect may run after these
    Sites without; ///< the effect may run when a thread has not passed these
  };
  using Order = llvm::DenseMap<Key, Barriers>;

  static Order orderOf(const llvm::Function &f);
  static Sites sitesOf(const llvm::Function &f);
  std::optional<std::string> firstNew(const llvm::Function &f, const Order &now,
                                      Sites Barriers::*relation, const char *moved) const;

  Sites sites_;
  Order order_;
};

/// Returns whether $HEDDLE_VERIFY asks for the check: 1, as in tests.
bool verifiesEffectOrder();

/// Throws an internal CompileError that names the pass if it delayed an effect past a barrier, or hoisted one.
void verifyEffectOrder(const EffectOrder &before, const llvm::Function &f, llvm::StringRef pass,
                       bool isStructured);

/// Runs the check after each pass that the callbacks see: from the pass `first` on, which leaves kernels without calls of
/// device functions. The pass `structuring` makes control flow with paths that no thread takes, which the passes after it
/// are compared with.
class EffectOrderVerifier {
public:
  EffectOrderVerifier(llvm::StringRef first, llvm::StringRef structuring)
      : first_(first), structuring_(structuring) {}
  void registerIn(llvm::PassInstrumentationCallbacks &callbacks);

private:
  void verifyAfter(llvm::StringRef pass, const llvm::Function &f);

  std::string first_, structuring_;
  bool isStructured_ = false;
  llvm::StringMap<EffectOrder> orders_; ///< by kernel
};

} // namespace heddle::simt
