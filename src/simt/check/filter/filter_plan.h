// The plan of a kernel's race filter: a fast test for whether threads may race at all.
#pragma once

#include "llvm/IR/Module.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::simt {

/// An array or shared variable that a kernel accesses.
struct FilteredObject {
  enum class Kind { Argument, Shared, DynamicShared };

  Kind kind = Kind::Argument;
  unsigned argument = 0; ///< index of the pointer parameter
  unsigned bounds = 0; ///< the parameter with the argument's lower bound (boundsAttribute); 0: none
  uint64_t bytes = 0;  ///< of a shared variable
  uint64_t cellBytes =
      8; ///< a power of two up to 8 that divides the size and address of every access
  uint64_t alignment = 1;      ///< required of the argument
  bool isRead = false;         ///< by loads
  bool isWritten = false;      ///< by stores or atomics
  bool isUpdated = false;      ///< by atomics
  bool needsCells = false;     ///< threads may race here, or it must be known what has been written
  bool needsReadCells = false; ///< writes may race with earlier reads
  bool tracksUndefined =
      false; ///< threads of a block may read bytes that the block has not written

  bool isShared() const { return kind != Kind::Argument; }
  /// True if the kernel changes values that it reads: they must be restored before the launch is repeated.
  bool mustBeRestored() const { return !isShared() && isWritten && (isRead || isUpdated); }
};

/// Operand 3 of simt.filter.access: the kind of access. Use and Define are reads and writes that need no test for races.
enum class MarkKind : uint32_t { Read, Write, Atomic, Use, Define };

/// Describes how the race filter covers a kernel. A launch may use the filter only if the memory of each written
/// argument is known and overlaps no other accessed argument, and arguments are aligned.
///
/// The filter of a kernel adds parameters: the number of the launch's first block, shifted by `blockShift`, then
/// `parametersPerObject` pointers for each object with cells: to its cells for writes and for reads, and to room for a
/// copy of the object (simt/check/filter/expand_race_filter.h). The second is unused unless needsReadCells, the last
/// one unless mustBeRestored().
struct FilterPlan {
  static constexpr unsigned blockShift = 32, parametersPerObject = 3;

  std::string obstacle;     ///< why the filter cannot cover the kernel; empty if it can
  bool isUncertain = false; ///< correct launches may be stopped, because proofs have conditions
  unsigned parameters = 0;  ///< number of parameters of the kernel without the filter
  std::vector<FilteredObject> objects;

  bool covers() const { return obstacle.empty(); }
  /// The size of a cell in bytes. Cells outside shared memory also hold the block.
  static unsigned bytesOf(const FilteredObject &object) { return object.isShared() ? 4 : 8; }
  /// The index of the first added parameter of an object with cells.
  unsigned cellsParameter(size_t object) const;
};

/// Stores the plan of a module with one kernel in its metadata, one line of text for each object.
void setFilterPlan(llvm::Module &m, const FilterPlan &plan);
/// Returns the plan that setFilterPlan() stored; nullopt if there is none.
std::optional<FilterPlan> filterPlanOf(const llvm::Module &m);

} // namespace heddle::simt
