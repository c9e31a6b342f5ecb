#include "simt/check/insert_definedness_checks.h"

#include "simt/analysis/sync_points.h"
#include "simt/check/access_sites.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The value and address of a store; null for other instructions.
struct StoreOperands {
  Value *value = nullptr, *address = nullptr;

  static StoreOperands of(Instruction &i) {
    if (auto *store = dyn_cast<StoreInst>(&i))
      return {store->getValueOperand(), store->getPointerOperand()};
    std::optional<Op> op = calledOp(&i);
    if (op == Op::StoreCached || op == Op::AtomicExch) {
      auto &call = cast<CallInst>(i);
      return {call.getArgOperand(1), call.getArgOperand(0)};
    }
    return {};
  }
};

/// The address of a load, or of an atomic whose result is the old value; null for other instructions.
Value *loadedAddress(Instruction &i) {
  if (auto *load = dyn_cast<LoadInst>(&i))
    return load->getPointerOperand();
  std::optional<Op> op = calledOp(&i);
  if (op && (*op == Op::LoadCached || info(*op).has(ArgMemory)))
    return cast<CallInst>(i).getArgOperand(0);
  return nullptr;
}

/// True for an atomic that computes with the old value.
bool computesWithOldValue(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op && info(*op).has(ArgMemory) && *op != Op::AtomicExch;
}

/// False for memory that is never new: variables of the module, and constant memory.
bool mayBeUndefinedMemory(const Value &address) {
  if (address.getType()->getPointerAddressSpace() == Constant)
    return false;
  const auto *variable = dyn_cast<GlobalVariable>(underlyingObjectOf(address));
  return !variable || variable->getAddressSpace() == Shared || isHeapVariable(*variable);
}

/// True for a part of another check.
bool isPartOfCheck(const User &user) {
  if (calledOp(&user) == Op::CheckAccess)
    return true;
  return isa<CastInst>(user) && !user.use_empty() &&
         all_of(user.users(), [](const User *next) { return isPartOfCheck(*next); });
}

/// True if bits of the value, merged with other bits by `or`, are stored at the address.
bool isStoredAfterMerge(const Value &value, const Value &address, bool merged) {
  using namespace PatternMatch;
  return any_of(value.users(), [&](const User *user) {
    if (const auto *store = dyn_cast<StoreInst>(user))
      return merged && store->getPointerOperand() == &address;
    if (match(user, m_And(m_Specific(&value), m_ConstantInt())))
      return isStoredAfterMerge(*user, address, merged);
    return match(user, m_Or(m_Value(), m_Value())) && isStoredAfterMerge(*user, address, true);
  });
}

/// True if the program loads the word to set a bit field in it. Other bits of the word may have no value.
bool isUpdateOfBitField(const Instruction &load, const Value &address) {
  using namespace PatternMatch;
  const Value *word = &load;
  if (word->hasOneUse() && isa<PHINode>(word->user_back()))
    word = word->user_back(); // 0 if the address is invalid
  return any_of(word->users(), [&](const User *user) {
    return match(user, m_And(m_Specific(word), m_ConstantInt())) &&
           isStoredAfterMerge(*user, address, /*merged=*/false);
  });
}

/// The values that come from loads unchanged, and their definedness.
class LoadedValues {
public:
  void addLoad(Instruction &load, Value *definedness) {
    definedness_[&load] = definedness;
    values_.insert(&load);
  }

  /// Adds the phis, selects and so on that pass loaded values on.
  void addValuesThatPassLoadsOn() {
    for (size_t i = 0; i < values_.size(); ++i)
      for (User *user : values_[i]->users())
        if (passesOperandOn(*user, *values_[i]))
          values_.insert(cast<Instruction>(user));
  }

  ArrayRef<Instruction *> values() const { return values_.getArrayRef(); }

  /// True if the operation has the same value as its operand.
  static bool passesOperandOn(const User &user, const Value &operand) {
    if (isa<PHINode, FreezeInst>(user))
      return true;
    if (const auto *select = dyn_cast<SelectInst>(&user))
      return select->getCondition() != &operand;
    return isa<BitCastInst, ZExtInst, SExtInst, TruncInst>(user) || isTestOfBool(user, operand);
  }

  /// The definedness of a value, as an i64.
  Value *emitDefinednessOf(Value &value) {
    if (Value *known = definedness_.lookup(&value))
      return known;
    auto *i = dyn_cast<Instruction>(&value);
    if (!i || !values_.contains(i))
      return ConstantInt::get(Type::getInt64Ty(value.getContext()), 0);
    IRBuilder<> b(i);
    if (auto *phi = dyn_cast<PHINode>(i)) {
      PHINode *merged = b.CreatePHI(b.getInt64Ty(), phi->getNumIncomingValues());
      definedness_[i] = merged;
      for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
        merged->addIncoming(emitDefinednessOf(*phi->getIncomingValue(n)), phi->getIncomingBlock(n));
      return merged;
    }
    Value *result;
    if (auto *select = dyn_cast<SelectInst>(i)) {
      Value *ifTrue = emitDefinednessOf(*select->getTrueValue()),
            *ifFalse = emitDefinednessOf(*select->getFalseValue());
      result = b.CreateSelect(select->getCondition(), ifTrue, ifFalse);
    } else {
      result = emitDefinednessOf(*i->getOperand(0));
      if (isa<TruncInst>(i))
        result =
            emitLowBytesDefinedness(b, result, divideCeil(i->getType()->getScalarSizeInBits(), 8));
    }
    return definedness_[i] = result;
  }

private:
  /// The definedness of a value's low bytes.
  static Value *emitLowBytesDefinedness(IRBuilderBase &b, Value *definedness, uint64_t bytes) {
    uint64_t dropped = maskTrailingOnes<uint64_t>(definednessMaskBits) &
                       ~maskTrailingOnes<uint64_t>(unsigned(bytes));
    Value *low = b.CreateAnd(definedness, b.getInt64(maskTrailingOnes<uint64_t>(unsigned(bytes))));
    return b.CreateSelect(b.CreateIsNull(low), b.getInt64(0),
                          b.CreateAnd(definedness, b.getInt64(~dropped)));
  }

  /// True for the conversion of a bool in memory to an i1 that is only stored again.
  static bool isTestOfBool(const User &user, const Value &operand) {
    using namespace PatternMatch;
    return operand.getType()->isIntegerTy(8) &&
           match(&user, m_SpecificICmp(ICmpInst::ICMP_NE, m_Specific(&operand), m_Zero())) &&
           all_of(user.users(),
                  [](const User *next) { return isa<PHINode, SelectInst, ZExtInst>(next); });
  }

  SetVector<Instruction *> values_;
  DenseMap<const Value *, Value *> definedness_;
};

class DefinednessInstrumentation {
public:
  DefinednessInstrumentation(Function &f, const DominatorTree &order)
      : f_(f), layout_(f.getDataLayout()), order_(order) {}

  bool run() {
    collectInstructions();
    for (Instruction *load : loads_)
      insertDefinednessLoad(*load);
    loaded_.addValuesThatPassLoadsOn();
    for (auto &[use, value] : findReportedUses())
      insertUseCheck(*use, *value);
    for (Instruction *store : stores_)
      insertDefinednessStore(*store);
    for (MemIntrinsic *copy : copies_)
      insertDefinednessCopy(*copy);
    return !loads_.empty() || !stores_.empty() || !copies_.empty();
  }

private:
  void collectInstructions() {
    for (Instruction &i : instructions(f_)) {
      if (Value *address = loadedAddress(i);
          address && mayBeUndefinedMemory(*address) && isTrackableType(*i.getType()))
        if (!isUpdateOfBitField(i, *address))
          loads_.push_back(&i);
      Value *stored = StoreOperands::of(i).address;
      if (computesWithOldValue(i))
        stored = loadedAddress(i);
      if (stored && mayBeUndefinedMemory(*stored))
        stores_.push_back(&i);
      if (auto *copy = dyn_cast<MemIntrinsic>(&i);
          copy && mayBeUndefinedMemory(*copy->getRawDest()))
        copies_.push_back(copy);
      if (calledOp(&i) == Op::Print)
        printed_.insert(underlyingObjectOf(*cast<CallInst>(i).getArgOperand(1)));
    }
  }

  bool isTrackableType(Type &type) const {
    return type.isSingleValueType() && layout_.getTypeStoreSize(&type) <= definednessMaskBits;
  }

  Value *bytesOf(Type &type) const {
    return ConstantInt::get(Type::getInt64Ty(f_.getContext()), layout_.getTypeStoreSize(&type));
  }

  void insertDefinednessLoad(Instruction &load) {
    IRBuilder<> b(&load);
    Value *address = loadedAddress(load);
    unsigned site = addAccessSite(load, *underlyingObjectOf(*address));
    Value *definedness =
        simt::call(b, Op::CheckLoad,
                   {b.getInt32(site), castToGeneric(b, address),
                    castToGeneric(b, basePointerOf(*address)), bytesOf(*load.getType())});
    if (computesWithOldValue(load))
      simt::call(b, Op::CheckUse, {b.getInt32(site), definedness});
    else
      loaded_.addLoad(load, definedness);
  }

  /// The instructions that use loaded values, and the values. Uses that follow another use of the value are left out.
  SmallVector<std::pair<Instruction *, Instruction *>> findReportedUses() const {
    SmallVector<std::pair<Instruction *, Instruction *>> uses;
    for (Instruction *value : loaded_.values()) {
      SmallSetVector<Instruction *, 4> mine;
      for (Use &use : value->uses())
        if (isReportedUse(use))
          mine.insert(cast<Instruction>(use.getUser()));
      for (Instruction *use : mine)
        if (none_of(mine, [&](Instruction *other) {
              return other != use && order_.dominates(other, use);
            }))
          uses.emplace_back(use, value);
    }
    return uses;
  }

  bool isReportedUse(const Use &use) const {
    auto &by = *cast<Instruction>(use.getUser());
    // The lanes that read an undefined value by a shuffle may ignore it, as those of a group that take the result of
    // one lane. Structures that functions return are built from all their bytes, also from the padding.
    if (LoadedValues::passesOperandOn(by, *use.get()) || isPartOfCheck(by) || isShuffle(by) ||
        isa<InsertValueInst>(by) || by.isDroppable())
      return false;
    StoreOperands store = StoreOperands::of(by);
    return store.value != use.get() || store.address == use.get() ||
           printed_.contains(underlyingObjectOf(*store.address));
  }

  void insertUseCheck(Instruction &use, Instruction &value) {
    Value *definedness = loaded_.emitDefinednessOf(value);
    IRBuilder<> b(&use);
    simt::call(b, Op::CheckUse, {b.getInt32(addAccessSite(use, use)), definedness});
  }

  void insertDefinednessStore(Instruction &store) {
    auto [value, address] = StoreOperands::of(store);
    Type *type = value ? value->getType() : store.getType();
    Value *definedness = value && isTrackableType(*type) ? loaded_.emitDefinednessOf(*value)
                                                         : ConstantInt::get(i64(), 0);
    IRBuilder<> b(store.getNextNode());
    b.SetCurrentDebugLocation(store.getDebugLoc());
    if (!address)
      address = loadedAddress(store);
    simt::call(b, Op::CheckStore, {castToGeneric(b, address), bytesOf(*type), definedness});
  }

  void insertDefinednessCopy(MemIntrinsic &copy) {
    IRBuilder<> b(copy.getNextNode());
    b.SetCurrentDebugLocation(copy.getDebugLoc());
    Value *to = castToGeneric(b, copy.getRawDest()),
          *bytes = b.CreateZExtOrTrunc(copy.getLength(), i64());
    if (auto *transfer = dyn_cast<MemTransferInst>(&copy))
      simt::call(b, Op::CheckCopy, {to, castToGeneric(b, transfer->getRawSource()), bytes});
    else
      simt::call(b, Op::CheckStore, {to, bytes, b.getInt64(0)});
  }

  Type *i64() const { return Type::getInt64Ty(f_.getContext()); }

  Function &f_;
  const DataLayout &layout_;
  const DominatorTree &order_;
  SmallVector<Instruction *> loads_, stores_;
  SmallVector<MemIntrinsic *> copies_;
  SmallPtrSet<const Value *, 4> printed_; ///< the values of prints
  LoadedValues loaded_;
};

} // namespace

PreservedAnalyses InsertDefinednessChecks::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = DefinednessInstrumentation(f, am.getResult<DominatorTreeAnalysis>(f)).run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
