#include "backend/cpu/prepare/order_grid_strides.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/checks.h"
#include "simt/ir/remarks.h"
#include "simt/passes/lowering.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Threads that share a stretch at most: their elements of 32 bits fill a cache line.
constexpr unsigned mostNeighbours = 16;

Value *withoutExtension(Value *v) {
  while (isa<ZExtInst, SExtInst>(v))
    v = cast<CastInst>(v)->getOperand(0);
  return v;
}

bool isOperation(Value *v, simt::Op op) { return simt::calledOp(withoutExtension(v)) == op; }

bool isProductOf(Value *v, simt::Op a, simt::Op b) {
  Value *x, *y;
  if (!match(withoutExtension(v), m_Mul(m_Value(x), m_Value(y))))
    return false;
  return (isOperation(x, a) && isOperation(y, b)) || (isOperation(x, b) && isOperation(y, a));
}

/// Whether `v` is blockIdx.x * blockDim.x + threadIdx.x.
bool isGlobalIndex(Value *v) {
  Value *x, *y;
  if (!match(withoutExtension(v), m_Add(m_Value(x), m_Value(y))))
    return false;
  auto are = [](Value *start, Value *thread) {
    return isProductOf(start, simt::Op::BlockIdX, simt::Op::BlockDimX) &&
           isOperation(thread, simt::Op::ThreadIdX);
  };
  return are(x, y) || are(y, x);
}

/// Whether `v` is gridDim.x * blockDim.x.
bool isGridSize(Value *v) { return isProductOf(v, simt::Op::GridDimX, simt::Op::BlockDimX); }

/// A loop that goes through a range by the grid's size.
struct GridStride {
  Loop *loop;
  PHINode *phi;           ///< i itself, or the number of the round
  Instruction *next;      ///< phi's, around the loop
  Value *index;           ///< i
  Value *first, *step;    ///< of i
  Instruction *condition; ///< that of the loop's only way out
  bool staysIf;           ///< the condition's value that stays
  Value *end;             ///< i stays below
  bool isSigned;          ///< as signed numbers
};

/// Whether `condition` is i < end for that i, when it is `isTrue`; then sets g's end.
bool isBelow(Value *condition, bool isTrue, Value *i, GridStride &g) {
  CmpPredicate predicate;
  if (!match(condition, m_c_ICmp(predicate, m_Specific(i), m_Value(g.end))))
    return false;
  ICmpInst::Predicate p =
      isTrue ? ICmpInst::Predicate(predicate) : ICmpInst::getInversePredicate(predicate);
  g.isSigned = p == ICmpInst::ICMP_SLT;
  return g.isSigned || p == ICmpInst::ICMP_ULT;
}

/// What the front end makes of range(first, end, step) for a step that is not negative: round <= (end - 1 - first) / step
/// where first < end.
bool isRoundOfRange(GridStride &g) {
  Value *some, *goesOn, *most, *quotient;
  if (!match(g.condition, m_LogicalAnd(m_Value(some), m_Value(goesOn))) ||
      !isBelow(some, true, g.first, g))
    return false;
  CmpPredicate predicate;
  if (!match(goesOn, m_c_ICmp(predicate, m_Value(most), m_Specific(g.phi))) ||
      ICmpInst::Predicate(predicate) != ICmpInst::ICMP_UGE)
    return false;
  if (!match(most, m_UMin(m_Value(quotient), m_ConstantInt())))
    quotient = most;
  return match(quotient,
               m_UDiv(m_c_Add(m_Specific(g.end), m_Not(m_Specific(g.first))), m_Specific(g.step)));
}

/// Takes `user` of round * step for the sum i, or makes i of it: the address of an element that is first elements away
/// from another, and round * step from that.
bool addsFirst(Instruction &user, Instruction &distance, GridStride &g) {
  Value *first;
  if (match(&user, m_c_Add(m_Specific(&distance), m_Value(first)))) {
    if (!isGlobalIndex(first) || (g.index && g.index != &user))
      return false;
    g.index = &user, g.first = first;
    return true;
  }
  auto *address = dyn_cast<GetElementPtrInst>(&user);
  auto *base = address ? dyn_cast<GetElementPtrInst>(address->getPointerOperand()) : nullptr;
  if (!base || address->getNumIndices() != 1 || base->getNumIndices() != 1 ||
      address->getOperand(1) != &distance ||
      address->getSourceElementType() != base->getSourceElementType() ||
      !isGlobalIndex(base->getOperand(1)) || (g.first && g.first != base->getOperand(1)))
    return false;
  g.first = base->getOperand(1);
  if (!g.index) {
    IRBuilder<> b(distance.getParent(), std::next(distance.getIterator()));
    g.index = b.CreateAdd(g.first, &distance);
  }
  IRBuilder<> b(address);
  address->replaceAllUsesWith(
      b.CreateGEP(address->getSourceElementType(), base->getPointerOperand(), g.index));
  address->eraseFromParent();
  if (base->use_empty())
    base->eraseFromParent();
  return true;
}

std::optional<GridStride> gridStrideOf(Loop &loop) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (loop.getParentLoop() || !latch || !loop.getLoopPreheader() ||
      loop.getExitingBlock() != header || !hasSingleElement(header->phis()))
    return std::nullopt;
  auto *branch = dyn_cast<BranchInst>(header->getTerminator());
  GridStride g{.loop = &loop, .phi = &*header->phis().begin(), .index = nullptr, .first = nullptr};
  g.next = dyn_cast<Instruction>(g.phi->getIncomingValueForBlock(latch));
  g.condition = branch ? dyn_cast<Instruction>(branch->getCondition()) : nullptr;
  if (!g.next || !g.condition)
    return std::nullopt;
  g.staysIf = loop.contains(branch->getSuccessor(0));
  Value *start = g.phi->getIncomingValueForBlock(loop.getLoopPreheader()), *step;
  if (!match(g.next, m_c_Add(m_Specific(g.phi), m_Value(step))))
    return std::nullopt;
  if (isGlobalIndex(start) && isGridSize(step)) {
    g.index = g.phi, g.first = start, g.step = step;
    return isBelow(g.condition, g.staysIf, g.phi, g) ? std::optional(g) : std::nullopt;
  }
  // By the number of the round: i = first + round * step, where the round is not used otherwise.
  if (!match(start, m_Zero()) || !match(step, m_One()))
    return std::nullopt;
  Instruction *distance = nullptr;
  for (User *user : g.phi->users())
    if (user != g.next && match(user, m_c_Mul(m_Specific(g.phi), m_Value(g.step))))
      distance = cast<Instruction>(user);
  if (!distance || !isGridSize(g.step) || !g.phi->hasNUses(3))
    return std::nullopt;
  for (User *user : make_early_inc_range(distance->users()))
    if (!addsFirst(*cast<Instruction>(user), *distance, g))
      return std::nullopt;
  return g.index && g.staysIf && isRoundOfRange(g) ? std::optional(g) : std::nullopt;
}

/// The threads that take each other's rounds.
enum class Among { Grid, Block };

/// Whether an operation's result is the same for all of them.
bool isSame(simt::Op op, Among among) {
  bool ofBlock = op == simt::Op::BlockIdX || op == simt::Op::BlockIdY || op == simt::Op::BlockIdZ;
  return op == simt::Op::BlockDimX || op == simt::Op::GridDimX ||
         (ofBlock && among == Among::Block);
}

/// Whether `v` is the same for all of them.
bool isSame(const Value *v, Among among, unsigned depth = 0) {
  if (isa<Constant, Argument>(v))
    return among == Among::Block || !v->getType()->isPointerTy() ||
           v->getType()->getPointerAddressSpace() != simt::Shared;
  const auto *i = dyn_cast<Instruction>(v);
  if (!i || depth == 8)
    return false;
  if (std::optional<simt::Op> op = simt::calledOp(i))
    return isSame(*op, among);
  bool computes = isa<CastInst, BinaryOperator, CmpInst, SelectInst, GetElementPtrInst>(i);
  return computes &&
         all_of(i->operands(), [&](const Use &u) { return isSame(u.get(), among, depth + 1); });
}

/// Whether an access of that type is to no other than the element that the address counts to.
bool isWithinElement(const GetElementPtrInst &address, Type *type) {
  const DataLayout &layout = address.getDataLayout();
  return TypeSize::isKnownLE(layout.getTypeStoreSize(type),
                             layout.getTypeAllocSize(address.getResultElementType()));
}

/// Whether the pointer is to another element for each i.
bool isElement(const Value *pointer, Type *type, const GridStride &g, Among among) {
  const auto *address = dyn_cast<GetElementPtrInst>(pointer);
  if (!address || !isWithinElement(*address, type) || address->getNumIndices() != 1 ||
      !isSame(address->getPointerOperand(), among))
    return false;
  Value *index = address->getOperand(1), *offset;
  auto isIndex = [&](Value *v) { return withoutExtension(v) == g.index || v == g.index; };
  if (isIndex(index))
    return true;
  Value *base;
  return match(withoutExtension(index), m_Add(m_Value(base), m_Value(offset))) &&
         ((isIndex(base) && isSame(offset, among)) || (isIndex(offset) && isSame(base, among)));
}

bool isCommutative(simt::Op op) {
  switch (op) {
  case simt::Op::AtomicAdd:
  case simt::Op::AtomicSub:
  case simt::Op::AtomicMin:
  case simt::Op::AtomicMax:
  case simt::Op::AtomicUMin:
  case simt::Op::AtomicUMax:
  case simt::Op::AtomicNanMin:
  case simt::Op::AtomicNanMax:
  case simt::Op::AtomicAnd:
  case simt::Op::AtomicOr:
  case simt::Op::AtomicXor:
    return true;
  default:
    return false;
  }
}

/// What a loop's rounds do to memory.
class Rounds {
public:
  Rounds(const GridStride &g, Among among) : g(g), among(among) {}

  /// What a checked index of an array, which is i, is below in each round.
  ArrayRef<Value *> checkedEnds() const { return ends_; }
  /// Whether the order of the rounds, and which thread runs one, makes no difference.
  bool areIndependent() {
    if (!isSame(g.end, among))
      return false;
    for (BasicBlock *block : g.loop->blocks())
      for (Instruction &i : *block)
        if (!takes(i))
          return false;
    return all_of(written_, [&](const Value *p) { return isAlone(p); });
  }

private:
  bool takes(Instruction &i) {
    for (Value *operand : i.operands()) {
      if (isa<Constant>(operand) && !isSame(operand, among))
        return false;
      if (auto *from = dyn_cast<Instruction>(operand); from && !g.loop->contains(from))
        if (!isPartOfLoop(i) && !isSame(operand, among))
          return false;
    }
    for (User *user : i.users())
      if (!g.loop->contains(cast<Instruction>(user)))
        return false;
    if (auto *load = dyn_cast<LoadInst>(&i)) {
      read_.push_back(load->getPointerOperand());
      const auto *address = dyn_cast<GetElementPtrInst>(load->getPointerOperand());
      return load->isSimple() && (!address || isWithinElement(*address, load->getType()));
    }
    if (auto *store = dyn_cast<StoreInst>(&i)) {
      written_.push_back(store->getPointerOperand());
      return store->isSimple() &&
             isElement(store->getPointerOperand(), store->getValueOperand()->getType(), g, among);
    }
    if (auto *call = dyn_cast<CallInst>(&i))
      return takesCall(*call);
    return !i.mayReadOrWriteMemory();
  }

  /// The arithmetic that is replaced.
  bool isPartOfLoop(const Instruction &i) const {
    if (&i == g.phi || &i == g.next || &i == g.index || &i == g.condition)
      return true;
    return !i.use_empty() &&
           all_of(i.users(), [&](const User *u) { return u == g.condition || u == g.index; });
  }

  /// A check cannot fail where the whole range is in bounds.
  bool takesCheck(CallInst &call) {
    simt::IndexCheck check = simt::IndexCheck::of(call);
    ends_.push_back(check.high);
    return check.isSingleIndex() &&
           (check.first == g.index || withoutExtension(check.first) == g.index) &&
           isSame(check.low, among) && isSame(check.high, among);
  }

  bool takesCall(CallInst &call) {
    if (simt::isCheck(call))
      return takesCheck(call);
    std::optional<simt::Op> op = simt::calledOp(&call);
    if (!op)
      return !call.mayReadOrWriteMemory() || call.getIntrinsicID() == Intrinsic::assume;
    if (!simt::info(*op).has(simt::ArgMemory))
      return simt::info(*op).has(simt::Pure) &&
             (isSame(*op, among) || simt::info(*op).name.starts_with("simt.math."));
    written_.push_back(call.getArgOperand(0));
    atomics_.insert(call.getArgOperand(0));
    bool same = !atomic_ || *atomic_ == *op;
    atomic_ = op;
    return same && call.use_empty() && isCommutative(*op);
  }

  /// Whether what is written at `pointer` is read and written by its own round alone, or by atomics alone.
  bool isAlone(const Value *pointer) const {
    auto apart = [&](const Value *other, bool atomic) {
      return (other == pointer && atomic == atomics_.contains(pointer)) || areApart(pointer, other);
    };
    return all_of(read_, [&](const Value *p) { return apart(p, false); }) &&
           all_of(written_, [&](const Value *p) { return apart(p, atomics_.contains(p)); });
  }

  static bool isGeneric(const Value *pointer) {
    return pointer->getType()->getPointerAddressSpace() == simt::Generic;
  }

  static bool areApart(const Value *a, const Value *b) {
    const Value *x = getUnderlyingObject(a), *y = getUnderlyingObject(b);
    auto isVariable = [](const Value *v) {
      return isa<GlobalVariable>(v) && v->getType()->getPointerAddressSpace() == simt::Shared;
    };
    if (isVariable(x) || isVariable(y)) // other memory than arguments lead to
      return x != y && (isVariable(x) || isa<Argument>(x)) && (isVariable(y) || isa<Argument>(y)) &&
             !isGeneric(x) && !isGeneric(y);
    auto own = [](const Value *v) {
      const auto *argument = dyn_cast<Argument>(v);
      return argument && argument->hasNoAliasAttr();
    };
    return x != y && (own(x) || own(y)) && isa<Argument>(x) && isa<Argument>(y);
  }

  const GridStride &g;
  Among among;
  SmallVector<const Value *> read_, written_;
  SmallVector<Value *> ends_;
  SmallPtrSet<const Value *, 4> atomics_; ///< what they write
  std::optional<simt::Op> atomic_;        ///< which they are
};

/// Gives each group of neighbours what it goes through.
class Walk {
public:
  Walk(const GridStride &g, Among among, unsigned neighbours, ArrayRef<Value *> ends)
      : g(g), among(among), neighbours(neighbours), ends(ends), b(g.loop->getLoopPreheader()) {}

  /// Whether it could.
  bool rewrite() {
    BasicBlock *before = g.loop->getLoopPreheader();
    bool moved = false;
    SmallVector<Value *, 8> fixed{g.first, g.step, g.end};
    append_range(fixed, ends);
    for (Value *v : fixed)
      if (!g.loop->makeLoopInvariant(v, moved, before->getTerminator()))
        return false;
    b.SetInsertPoint(before->getTerminator());
    b.SetCurrentDebugLocation(g.condition->getDebugLoc());
    measure();
    if (among == Among::Grid)
      takeStretch();
    else
      takeRounds();
    if (among == Among::Block)
      prefetchNextRound();
    replace(*before);
    return true;
  }

private:
  Value *number(uint64_t n) { return ConstantInt::get(b.getInt64Ty(), n); }
  Value *operation(simt::Op op) { return b.CreateZExt(simt::call(b, op, {}), b.getInt64Ty()); }
  Value *choose(Value *own, Value *usual) {
    return b.CreateSelect(fits, b.CreateTruncOrBitCast(own, usual->getType()), usual);
  }

  void measure() {
    extent = operation(simt::Op::BlockDimX), thread = operation(simt::Op::ThreadIdX);
    threads = b.CreateNUWMul(operation(simt::Op::GridDimX), extent);
    start = b.CreateNUWMul(operation(simt::Op::BlockIdX), extent);
    end = g.isSigned ? b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSExt(g.end, b.getInt64Ty()),
                                               number(0))
                     : b.CreateZExt(g.end, b.getInt64Ty());
    // Where the range is small enough that nothing overflows; else it is left as it was.
    uint64_t most = uint64_t(1) << (g.index->getType()->getIntegerBitWidth() > 32 ? 36 : 30);
    fits = b.CreateICmpEQ(b.CreateURem(extent, number(neighbours)), number(0));
    fits = b.CreateAnd(fits, b.CreateICmpULT(threads, number(most / (4 * neighbours))));
    fits = b.CreateAnd(fits, b.CreateICmpULT(end, number(most)));
    // An error names the thread that CUDA would run the round by.
    for (Value *v : ends)
      fits = b.CreateAnd(fits, b.CreateICmpSLE(end, v));
    lane = b.CreateAnd(thread, number(neighbours - 1));
  }

  /// One stretch of the range, for each group of the grid.
  void takeStretch() {
    Value *groups = b.CreateBinaryIntrinsic(Intrinsic::umax,
                                            b.CreateUDiv(threads, number(neighbours)), number(1));
    Value *stretch = b.CreateUDiv(b.CreateAdd(end, b.CreateSub(groups, number(1))), groups);
    stretch = b.CreateAnd(b.CreateAdd(stretch, number(neighbours - 1)),
                          b.CreateNot(number(neighbours - 1)));
    Value *group = b.CreateLShr(b.CreateNUWAdd(start, thread), Log2_32(neighbours));
    Value *begin = b.CreateMul(group, stretch);
    first = b.CreateAdd(begin, lane);
    last = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, stretch), end);
  }

  /// As many parts of the block's rounds as there are rounds: a round is the block's extent, a part has an element for
  /// each of the group.
  void takeRounds() {
    partsOfRound = b.CreateBinaryIntrinsic(Intrinsic::umax,
                                           b.CreateUDiv(extent, number(neighbours)), number(1));
    Value *left = b.CreateBinaryIntrinsic(Intrinsic::umax, end, start);
    Value *rounds = b.CreateUDiv(
        b.CreateAdd(b.CreateSub(left, start), b.CreateSub(threads, number(1))), threads);
    Value *begin = b.CreateMul(b.CreateLShr(thread, Log2_32(neighbours)), rounds);
    first = elementOf(begin);
    last = b.CreateBinaryIntrinsic(Intrinsic::smin, elementOf(b.CreateAdd(begin, rounds)), end);
    firstPart = b.CreateURem(begin, partsOfRound);
  }

  Value *elementOf(Value *part) {
    Value *round = b.CreateMul(b.CreateUDiv(part, partsOfRound), threads);
    Value *inRound = b.CreateMul(b.CreateURem(part, partsOfRound), number(neighbours));
    return b.CreateAdd(b.CreateAdd(start, lane), b.CreateAdd(round, inRound));
  }

  void replace(BasicBlock &before) {
    first = choose(first, g.first);
    last = choose(last, g.end);
    Value *step = choose(number(neighbours), g.step), *toNextRound = nullptr;
    if (firstPart)
      toNextRound = choose(b.CreateAdd(b.CreateSub(threads, extent), number(neighbours)), g.step);
    BasicBlock *header = g.loop->getHeader(), *latch = g.loop->getLoopLatch();
    b.SetInsertPoint(header, header->begin());
    PHINode *i = b.CreatePHI(g.index->getType(), 2);
    PHINode *part = firstPart ? b.CreatePHI(b.getInt64Ty(), 2) : nullptr;
    b.SetInsertPoint(latch->getTerminator());
    if (part) {
      Value *next = b.CreateNUWAdd(part, number(1));
      Value *isLast = b.CreateICmpUGE(next, partsOfRound);
      step = b.CreateSelect(isLast, toNextRound, step);
      part->addIncoming(firstPart, &before);
      part->addIncoming(b.CreateSelect(isLast, number(0), next), latch);
    }
    i->addIncoming(first, &before);
    i->addIncoming(b.CreateAdd(i, step), latch);
    b.SetInsertPoint(header->getTerminator());
    auto *branch = cast<BranchInst>(header->getTerminator());
    Value *below = g.isSigned ? b.CreateICmpSLT(i, last) : b.CreateICmpULT(i, last);
    branch->setCondition(g.staysIf ? below : b.CreateNot(below));
    g.index->replaceAllUsesWith(i);
  }

  /// A block's rounds are far apart, and a round may be too short for the processor to see that it walks.
  void prefetchNextRound() {
    IRBuilderBase::InsertPointGuard guard(b);
    SmallVector<LoadInst *> loads;
    for (BasicBlock *block : g.loop->blocks())
      for (Instruction &i : *block)
        if (auto *load = dyn_cast<LoadInst>(&i);
            load && isElement(load->getPointerOperand(), load->getType(), g, among))
          loads.push_back(load);
    for (LoadInst *load : loads) {
      auto *address = cast<GetElementPtrInst>(load->getPointerOperand());
      b.SetInsertPoint(load);
      Value *next = b.CreateGEP(address->getSourceElementType(), address, threads);
      b.CreateIntrinsic(b.getVoidTy(), Intrinsic::prefetch,
                        {next, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }

  const GridStride &g;
  Among among;
  unsigned neighbours;    ///< threads that share a stretch, a power of two
  ArrayRef<Value *> ends; ///< of arrays whose indices are checked
  IRBuilder<> b;
  Value *extent, *thread, *threads; ///< of a block; its index; of the grid
  Value *start;                     ///< the number in the grid of the block's first thread
  Value *lane, *end, *fits;
  Value *first, *last;
  Value *partsOfRound = nullptr, *firstPart = nullptr;
};

} // namespace

PreservedAnalyses OrderGridStrides::run(Function &f, FunctionAnalysisManager &am) {
  if (!simt::isKernel(f))
    return PreservedAnalyses::all();
  bool changed = false;
  bool hasWarps = simt::hasWarpOperations(f); // whose lanes are more than a register's
  unsigned neighbours = hasWarps ? mostNeighbours : std::min(lanes, mostNeighbours);
  for (Loop *loop : am.getResult<LoopAnalysis>(f))
    if (std::optional<GridStride> g = gridStrideOf(*loop))
      for (Among among : {Among::Grid, Among::Block})
        if (Rounds rounds(*g, among); rounds.areIndependent() &&
                                      Walk(*g, among, neighbours, rounds.checkedEnds()).rewrite()) {
          simt::addRemark(f, among == Among::Grid
                                 ? "threads share stretches of the range of a grid-stride loop"
                                 : "a block's threads share the rounds of a grid-stride loop");
          changed = true;
          break;
        }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
