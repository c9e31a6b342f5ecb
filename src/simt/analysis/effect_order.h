// Verifies that passes do not move side effects across barriers. Tests and fuzzers run it after every pass.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassInstrumentation.h"

#include <optional>
#include <string>

namespace heddle::simt {

/// Returns true if another thread can observe when the instruction runs, or can change its result: a write, an atomic,
/// or a load of memory that may be written. Barriers, warp operations, checks, traps and accesses to the thread's own
/// stack are not effects.
bool isEffect(const llvm::Instruction &i);

/// For each effect of a function, the barriers that a thread may have passed before it. Effects are identified by
/// source location and barriers by site, so orders can be compared after passes that copy and rewrite both.
class EffectOrder {
public:
  explicit EffectOrder(const llvm::Function &f);

  /// Returns a description of an effect that may now run after a barrier that it used to precede, or before one that it
  /// used to follow; nullopt if there is none. isStructured: control flow has been structured and has paths that no
  /// thread takes, so only the former is reported.
  std::optional<std::string> findMovedEffect(const llvm::Function &f, bool isStructured) const;

private:
  using Key = uint64_t; ///< source location and kind of access
  using Sites = llvm::DenseSet<uint64_t>;
  struct Barriers {
    Sites after;   ///< barriers that may precede the effect
    Sites without; ///< barriers that a thread may skip on its way to the effect
  };
  using Order = llvm::DenseMap<Key, Barriers>;

  static Order computeOrder(const llvm::Function &f);
  static Sites barrierSitesOf(const llvm::Function &f);
  std::optional<std::string> findNewRelation(const llvm::Function &f, const Order &now,
                                             Sites Barriers::*relation, const char *moved) const;

  Sites sites_;
  Order order_;
};

/// Returns true if $HEDDLE_VERIFY is 1, as in tests.
bool isSelfCheckEnabled();

/// Throws an internal CompileError that names the pass if an effect moved across a barrier.
void verifyPassKeptEffectOrder(const EffectOrder &before, const llvm::Function &f,
                               llvm::StringRef pass, bool isStructured);

/// Runs verifyPassKeptEffectOrder after each pass, starting with the pass `first`, after which kernels contain no
/// device function calls. The pass `structuring` adds paths that no thread takes; later passes are compared with its
/// output.
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
