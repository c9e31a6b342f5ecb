#include "backend/cpu/vectorize/interleave_locals.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// A local array and the uses of its addresses.
class LocalArray {
public:
  explicit LocalArray(AllocaInst &array)
      : array(array), layout(array.getFunction()->getDataLayout()) {}

  /// Returns true if all accesses are of elements of one size, at multiples of that size.
  bool collectUsesAndCheckElementSize() {
    if (!collectUses(array) || !mergesOnlyThisArray())
      return false;
    uint64_t total = array.getAllocationSize(layout)->getFixedValue();
    return bytes && total % bytes == 0 && total > bytes && all_of(steps, [&](auto &entry) {
             const Step &step = entry.second;
             return step.constant.srem(int64_t(bytes)) == 0 &&
                    all_of(step.scales,
                           [&](auto &scaled) { return scaled.second.srem(int64_t(bytes)) == 0; });
           });
  }

  void interleave(unsigned width) {
    for (auto &[address, step] : steps)
      scaleIndicesToWidth(*address, step, width);
    Align elementAlign(bytes & -bytes); // elements of one lane
    for (Instruction *i : accesses)
      setLoadStoreAlignment(i, std::min(elementAlign, getLoadStoreAlignment(i)));
    LLVMContext &context = array.getContext();
    array.setAllocatedType(ArrayType::get(array.getAllocatedType(), width));
    array.setAlignment(
        std::max(array.getAlign(), Align(PowerOf2Ceil(std::min<uint64_t>(bytes * width, 64)))));
    Metadata *size = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), bytes));
    array.setMetadata(interleavedMetadata, MDNode::get(context, size));
  }

private:
  /// The distance of an address from its base.
  struct Step {
    APInt constant;
    SmallMapVector<Value *, APInt, 4> scales;
  };

  bool collectUses(Value &address) {
    for (Use &use : address.uses())
      if (!collectUse(use))
        return false;
    return true;
  }

  bool collectUse(Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *load = dyn_cast<LoadInst>(user))
      return load->isSimple() && addAccessIfSameSize(*load, load->getType());
    if (auto *store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == 1 && store->isSimple() &&
             addAccessIfSameSize(*store, store->getValueOperand()->getType());
    if (auto *call = dyn_cast<IntrinsicInst>(user))
      return call->isLifetimeStartOrEnd();
    if (isa<PHINode, SelectInst, ICmpInst>(user)) {
      if (!merges.insert(user) || isa<ICmpInst>(user))
        return true;
      return (isa<PHINode>(user) || use.getOperandNo() != 0) && collectUses(*user);
    }
    auto *address = dyn_cast<GetElementPtrInst>(user);
    if (!address || use.getOperandNo() != 0 || address->getType()->isVectorTy())
      return false;
    unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
    Step step{APInt(bits, 0), {}};
    if (!cast<GEPOperator>(address)->collectOffset(layout, bits, step.scales, step.constant))
      return false;
    steps.insert({address, step});
    return collectUses(*address);
  }

  /// Returns true if phis, selects and comparisons of addresses involve only this array.
  bool mergesOnlyThisArray() {
    auto isFromArray = [&](Value *v) {
      auto *i = dyn_cast<Instruction>(v);
      auto *address = dyn_cast<GetElementPtrInst>(v);
      return i == &array || (i && merges.contains(i)) || (address && steps.contains(address));
    };
    return all_of(merges, [&](Instruction *i) {
      return all_of(drop_begin(i->operands(), isa<SelectInst>(i)), isFromArray);
    });
  }

  bool addAccessIfSameSize(Instruction &i, Type *type) {
    uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
    if (type->isVectorTy() || (bytes && size != bytes))
      return false;
    bytes = size;
    accesses.push_back(&i);
    return true;
  }

  void scaleIndicesToWidth(GetElementPtrInst &address, const Step &step, unsigned width) {
    IRBuilder<> b(&address);
    Value *pointer = address.getPointerOperand();
    for (const auto &[index, scale] : step.scales)
      pointer = b.CreateGEP(ArrayType::get(b.getInt8Ty(), scale.getSExtValue() * width), pointer,
                            index, address.getName());
    if (int64_t constant = step.constant.getSExtValue())
      pointer = b.CreateConstGEP1_64(b.getInt8Ty(), pointer, constant * width, address.getName());
    address.replaceAllUsesWith(pointer);
    address.eraseFromParent();
  }

  AllocaInst &array;
  const DataLayout &layout;
  uint64_t bytes = 0;
  SmallVector<Instruction *, 8> accesses;
  MapVector<GetElementPtrInst *, Step> steps;
  SetVector<Instruction *> merges; ///< phis, selects and comparisons of addresses
};

} // namespace

void interleaveLocals(Function &f, unsigned width) {
  SmallVector<AllocaInst *> arrays;
  for (Instruction &i : f.getEntryBlock())
    if (auto *array = dyn_cast<AllocaInst>(&i); array && array->isStaticAlloca())
      arrays.push_back(array);
  for (AllocaInst *array : arrays)
    if (LocalArray local(*array); local.collectUsesAndCheckElementSize())
      local.interleave(width);
}

uint64_t interleavedElementBytes(const AllocaInst &array) {
  const MDNode *mark = array.getMetadata(interleavedMetadata);
  return mark ? mdconst::extract<ConstantInt>(mark->getOperand(0))->getZExtValue() : 0;
}

} // namespace heddle::cpu
