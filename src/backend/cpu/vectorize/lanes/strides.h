// Accesses with evenly spaced lanes: pixels, complex numbers, records, matrix rows. Neighboring accesses of a lane are
// combined into vector loads or stores of whole rows and shuffles, which are faster than gathers and scatters.
#pragma once

#include "backend/cpu/vectorize/lanes/values.h"

#include "llvm/Analysis/AliasAnalysis.h"

#include <deque>

namespace heddle::cpu {

/// Returns true if the lanes' elements of `type` are evenly spaced, but neither contiguous nor equal.
bool isStridedNotContiguous(LaneShape address, llvm::Type &type, const llvm::DataLayout &layout);

/// Emits accesses with evenly spaced lanes, in blocks that all lanes run. Loads may also read the elements between the
/// lanes' elements.
class LaneStrides {
public:
  LaneStrides(llvm::Function &f, const LaneShapes &shapes, LaneValues &values, unsigned width,
              llvm::AAResults &aliases);

  /// Emits the lanes' loads; returns null if that needs a gather.
  llvm::Value *widenStridedLoad(llvm::IRBuilderBase &b, llvm::LoadInst &load);
  /// Returns true if the lanes' `values` are stored now or with a later store of the block; false if that needs a
  /// scatter.
  bool widenStridedStore(llvm::IRBuilderBase &b, llvm::StoreInst &store, llvm::Value &values);

private:
  struct Member {
    llvm::Instruction *access;
    int64_t offset; ///< in bytes from the row's base
  };

  /// Accesses of a block to neighboring elements of each lane.
  struct Row {
    llvm::Value *base;
    llvm::Type *type;
    int64_t size;    ///< element size in bytes
    int64_t spacing; ///< distance between lanes in elements, if small; else 0
    bool loads;
    llvm::Align alignment;
    int64_t first, last; ///< offsets
    llvm::SmallVector<Member, 4> members;
    bool isClosed = false;        ///< a later access cannot join
    bool isStoredTogether = true; ///< members are stored together, by the last one
    bool isPerLane = false;       ///< separate accesses for each lane
    bool hasWholeRows = false;    ///< elements past the last lane's may be accessed
    bool writesBack = false;      ///< elements between the stored ones are loaded and stored back
    /// For loads: all lanes' elements by position. For stores: one vector per element.
    llvm::SmallVector<llvm::Value *, 8> vectors;

    /// Elements per lane, from the first accessed to the last.
    unsigned elements() const { return unsigned((last - first) / size) + 1; }
  };

  void groupAccessesIntoRows(llvm::BasicBlock &block, llvm::AAResults &aliases);
  Row makeRowOfAccess(llvm::Instruction &access) const;
  bool canJoinRow(Row &row, const Row &one, llvm::AAResults &aliases) const;
  llvm::SmallVector<llvm::Instruction *, 4> accessesEmittedAt(llvm::Instruction &i) const;
  bool canDelayStores(const Row &row, llvm::AAResults &aliases) const;
  void chooseAccessStrategy(Row &row, llvm::AAResults &aliases) const;
  bool canStartAtBase(const Row &row) const;
  bool canAccessWholeRows(const Row &row) const;
  bool canWriteBackUnchangedElements(const Row &row) const;

  unsigned elementIndexOf(const Row &row, const llvm::Instruction &access) const;
  unsigned elementsPerLane(const Row &row) const;
  /// The position of a lane's element within the row's vectors.
  unsigned elementPositionInRow(const Row &row, unsigned lane, unsigned element) const;
  /// The position of the first element of a vector.
  unsigned startElementOfVector(const Row &row, unsigned vector) const;
  /// The end of the positions that vectors may access.
  unsigned countAccessedElements(const Row &row) const;
  llvm::Value *emitElementAddress(llvm::IRBuilderBase &b, const Row &row, unsigned position) const;
  /// Emits the address of each lane's first element.
  llvm::SmallVector<llvm::Value *, 32> emitLaneAddresses(llvm::IRBuilderBase &b, const Row &row);
  /// Emits the difference between lane 1's value and lane 0's.
  llvm::Value *emitStride(llvm::IRBuilderBase &b, llvm::Value &v);

  void loadVectors(llvm::IRBuilderBase &b, Row &row, const llvm::LoadInst &load) const;
  void loadPerLane(llvm::IRBuilderBase &b, Row &row, const llvm::LoadInst &load);
  llvm::Value *extractElements(llvm::IRBuilderBase &b, const Row &row, unsigned element) const;
  unsigned countVectors(const Row &row) const;
  /// Emits `width` elements starting at position `start`. `between`: values of the elements in between; null if
  /// undefined.
  llvm::Value *interleaveElements(llvm::IRBuilderBase &b, const Row &row, unsigned start,
                                  llvm::Value *between = nullptr) const;
  void storeVectors(llvm::IRBuilderBase &b, const Row &row) const;
  void storePerLane(llvm::IRBuilderBase &b, const Row &row);

  const llvm::DataLayout &layout;
  const LaneShapes &shapes;
  LaneValues &values;
  unsigned width;
  std::deque<Row> rows_;
  llvm::DenseMap<const llvm::Instruction *, Row *> rowOf_;
};

} // namespace heddle::cpu
