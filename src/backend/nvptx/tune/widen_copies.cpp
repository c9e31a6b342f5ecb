#include "backend/nvptx/tune/widen_copies.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr uint64_t maxPieceBytes = 16;
/// More pieces are accessed in a loop.
constexpr uint64_t maxPieces = 32;

bool isLocalVariable(const Value &pointer) {
  return isa<AllocaInst>(getUnderlyingObject(&pointer));
}

bool involvesLocals(const MemIntrinsic &call) {
  const auto *copy = dyn_cast<MemCpyInst>(&call);
  return isLocalVariable(*call.getRawDest()) || (copy && isLocalVariable(*copy->getRawSource()));
}

/// A memcpy or memset of constant length.
class WideCopy {
public:
  explicit WideCopy(MemIntrinsic &call) : call_(call), copy_(dyn_cast<MemCpyInst>(&call)) {}

  bool expand() {
    const auto *length = dyn_cast<ConstantInt>(call_.getLength());
    if (!length || call_.isVolatile() || !isa<MemCpyInst, MemSetInst>(call_))
      return false;
    uint64_t bytes = length->getZExtValue();
    align_ = raiseAndGetAlignment(call_.getRawDest(), call_.getDestAlign());
    if (copy_)
      align_ =
          std::min(align_, raiseAndGetAlignment(copy_->getRawSource(), copy_->getSourceAlign()));
    uint64_t piece = std::min<uint64_t>(align_.value(), maxPieceBytes), count = bytes / piece;
    IRBuilder<> b(&call_);
    uint64_t done = count * piece;
    if (count <= maxPieces) {
      for (uint64_t at = 0; at < done; at += piece)
        emitPiece(b, b.getInt64(at), piece);
    } else {
      auto [inside, index] =
          SplitBlockAndInsertSimpleForLoop(b.getInt64(count), call_.getIterator());
      IRBuilder<> body(inside);
      emitPiece(body, body.CreateMul(index, body.getInt64(piece), "", true, true), piece);
      b.SetInsertPoint(&call_);
    }
    for (; done < bytes; done += piece) {
      while (piece > bytes - done)
        piece /= 2;
      emitPiece(b, b.getInt64(done), piece);
    }
    call_.eraseFromParent();
    return true;
  }

private:
  static Align raiseAndGetAlignment(Value *pointer, MaybeAlign known) {
    auto *local = dyn_cast<AllocaInst>(pointer);
    if (!local)
      return known.valueOrOne();
    local->setAlignment(std::max(local->getAlign(), Align(maxPieceBytes)));
    return local->getAlign();
  }

  static Type *pieceType(IRBuilderBase &b, uint64_t bytes) {
    return bytes == maxPieceBytes ? static_cast<Type *>(FixedVectorType::get(b.getInt32Ty(), 4))
                                  : b.getIntNTy(unsigned(bytes) * 8);
  }

  /// Accesses the `bytes` bytes at `offset`, which is a multiple of `bytes`.
  void emitPiece(IRBuilderBase &b, Value *offset, uint64_t bytes) {
    Type *type = pieceType(b, bytes);
    Value *value =
        copy_ ? b.CreateAlignedLoad(type, addOffset(b, copy_->getRawSource(), offset), Align(bytes))
              : emitMemsetPattern(b, type);
    b.CreateAlignedStore(value, addOffset(b, call_.getRawDest(), offset), Align(bytes));
  }

  static Value *addOffset(IRBuilderBase &b, Value *pointer, Value *offset) {
    return isa<ConstantInt>(offset) && cast<ConstantInt>(offset)->isZero()
               ? pointer
               : b.CreateInBoundsPtrAdd(pointer, offset);
  }

  Value *emitMemsetPattern(IRBuilderBase &b, Type *type) {
    auto *element = cast<IntegerType>(type->getScalarType());
    Value *byte = b.CreateZExt(cast<MemSetInst>(call_).getValue(), element);
    Value *bytes = b.CreateMul(
        byte, ConstantInt::get(element, APInt::getSplat(element->getBitWidth(), APInt(8, 1))));
    return type->isVectorTy() ? b.CreateVectorSplat(4, bytes) : bytes;
  }

  MemIntrinsic &call_;
  MemCpyInst *copy_; ///< null for a memset
  Align align_;
};

} // namespace

PreservedAnalyses WidenCopies::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<MemIntrinsic *> calls;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<MemIntrinsic>(&i); call && involvesLocals(*call) == (of == Locals))
      calls.push_back(call);
  bool changed = false;
  for (MemIntrinsic *call : calls)
    changed |= WideCopy(*call).expand();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
