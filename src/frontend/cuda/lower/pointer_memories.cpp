#include "frontend/cuda/lower/pointer_memories.h"

#include "simt/ir/checks.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

/// The name of an argument or a local array in the source.
std::string nameInSource(const Value &v) { return v.getName().split('.').first.str(); }

/// A variable's name in the source: demangled, without the enclosing function of a local variable.
std::string nameInSource(const GlobalVariable &v) {
  std::string name = demangle(v.getName());
  StringRef own = StringRef(name).split(" (.").first; // a copy's number follows
  // A template argument may contain a scope too.
  if (size_t scope = own.rfind("::"); scope != StringRef::npos && !own.ends_with(">"))
    own = own.drop_front(scope + 2);
  return own.str();
}

Memory makeMemory(Value &start, Value *low, Value *high, std::string object,
                  const char *descriptionWithoutName) {
  std::string name = object.empty() ? descriptionWithoutName : "'" + object + "'";
  return {&start, low, high, std::move(name), std::move(object)};
}

/// The base of a pointer, and true if the pointer may have moved away from it.
std::pair<Value *, bool> stripOffsets(Value *pointer) {
  for (bool moves = false;;)
    if (auto *step = dyn_cast<GEPOperator>(pointer)) {
      moves |= !step->hasAllZeroIndices();
      pointer = step->getPointerOperand();
    } else if (auto *cast = dyn_cast<AddrSpaceCastOperator>(pointer)) {
      pointer = cast->getPointerOperand();
    } else {
      return {pointer, moves};
    }
}

/// The pointers that a select or phi chooses from; empty for other pointers.
SmallVector<Value *, 4> selectedPointers(Value &pointer) {
  if (auto *select = dyn_cast<SelectInst>(&pointer))
    return {select->getTrueValue(), select->getFalseValue()};
  if (auto *phi = dyn_cast<PHINode>(&pointer))
    return SmallVector<Value *, 4>(phi->incoming_values());
  return {};
}

} // namespace

/// All pointers that a pointer may be selected from.
struct PointerMemories::Choice {
  SmallPtrSet<Value *, 8> seen;
  SmallVector<std::string, 4> names;
  bool moves = false; ///< one of the pointers is not the start of its memory
};

std::optional<Memory> PointerMemories::findOrEmitMemory(Value &address,
                                                        ArrayRef<const Value *> objects) {
  if (objects.size() == 1)
    return memoryOfObject(*const_cast<Value *>(objects.front()));
  Choice choice;
  Value &pointer = *stripOffsets(&address).first;
  if (!collectMemoryNames(pointer, choice))
    return std::nullopt;
  Memory memory = emitSelectedMemory(pointer, !choice.moves);
  memory.name = join(choice.names, " or ");
  return memory;
}

std::optional<Memory> PointerMemories::memoryOfObject(Value &object) {
  if (auto *a = dyn_cast<Argument>(&object)) {
    std::optional<unsigned> bounds = simt::boundsParameterOf(*a);
    if (!bounds)
      return std::nullopt;
    return makeMemory(*a, f_.getArg(*bounds), f_.getArg(*bounds + 1), nameInSource(*a),
                      "an argument");
  }
  Type *number = Type::getInt64Ty(f_.getContext());
  auto ofSize = [&](TypeSize size, std::string name, const char *description) {
    return makeMemory(object, ConstantInt::get(number, 0),
                      ConstantInt::get(number, size.getFixedValue()), std::move(name), description);
  };
  if (auto *local = dyn_cast<AllocaInst>(&object)) {
    std::optional<TypeSize> size = local->getAllocationSize(layout_);
    if (!size) // refused later: the size of an array must be a constant
      return std::nullopt;
    return ofSize(*size, nameInSource(object), "a local variable");
  }
  if (auto *variable = dyn_cast<GlobalVariable>(&object))
    return ofSize(layout_.getTypeAllocSize(variable->getValueType()), nameInSource(*variable),
                  "a variable");
  if (isa<ConstantPointerNull, UndefValue>(object))
    return ofSize(TypeSize::getFixed(0), "", "a null pointer");
  if (simt::calledOp(&object) == simt::Op::DynamicShared) {
    if (!dynamicSize_) {
      IRBuilder<> b(&*f_.getEntryBlock().getFirstInsertionPt());
      b.SetCurrentDebugLocation(simt::artificialLocation(f_));
      dynamicSize_ = simt::call(b, simt::Op::DynamicSharedSize, {});
    }
    return Memory{
        &object,      ConstantInt::get(number, 0),
        dynamicSize_, "the dynamic shared memory",
        "",           "\n  hint: the launch's shared_mem is its size in bytes, 0 by default"};
  }
  return std::nullopt;
}

/// Collects the memories that the pointer may refer to in `choice`. Returns false if any of them is unknown.
bool PointerMemories::collectMemoryNames(Value &pointer, Choice &choice) {
  if (!choice.seen.insert(&pointer).second)
    return true;
  SmallVector<Value *, 4> choices = selectedPointers(pointer);
  for (Value *chosen : choices) {
    auto [from, moves] = stripOffsets(chosen);
    choice.moves |= moves;
    if (!collectMemoryNames(*from, choice))
      return false;
  }
  if (!choices.empty())
    return true;
  std::optional<Memory> memory = memoryOfObject(pointer);
  if (memory && !is_contained(choice.names, memory->name))
    choice.names.push_back(memory->name);
  return memory.has_value();
}

/// The memory of a pointer whose alternatives are all known. `isStart`: the pointer is the start of its memory.
Memory PointerMemories::emitSelectedMemory(Value &pointer, bool isStart) {
  if (auto known = chosen_.find(&pointer); known != chosen_.end())
    return known->second;
  if (auto *select = dyn_cast<SelectInst>(&pointer))
    return emitSelectedMemoryOf(*select, isStart);
  if (auto *phi = dyn_cast<PHINode>(&pointer))
    return emitSelectedMemoryOf(*phi, isStart);
  return *memoryOfObject(pointer);
}

Memory PointerMemories::emitSelectedMemoryOf(SelectInst &select, bool isStart) {
  Memory one = emitSelectedMemory(*stripOffsets(select.getTrueValue()).first, isStart);
  Memory other = emitSelectedMemory(*stripOffsets(select.getFalseValue()).first, isStart);
  IRBuilder<> b(&select);
  auto either = [&](Value *a, Value *c) {
    return a == c ? a : b.CreateSelect(select.getCondition(), a, c);
  };
  auto startOf = [&](const Memory &memory) {
    return b.CreateAddrSpaceCast(memory.start, select.getType());
  };
  Memory memory{isStart ? &select : either(startOf(one), startOf(other)),
                either(one.low, other.low), either(one.high, other.high)};
  return chosen_.insert({&select, memory}).first->second;
}

Memory PointerMemories::emitSelectedMemoryOf(PHINode &phi, bool isStart) {
  IRBuilder<> b(&phi);
  auto made = [&](Type *type) {
    phis_.push_back(b.CreatePHI(type, phi.getNumIncomingValues()));
    return phis_.back();
  };
  PHINode *start = isStart ? nullptr : made(phi.getType());
  PHINode *low = made(b.getInt64Ty()), *high = made(b.getInt64Ty());
  Memory memory{isStart ? &phi : start, low, high};
  chosen_.insert({&phi, memory}); // inserted first, for cycles back to the phi
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    Memory chosen = emitSelectedMemory(*stripOffsets(value).first, isStart);
    low->addIncoming(chosen.low, block);
    high->addIncoming(chosen.high, block);
    if (!start)
      continue;
    // A predecessor may occur twice; both entries need the same value.
    int before = start->getBasicBlockIndex(block);
    b.SetInsertPoint(block->getTerminator());
    start->addIncoming(before < 0 ? b.CreateAddrSpaceCast(chosen.start, phi.getType())
                                  : start->getIncomingValue(before),
                       block);
  }
  return memory;
}

/// Removes phis whose incoming values are all equal.
PointerMemories::~PointerMemories() {
  for (bool changed = true; changed;) {
    changed = false;
    for (PHINode *&phi : phis_)
      if (Value *same = phi ? phi->hasConstantValue() : nullptr) {
        phi->replaceAllUsesWith(same);
        phi->eraseFromParent();
        phi = nullptr;
        changed = true;
      }
  }
}

} // namespace heddle::cudacpp
