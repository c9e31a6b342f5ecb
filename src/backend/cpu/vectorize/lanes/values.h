#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Returns true if the low 32 bits of the result depend only on the low 32 bits of the operands.
bool dependsOnLowHalvesOnly(const llvm::BinaryOperator &i);

/// The vectors of a function's values during widening. Varying values always have a vector; for uniform and strided
/// values, one is made on demand.
class LaneValues {
public:
  LaneValues(llvm::Function &f, unsigned width, const LaneShapes &shapes, llvm::IRBuilderBase &b)
      : f(f), width(width), shapes(shapes), b(b) {}

  llvm::Type *vectorType(llvm::Type *type) const;
  /// The widened value of `v`: a vector with one element per lane.
  llvm::Value *vector(llvm::Value *v);
  /// Returns `v` itself if it is uniform, else vector(v).
  llvm::Value *scalarOrVector(llvm::Value *v);
  bool isVarying(const llvm::Value &v) const { return shapes.shapeOf(v).isVarying(); }
  void setVector(llvm::Value &v, llvm::Value *vector) { vectors[&v] = vector; }

  /// Emits the vector of an instruction that is not a call, access or phi. mask: active lanes; null for all.
  llvm::Value *emitVector(llvm::Instruction &i, llvm::Value *mask);
  /// Emits the vector of an intrinsic's call.
  llvm::Value *emitVector(llvm::CallInst &call);

private:
  void setInsertPointAfter(llvm::Value &v);
  /// The offset of each lane from lane 0.
  llvm::Value *laneOffsets(int64_t stride, llvm::Type *number) const;
  llvm::Value *emitCompareByCount(llvm::ICmpInst &compare);
  llvm::Value *emitSharedAddressWith32BitOffsets(llvm::GetElementPtrInst &address);
  /// Emits the low 32 bits of each lane's integer, once per value.
  llvm::Value *emitLow32(llvm::Value &v, unsigned depth = 0);
  llvm::Value *emitLow32WithoutLookup(llvm::Value &v, unsigned depth);
  llvm::Value *emitDivisionInDouble(llvm::BinaryOperator &i);
  llvm::Value *emitSaturatingConversion(llvm::CallInst &call, bool isSigned);
  std::pair<llvm::Value *, llvm::Value *> emitNonTrappingOperands(llvm::BinaryOperator &i,
                                                                  llvm::Value *mask);

  llvm::Function &f;
  unsigned width;
  const LaneShapes &shapes;
  llvm::IRBuilderBase &b;
  llvm::DenseMap<llvm::Value *, llvm::Value *> vectors, low32Vectors;
};

} // namespace heddle::cpu
