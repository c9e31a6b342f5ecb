#include "simt/analysis/effect_order.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "simt/ir/verifier.h"
#include "support/diagnostic.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/StandardInstrumentations.h"

#include <cstdlib>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Returns true for a load of memory that no thread writes while the kernel runs.
bool readsUnchangingMemory(const LoadInst &load) {
  if (load.hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  const Value *object = getUnderlyingObject(load.getPointerOperand());
  if (const auto *variable = dyn_cast<GlobalVariable>(object))
    return variable->isConstant();
  const auto *argument = dyn_cast<Argument>(object);
  return argument && argument->onlyReadsMemory();
}

bool isStackPointer(const Value &pointer) { return isa<AllocaInst>(getUnderlyingObject(&pointer)); }

/// Hashes source location, inlining chain and kind of access; nullopt if the location is unknown.
std::optional<uint64_t> locationHashOf(const Instruction &effect) {
  const DILocation *location = effect.getDebugLoc();
  if (!location || !location->getLine())
    return std::nullopt;
  hash_code key = hash_value(effect.mayWriteToMemory());
  for (; location; location = location->getInlinedAt())
    key = hash_combine(key, location->getLine(), location->getColumn());
  return uint64_t(size_t(key));
}

uint64_t siteOfBarrier(const Instruction &barrier) {
  return cast<ConstantInt>(barrier.getOperand(0))->getZExtValue();
}

/// Visits the effects reachable from `start` before an instruction for which `stops` holds.
void visitEffectsFrom(const Instruction &start, function_ref<bool(const Instruction &)> stops,
                      function_ref<void(const Instruction &)> visit) {
  SmallSetVector<const BasicBlock *, 16> blocks;
  auto walk = [&](BasicBlock::const_iterator from, const BasicBlock &block) {
    for (const Instruction &i : make_range(from, block.end())) {
      if (stops(i))
        return;
      if (isEffect(i))
        visit(i);
    }
    for (const BasicBlock *next : successors(&block))
      blocks.insert(next);
  };
  walk(start.getIterator(), *start.getParent());
  for (unsigned n = 0; n < blocks.size(); ++n)
    walk(blocks[n]->begin(), *blocks[n]);
}

/// True for an operation of `heddle check`, which observes an access, a barrier, a mistake or definedness.
bool isCheckOperation(Op op) {
  switch (op) {
  case Op::CheckAccess:
  case Op::CheckSync:
  case Op::CheckReport:
  case Op::CheckForget:
  case Op::CheckLoad:
  case Op::CheckStore:
  case Op::CheckCopy:
  case Op::CheckUse:
  case Op::CheckBlock:
    return true;
  default:
    return false;
  }
}

} // namespace

bool isEffect(const Instruction &i) {
  if (!i.mayReadOrWriteMemory() || isSyncPoint(i) || i.isLifetimeStartOrEnd() ||
      i.isDebugOrPseudoInst() || isAssumeLikeIntrinsic(&i))
    return false;
  if (std::optional<Op> op = calledOp(&i))
    return !info(*op).has(NoReturn) && !info(*op).has(Check) && !info(*op).has(Mark) &&
           !isCheckOperation(*op);
  if (const auto *load = dyn_cast<LoadInst>(&i); load && readsUnchangingMemory(*load))
    return false;
  if (const Value *pointer = getLoadStorePointerOperand(&i))
    return !isStackPointer(*pointer);
  const auto *call = dyn_cast<CallInst>(&i);
  if (!call)
    return true;
  // Passes also call the runtime, for example for traps. These calls do not access the program's memory.
  const Function *callee = call->getCalledFunction();
  if (callee && callee->isDeclaration() && !callee->isIntrinsic())
    return false;
  auto isPointer = [](const Use &u) { return u->getType()->isPtrOrPtrVectorTy(); };
  return none_of(call->args(), isPointer) ||
         any_of(call->args(), [&](const Use &u) { return isPointer(u) && !isStackPointer(*u); });
}

EffectOrder::EffectOrder(const Function &f) : sites_(barrierSitesOf(f)), order_(computeOrder(f)) {}

EffectOrder::Sites EffectOrder::barrierSitesOf(const Function &f) {
  Sites sites;
  for (const Instruction &i : instructions(f))
    if (isMemoryOrderingBarrier(i))
      sites.insert(siteOfBarrier(i));
  return sites;
}

EffectOrder::Order EffectOrder::computeOrder(const Function &f) {
  Order order;
  auto note = [&](Sites Barriers::*relation, uint64_t site) {
    return [&order, relation, site](const Instruction &effect) {
      if (std::optional<Key> key = locationHashOf(effect))
        (order[*key].*relation).insert(site);
    };
  };
  for (const Instruction &i : instructions(f)) {
    if (isEffect(i))
      if (std::optional<Key> key = locationHashOf(i))
        order[*key];
    if (isMemoryOrderingBarrier(i))
      visitEffectsFrom(
          i, [](const Instruction &) { return false; }, note(&Barriers::after, siteOfBarrier(i)));
  }
  for (uint64_t site : barrierSitesOf(f))
    visitEffectsFrom(
        f.getEntryBlock().front(),
        [site](const Instruction &i) {
          return isMemoryOrderingBarrier(i) && siteOfBarrier(i) == site;
        },
        note(&Barriers::without, site));
  return order;
}

std::optional<std::string> EffectOrder::findNewRelation(const Function &f, const Order &now,
                                                        Sites Barriers::*relation,
                                                        const char *moved) const {
  for (const Instruction &i : instructions(f)) {
    std::optional<Key> key = isEffect(i) ? locationHashOf(i) : std::nullopt;
    auto known = key ? order_.find(*key) : order_.end();
    if (known == order_.end())
      continue;
    for (uint64_t site : now.find(*key)->second.*relation)
      if (sites_.contains(site) && !(known->second.*relation).contains(site))
        return "the access at line " + std::to_string(sourcePositionOf(i).line) + " " + moved +
               " the barrier of site " + std::to_string(site);
  }
  return std::nullopt;
}

std::optional<std::string> EffectOrder::findMovedEffect(const Function &f,
                                                        bool isStructured) const {
  Order now = computeOrder(f);
  std::optional<std::string> delayed = findNewRelation(f, now, &Barriers::after, "moved past");
  if (delayed || isStructured)
    return delayed;
  return findNewRelation(f, now, &Barriers::without, "moved before");
}

bool isSelfCheckEnabled() {
  static const bool verifies = [] {
    const char *text = std::getenv("HEDDLE_VERIFY");
    return text && StringRef(text) == "1";
  }();
  return verifies;
}

void verifyPassKeptEffectOrder(const EffectOrder &before, const Function &f, StringRef pass,
                               bool isStructured) {
  if (std::optional<std::string> problem = before.findMovedEffect(f, isStructured))
    throw CompileError(ErrorKind::Internal,
                       (pass + " broke the order of " + f.getName() + ": " + *problem).str());
}

void EffectOrderVerifier::registerIn(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerAfterPassCallback([this](StringRef pass, Any ir,
                                             const PreservedAnalyses &kept) {
    // Skip managers and adaptors; the passes inside have been checked.
    bool isFirst = pass.contains(first_) || pass.contains(structuring_);
    if (!isFirst && (kept.areAllPreserved() || isSpecialPass(pass, {"PassManager", "PassAdaptor"})))
      return;
    if (const auto *module = any_cast<const llvm::Module *>(&ir)) {
      for (const Function &f : **module)
        verifyAfter(pass, f);
    } else if (const auto *function = any_cast<const Function *>(&ir)) {
      verifyAfter(pass, **function);
    }
  });
}

void EffectOrderVerifier::verifyAfter(StringRef pass, const Function &f) {
  if (f.isDeclaration() || !f.hasFnAttribute(kernelAttribute))
    return;
  bool isStructuring = pass.contains(structuring_);
  isStructured_ |= isStructuring;
  auto known = orders_.find(f.getName());
  if (known != orders_.end() && !isStructuring)
    return verifyPassKeptEffectOrder(known->second, f, pass, isStructured_);
  if (known != orders_.end() || pass.contains(first_))
    orders_.insert_or_assign(f.getName(), EffectOrder(f));
}

} // namespace heddle::simt
