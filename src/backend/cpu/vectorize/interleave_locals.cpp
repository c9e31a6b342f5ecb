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

/// A local array, and what is done with addresses in it.
class LocalArray {
public:
  explicit LocalArray(AllocaInst &array)
      : array(array), layout(array.getFunction()->getDataLayout()) {}

  /// Whether all accesses are of elements of one size, at multiples of it.
  bool hasElements() {
    if (!follow(array) || !allAreOfArray())
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
      widenStep(*address, step, width);
    Align own(bytes & -bytes); // of each lane's elements
    for (Instruction *i : accesses)
      setLoadStoreAlignment(i, std::min(own, getLoadStoreAlignment(i)));
    LLVMContext &context = array.getContext();
    array.setAllocatedType(ArrayType::get(array.getAllocatedType(), width));
    array.setAlignment(
        std::max(array.getAlign(), Align(PowerOf2Ceil(std::min<uint64_t>(bytes * width, 64)))));
    Metadata *size = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), bytes));
    array.setMetadata(interleavedMark, MDNode::get(context, size));
  }

private:
  /// How far an address is from the one that it is computed from.
  struct Step {
    APInt constant;
    SmallMapVector<Value *, APInt, 4> scales;
  };

  bool follow(Value &address) {
    for (Use &use : address.uses())
      if (!followUse(use))
        return false;
    return true;
  }

  bool followUse(Use &use) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *load = dyn_cast<LoadInst>(user))
      return load->isSimple() && access(*load, load->getType());
    if (auto *store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == 1 && store->isSimple() &&
             access(*store, store->getValueOperand()->getType());
    if (auto *call = dyn_cast<IntrinsicInst>(user))
      return call->isLifetimeStartOrEnd();
    if (isa<PHINode, SelectInst, ICmpInst>(user)) {
      if (!choices.insert(user) || isa<ICmpInst>(user))
        return true;
      return (isa<PHINode>(user) || use.getOperandNo() != 0) && follow(*user);
    }
    auto *address = dyn_cast<GetElementPtrInst>(user);
    if (!address || use.getOperandNo() != 0 || address->getType()->isVectorTy())
      return false;
    unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
    Step step{APInt(bits, 0), {}};
    if (!cast<GEPOperator>(address)->collectOffset(layout, bits, step.scales, step.constant))
      return false;
    steps.insert({address, step});
    return follow(*address);
  }

  /// Whether what chooses among addresses, or compares them, has no other's.
  bool allAreOfArray() {
    auto isOfArray = [&](Value *v) {
      auto *i = dyn_cast<Instruction>(v);
      auto *address = dyn_cast<GetElementPtrInst>(v);
      return i == &array || (i && choices.contains(i)) || (address && steps.contains(address));
    };
    return all_of(choices, [&](Instruction *i) {
      return all_of(drop_begin(i->operands(), isa<SelectInst>(i)), isOfArray);
    });
  }

  bool access(Instruction &i, Type *type) {
    uint64_t size = layout.getTypeStoreSize(type).getFixedValue();
    if (type->isVectorTy() || (bytes && size != bytes))
      return false;
    bytes = size;
    accesses.push_back(&i);
    return true;
  }

  void widenStep(GetElementPtrInst &address, const Step &step, unsigned width) {
    IRBuilder<> b(&address);
    Value *place = address.getPointerOperand();
    for (const auto &[index, scale] : step.scales)
      place = b.CreateGEP(ArrayType::get(b.getInt8Ty(), scale.getSExtValue() * width), place, index,
                          address.getName());
    if (int64_t constant = step.constant.getSExtValue())
      place = b.CreateConstGEP1_64(b.getInt8Ty(), place, constant * width, address.getName());
    address.replaceAllUsesWith(place);
    address.eraseFromParent();
  }

  AllocaInst &array;
  const DataLayout &layout;
  uint64_t bytes = 0;
  SmallVector<Instruction *, 8> accesses;
  MapVector<GetElementPtrInst *, Step> steps;
  SetVector<Instruction *> choices; ///< between addresses, and comparisons of them
};

} // namespace

void interleaveLocals(Function &f, unsigned width) {
  SmallVector<AllocaInst *> arrays;
  for (Instruction &i : f.getEntryBlock())
    if (auto *array = dyn_cast<AllocaInst>(&i); array && array->isStaticAlloca())
      arrays.push_back(array);
  for (AllocaInst *array : arrays)
    if (LocalArray local(*array); local.hasElements())
      local.interleave(width);
}

uint64_t interleavedBytes(const AllocaInst &array) {
  const MDNode *mark = array.getMetadata(interleavedMark);
  return mark ? mdconst::extract<ConstantInt>(mark->getOperand(0))->getZExtValue() : 0;
}

} // namespace heddle::cpu
