#pragma once

#include "backend/cpu/vectorize/lanes/shapes.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

/// Whether the low 32 bits of the operands make those of the result.
bool worksOnLowHalves(const llvm::BinaryOperator &i);

/// The values of a function that is widened, as vectors: what differs somehow from lane to lane has one, of what is the
/// same or has a stride one is made where it is needed.
class LaneValues {
public:
  LaneValues(llvm::Function &f, unsigned width, const LaneShapes &shapes, llvm::IRBuilderBase &b)
      : f(f), width(width), shapes(shapes), b(b) {}

  llvm::Type *wide(llvm::Type *type) const;
  /// Each lane's value of `v`.
  llvm::Value *vector(llvm::Value *v);
  /// `v` as an operand that may be the same for all lanes.
  llvm::Value *either(llvm::Value *v);
  bool isVarying(const llvm::Value &v) const { return shapes.of(v).isVarying(); }
  void set(llvm::Value &v, llvm::Value *vector) { vectors[&v] = vector; }

  /// At the builder's position, the vector of what an instruction computes that is neither a call nor an access nor a phi.
  /// mask: the lanes that run it; null for all.
  llvm::Value *computed(llvm::Instruction &i, llvm::Value *mask);
  /// The same of a call of an intrinsic.
  llvm::Value *computed(llvm::CallInst &call);

private:
  void after(llvm::Value &v);
  /// For each lane, by what it is behind lane 0.
  llvm::Value *steps(int64_t stride, llvm::Type *number) const;
  llvm::Value *compareCounted(llvm::ICmpInst &compare);
  llvm::Value *sharedAddress(llvm::GetElementPtrInst &address);
  /// The lower 32 bits of each lane's integer.
  llvm::Value *shortNumber(llvm::Value &v, unsigned depth = 0);
  llvm::Value *computedShort(llvm::Value &v, unsigned depth);
  llvm::Value *divideShort(llvm::BinaryOperator &i);
  llvm::Value *saturated(llvm::CallInst &call, bool isSigned);
  std::pair<llvm::Value *, llvm::Value *> safeOperands(llvm::BinaryOperator &i, llvm::Value *mask);

  llvm::Function &f;
  unsigned width;
  const LaneShapes &shapes;
  llvm::IRBuilderBase &b;
  llvm::DenseMap<llvm::Value *, llvm::Value *> vectors, shortNumbers;
};

} // namespace heddle::cpu
