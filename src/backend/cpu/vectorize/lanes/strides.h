// Accesses whose lanes are evenly apart: pixels, complex numbers, records, rows of a matrix. The elements that neighbouring
// accesses of a lane are to are read or written together, and shuffled: faster than gathers and scatters.
#pragma once

#include "backend/cpu/vectorize/lanes/values.h"

#include "llvm/Analysis/AliasAnalysis.h"

#include <deque>

namespace heddle::cpu {

/// Whether the lanes' elements of `type` are evenly apart, and neither neighbours nor the same.
bool areEvenlyApart(LaneShape address, llvm::Type &type, const llvm::DataLayout &layout);

/// For accesses of blocks that all lanes run. Besides the lanes' elements they read what is between two of them.
class LaneStrides {
public:
  LaneStrides(llvm::Function &f, const LaneShapes &shapes, LaneValues &values, unsigned width,
              llvm::AAResults &aliases);

  /// At the builder's position, what the lanes load; null where that takes a gather.
  llvm::Value *load(llvm::IRBuilderBase &b, llvm::LoadInst &load);
  /// Whether the lanes' `values` are stored by this, now or with a later store of the block; else it takes a scatter.
  bool store(llvm::IRBuilderBase &b, llvm::StoreInst &store, llvm::Value &values);

private:
  struct Member {
    llvm::Instruction *access;
    int64_t place; ///< in bytes behind the row's base
  };

  /// Accesses of a block to the same few elements of each lane.
  struct Row {
    llvm::Value *base;
    llvm::Type *type;
    int64_t size;    ///< of an element, in bytes
    int64_t spacing; ///< of the lanes, in elements, where these are few; else 0
    bool loads;
    llvm::Align alignment;
    int64_t first, last; ///< places
    llvm::SmallVector<Member, 4> members;
    bool isDone = false;       ///< a later access is of another row
    bool inOne = true;         ///< members are stored together, by the last
    bool byPieces = false;     ///< each lane has an access of its own
    bool hasWholeRows = false; ///< what lies behind the last lane's elements may be accessed
    bool writesBack = false; ///< what is between the stored elements is read, and written as it was
    /// Loaded: the elements of all lanes by position. To be stored: the lanes' by element.
    llvm::SmallVector<llvm::Value *, 8> vectors;

    /// Of each lane, from the first that is accessed to the last.
    unsigned elements() const { return unsigned((last - first) / size) + 1; }
  };

  void findRows(llvm::BasicBlock &block, llvm::AAResults &aliases);
  Row rowOfOne(llvm::Instruction &access) const;
  bool joins(Row &row, const Row &one, llvm::AAResults &aliases) const;
  llvm::SmallVector<llvm::Instruction *, 4> accessesAt(llvm::Instruction &i) const;
  bool mayWait(const Row &row, llvm::AAResults &aliases) const;
  void decide(Row &row, llvm::AAResults &aliases) const;
  bool beginsAtBase(const Row &row) const;
  bool endsWithRow(const Row &row) const;
  bool mayWriteBack(const Row &row) const;

  unsigned elementOf(const Row &row, const llvm::Instruction &access) const;
  unsigned elementsPerLane(const Row &row) const;
  /// Of a lane's element among those of all lanes, in the order in which vectors have them.
  unsigned positionOf(const Row &row, unsigned lane, unsigned element) const;
  /// The position that a vector begins with.
  unsigned startOf(const Row &row, unsigned vector) const;
  /// The position behind the last one that vectors may access.
  unsigned endOf(const Row &row) const;
  llvm::Value *addressOf(llvm::IRBuilderBase &b, const Row &row, unsigned position) const;
  /// Of each lane's first element.
  llvm::SmallVector<llvm::Value *, 32> addresses(llvm::IRBuilderBase &b, const Row &row);
  /// What lane 1's value is more than lane 0's.
  llvm::Value *strideOf(llvm::IRBuilderBase &b, llvm::Value &v);

  void loadVectors(llvm::IRBuilderBase &b, Row &row, const llvm::LoadInst &load) const;
  void loadPieces(llvm::IRBuilderBase &b, Row &row, const llvm::LoadInst &load);
  llvm::Value *pick(llvm::IRBuilderBase &b, const Row &row, unsigned element) const;
  unsigned vectorsOf(const Row &row) const;
  /// The elements at the positions from `start` on, of which there are `width`. `between`: what others have; null: nothing.
  llvm::Value *interleave(llvm::IRBuilderBase &b, const Row &row, unsigned start,
                          llvm::Value *between = nullptr) const;
  void storeVectors(llvm::IRBuilderBase &b, const Row &row) const;
  void storePieces(llvm::IRBuilderBase &b, const Row &row);

  const llvm::DataLayout &layout;
  const LaneShapes &shapes;
  LaneValues &values;
  unsigned width;
  std::deque<Row> rows_;
  llvm::DenseMap<const llvm::Instruction *, Row *> rowOf_;
};

} // namespace heddle::cpu
