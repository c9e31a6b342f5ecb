// Finds the memory that a pointer was derived from, and its bounds.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <string>

namespace heddle::cudacpp {

/// The memory that a pointer was derived from: valid offsets from `start` are in [low, high).
struct Memory {
  llvm::Value *start;
  llvm::Value *low, *high;
  std::string name = {}; ///< for messages
  std::string object =
      {}; ///< the name in the source; empty if there is none, or for several memories
  std::string hint = {};
};

/// The memories of a function's pointers. If the program selects a pointer from several, start and bounds are selected
/// in the same way:
///
///     before                                after
///       %p = select i1 %w, %a, %b             %low = select i1 %w, %a.before, %b.before
///                                             %high = select i1 %w, %a.after, %b.after
///                                             %p = select i1 %w, %a, %b
class PointerMemories {
public:
  explicit PointerMemories(llvm::Function &f) : f_(f), layout_(f.getDataLayout()) {}
  ~PointerMemories();
  PointerMemories(const PointerMemories &) = delete;
  PointerMemories &operator=(const PointerMemories &) = delete;

  /// The memory of an address; nothing if it or one of several possible memories is unknown. `objects` are the
  /// underlying objects that LLVM finds. The result is valid for the lifetime of this object.
  std::optional<Memory> findOrEmitMemory(llvm::Value &address,
                                         llvm::ArrayRef<const llvm::Value *> objects);

private:
  struct Choice;

  std::optional<Memory> memoryOfObject(llvm::Value &object);
  bool collectMemoryNames(llvm::Value &pointer, Choice &choice);
  Memory emitSelectedMemory(llvm::Value &pointer, bool isStart);
  Memory emitSelectedMemoryOf(llvm::SelectInst &select, bool isStart);
  Memory emitSelectedMemoryOf(llvm::PHINode &phi, bool isStart);

  llvm::Function &f_;
  const llvm::DataLayout &layout_;
  llvm::Value *dynamicSize_ = nullptr;
  llvm::DenseMap<llvm::Value *, Memory> chosen_; ///< of selects and phis of pointers
  llvm::SmallVector<llvm::PHINode *, 8> phis_;   ///< of starts and bounds
};

} // namespace heddle::cudacpp
