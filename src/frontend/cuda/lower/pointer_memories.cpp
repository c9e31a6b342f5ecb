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

std::string quotedName(const Value &v, const char *otherwise) {
  StringRef name = v.getName().split('.').first;
  return name.empty() ? otherwise : "'" + name.str() + "'";
}

/// A variable's name in the source: demangled, and without the function that a local one is in.
std::string nameOf(const GlobalVariable &v) {
  std::string name = demangle(v.getName());
  StringRef own = StringRef(name).split(" (.").first; // a copy's number follows
  // The argument of a template may have a scope, too.
  if (size_t scope = own.rfind("::"); scope != StringRef::npos && !own.ends_with(">"))
    own = own.drop_front(scope + 2);
  return own.empty() ? "a variable" : "'" + own.str() + "'";
}

/// The base of a pointer, and whether the pointer may have moved away from it.
std::pair<Value *, bool> stepsTo(Value *pointer) {
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

/// The pointers that one is chosen from; none where the program does not choose.
SmallVector<Value *, 4> choicesOf(Value &pointer) {
  if (auto *select = dyn_cast<SelectInst>(&pointer))
    return {select->getTrueValue(), select->getFalseValue()};
  if (auto *phi = dyn_cast<PHINode>(&pointer))
    return SmallVector<Value *, 4>(phi->incoming_values());
  return {};
}

} // namespace

/// All that a pointer may be chosen from.
struct PointerMemories::Choice {
  SmallPtrSet<Value *, 8> seen;
  SmallVector<std::string, 4> names;
  bool moves = false; ///< one of the pointers is not the start of its memory
};

std::optional<Memory> PointerMemories::of(Value &address, ArrayRef<const Value *> objects) {
  if (objects.size() == 1)
    return at(*const_cast<Value *>(objects.front()));
  Choice choice;
  Value &pointer = *stepsTo(&address).first;
  if (!follow(pointer, choice))
    return std::nullopt;
  Memory memory = choose(pointer, !choice.moves);
  memory.name = join(choice.names, " or ");
  return memory;
}

std::optional<Memory> PointerMemories::at(Value &object) {
  if (auto *a = dyn_cast<Argument>(&object)) {
    std::optional<unsigned> bounds = simt::boundsOf(*a);
    if (!bounds)
      return std::nullopt;
    return Memory{a, f_.getArg(*bounds), f_.getArg(*bounds + 1), quotedName(*a, "an argument")};
  }
  Type *number = Type::getInt64Ty(f_.getContext());
  auto ofSize = [&](TypeSize size, std::string name) {
    return Memory{&object, ConstantInt::get(number, 0),
                  ConstantInt::get(number, size.getFixedValue()), std::move(name)};
  };
  if (auto *local = dyn_cast<AllocaInst>(&object))
    return ofSize(*local->getAllocationSize(layout_), quotedName(object, "a local variable"));
  if (auto *variable = dyn_cast<GlobalVariable>(&object))
    return ofSize(layout_.getTypeAllocSize(variable->getValueType()), nameOf(*variable));
  if (isa<ConstantPointerNull, UndefValue>(object))
    return ofSize(TypeSize::getFixed(0), "a null pointer");
  if (simt::calledOp(&object) == simt::Op::DynamicShared) {
    if (!dynamicSize_) {
      IRBuilder<> b(&*f_.getEntryBlock().getFirstInsertionPt());
      b.SetCurrentDebugLocation(simt::artificialLocation(f_));
      dynamicSize_ = simt::call(b, simt::Op::DynamicSharedSize, {});
    }
    return Memory{&object, ConstantInt::get(number, 0), dynamicSize_, "the dynamic shared memory",
                  "\n  hint: the launch's shared_mem is its size in bytes, 0 by default"};
  }
  return std::nullopt;
}

/// False where a choice leads to memory of which nothing is known.
bool PointerMemories::follow(Value &pointer, Choice &choice) {
  if (!choice.seen.insert(&pointer).second)
    return true;
  SmallVector<Value *, 4> choices = choicesOf(pointer);
  for (Value *chosen : choices) {
    auto [from, moves] = stepsTo(chosen);
    choice.moves |= moves;
    if (!follow(*from, choice))
      return false;
  }
  if (!choices.empty())
    return true;
  std::optional<Memory> memory = at(pointer);
  if (memory && !is_contained(choice.names, memory->name))
    choice.names.push_back(memory->name);
  return memory.has_value();
}

/// The memory of a pointer of which all choices are known. isStart: the pointer is its start.
Memory PointerMemories::choose(Value &pointer, bool isStart) {
  if (auto known = chosen_.find(&pointer); known != chosen_.end())
    return known->second;
  if (auto *select = dyn_cast<SelectInst>(&pointer))
    return chooseOne(*select, isStart);
  if (auto *phi = dyn_cast<PHINode>(&pointer))
    return chooseOne(*phi, isStart);
  return *at(pointer);
}

Memory PointerMemories::chooseOne(SelectInst &select, bool isStart) {
  Memory one = choose(*stepsTo(select.getTrueValue()).first, isStart);
  Memory other = choose(*stepsTo(select.getFalseValue()).first, isStart);
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

Memory PointerMemories::chooseOne(PHINode &phi, bool isStart) {
  IRBuilder<> b(&phi);
  auto made = [&](Type *type) {
    phis_.push_back(b.CreatePHI(type, phi.getNumIncomingValues()));
    return phis_.back();
  };
  PHINode *start = isStart ? nullptr : made(phi.getType());
  PHINode *low = made(b.getInt64Ty()), *high = made(b.getInt64Ty());
  Memory memory{isStart ? &phi : start, low, high};
  chosen_.insert({&phi, memory}); // what leads back to the phi finds it
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    Memory chosen = choose(*stepsTo(value).first, isStart);
    low->addIncoming(chosen.low, block);
    high->addIncoming(chosen.high, block);
    if (!start)
      continue;
    // A block that leads here twice has one value.
    int before = start->getBasicBlockIndex(block);
    b.SetInsertPoint(block->getTerminator());
    start->addIncoming(before < 0 ? b.CreateAddrSpaceCast(chosen.start, phi.getType())
                                  : start->getIncomingValue(before),
                       block);
  }
  return memory;
}

/// Drops phis that are the same from everywhere.
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
