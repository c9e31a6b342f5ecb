#include "simt_interpreter/thread.h"

#include "simt_interpreter/arithmetic.h"
#include "simt_interpreter/atomics.h"
#include "simt_interpreter/format.h"
#include "simt_interpreter/math.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::interpreter {

using namespace llvm;
using simt::Op;

namespace {

/// Limit on the call depth; a GPU's stack is smaller.
constexpr size_t maxCallDepth = 4096;

Datum makeUndefined(const Type *type, LaunchState &launch) {
  if (type->isVoidTy())
    return {};
  if (!type->isAggregateType()) {
    APInt bits(128, {launch.random(), launch.random()});
    return {bits.trunc(unsigned(launch.layout.getTypeSizeInBits(const_cast<Type *>(type))))};
  }
  Datum all;
  for (unsigned i = 0;
       Type *element = GetElementPtrInst::getTypeAtIndex(const_cast<Type *>(type), i); ++i) {
    if (auto *array = dyn_cast<ArrayType>(type); array && i == array->getNumElements())
      break;
    all.append(makeUndefined(element, launch));
  }
  return all;
}

Datum evaluateAggregate(const Constant &c, LaunchState &launch, const BlockState *block) {
  Datum all;
  for (unsigned i = 0; const Constant *element = c.getAggregateElement(i); ++i)
    all.append(evaluateConstant(*element, launch, block));
  return all;
}

} // namespace

Datum evaluateConstant(const Constant &c, LaunchState &launch, const BlockState *block) {
  if (auto *integer = dyn_cast<ConstantInt>(&c))
    return {integer->getValue()};
  if (auto *number = dyn_cast<ConstantFP>(&c))
    return {number->getValueAPF().bitcastToAPInt()};
  if (isa<ConstantPointerNull>(c))
    return {APInt(64, 0)};
  if (isa<UndefValue>(c))
    return makeUndefined(c.getType(), launch);
  if (auto *global = dyn_cast<GlobalVariable>(&c)) {
    bool isShared = global->getAddressSpace() == simt::Shared;
    return {APInt(64, isShared ? block->shared.lookup(global) : launch.globals.lookup(global))};
  }
  if (c.getType()->isAggregateType())
    return evaluateAggregate(c, launch, block);
  auto *expression = dyn_cast<ConstantExpr>(&c);
  if (!expression)
    throw Failure{FailureKind::Unsupported, "a constant that the interpreter does not know"};
  std::vector<Datum> operands;
  for (const Use &operand : expression->operands())
    operands.push_back(evaluateConstant(*cast<Constant>(operand), launch, block));
  Instruction *i = expression->getAsInstruction();
  Datum result = computeInstruction(*i, operands, launch.layout);
  i->deleteValue();
  return result;
}

Thread::Thread(LaunchState &launch, const BlockState &block, uint64_t number, uint32_t linear,
               const Function &kernel, ArrayRef<Datum> arguments)
    : launch_(launch), block_(block), number_(number), linear_(linear) {
  const Extents &size = launch.launch.block;
  index_ = {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
  enterFunction(kernel, arguments);
}

void Thread::enterFunction(const Function &f, ArrayRef<Datum> arguments) {
  if (frames_.size() == maxCallDepth)
    throw Failure{FailureKind::Undefined, "the thread's stack overflows"};
  size_t locals = localRegion_ ? launch_.memory.countAllocations(localRegion_) : 0;
  Frame frame{&f, f.getEntryBlock().begin(), std::vector<Datum>(launch_.valueCounts.lookup(&f)),
              locals};
  for (const llvm::Argument &a : f.args())
    frame.values[launch_.numbers.lookup(&a)] = arguments[a.getArgNo()];
  frames_.push_back(std::move(frame));
}

void Thread::returnFromFunction(const ReturnInst &i) {
  Datum result;
  if (i.getReturnValue())
    result = valueOf(i.getReturnValue());
  if (localRegion_)
    launch_.memory.freeNewestUntil(localRegion_, frames_.back().locals);
  frames_.pop_back();
  if (frames_.empty())
    state_ = State::Returned;
  else // the call precedes the next instruction
    setResult(*std::prev(frames_.back().next), std::move(result));
}

/// Reads all phis of a block before setting any.
void Thread::jump(const BasicBlock &from, const BasicBlock &to) {
  std::vector<std::pair<const PHINode *, Datum>> phis;
  for (const PHINode &phi : to.phis())
    phis.emplace_back(&phi, valueOf(phi.getIncomingValueForBlock(&from)));
  for (auto &[phi, value] : phis)
    setResult(*phi, std::move(value));
  frames_.back().next = to.getFirstNonPHIIt();
}

void Thread::setResult(const Instruction &i, Datum value) {
  if (!i.getType()->isVoidTy())
    frames_.back().values[launch_.numbers.lookup(&i)] = std::move(value);
}

Datum Thread::valueOf(const Value *v) {
  if (auto *c = dyn_cast<Constant>(v))
    return evaluateConstant(*c, launch_, &block_);
  return frames_.back().values[launch_.numbers.lookup(v)];
}

std::vector<Datum> Thread::operandsOf(User::const_op_range operands) {
  std::vector<Datum> values;
  for (const Use &operand : operands)
    if (!operand->getType()->isMetadataTy())
      values.push_back(valueOf(operand));
  return values;
}

Access Thread::makeAccess(const Value *pointer, uint64_t alignment) const {
  return {pointer->getType()->getPointerAddressSpace(), alignment, block_.number, number_};
}

bool Thread::step() {
  const Instruction &i = *frames_.back().next++;
  current_ = &i;
  return execute(i);
}

bool Thread::execute(const Instruction &i) {
  const BasicBlock &here = *i.getParent();
  switch (i.getOpcode()) {
  case Instruction::Br: {
    auto &branch = cast<BranchInst>(i);
    bool second = branch.isConditional() && !bitsOf(branch.getCondition());
    jump(here, *branch.getSuccessor(second));
    return false;
  }
  case Instruction::Switch: {
    auto &choice = cast<SwitchInst>(i);
    APInt value = valueOf(choice.getCondition())[0];
    const BasicBlock *to = choice.getDefaultDest();
    for (auto &option : choice.cases())
      if (option.getCaseValue()->getValue() == value)
        to = option.getCaseSuccessor();
    jump(here, *to);
    return false;
  }
  case Instruction::Ret:
    returnFromFunction(cast<ReturnInst>(i));
    return false;
  case Instruction::Unreachable:
    throw Failure{FailureKind::Undefined, "a place that the compiler takes to be unreachable"};
  case Instruction::Alloca:
    allocateLocal(cast<AllocaInst>(i));
    return false;
  case Instruction::Load: {
    auto &load = cast<LoadInst>(i);
    Access access = makeAccess(load.getPointerOperand(), load.getAlign().value());
    setResult(i, launch_.memory.load(i.getType(), bitsOf(load.getPointerOperand()), access));
    return false;
  }
  case Instruction::Store: {
    auto &store = cast<StoreInst>(i);
    Access access = makeAccess(store.getPointerOperand(), store.getAlign().value());
    launch_.memory.store(store.getValueOperand()->getType(), valueOf(store.getValueOperand()),
                         bitsOf(store.getPointerOperand()), access);
    return false;
  }
  case Instruction::Call:
    return call(cast<CallInst>(i));
  default:
    setResult(i, computeInstruction(i, operandsOf(i.operands()), launch_.layout));
    return false;
  }
}

void Thread::allocateLocal(const AllocaInst &i) {
  if (!localRegion_)
    localRegion_ = launch_.memory.addRegion(simt::Local, number_);
  uint64_t bytes = i.getAllocationSize(launch_.layout)->getFixedValue();
  setResult(i, {APInt(64, launch_.memory.allocate(localRegion_, bytes))});
}

namespace {

/// Divisions by zero, and of the lowest number by -1, as GPUs compute them.
APInt divideAsPtx(StringRef name, const APInt &x, const APInt &y) {
  if (y.isZero())
    return APInt::getAllOnes(32);
  bool isSigned = name.ends_with(".s32");
  if (name.starts_with("rem"))
    return isSigned ? x.srem(y) : x.urem(y);
  return isSigned ? x.sdiv(y) : x.udiv(y);
}

/// The result of the inline PTX that the passes for GPUs emit; throws for any other.
APInt computeInlinePtx(const CallInst &i, const std::vector<Datum> &operands) {
  const auto *code = dyn_cast<InlineAsm>(i.getCalledOperand());
  StringRef text = code ? code->getAsmString() : "";
  for (StringRef name : {"div.s32", "div.u32", "rem.s32", "rem.u32"})
    if (text == (name + " $0, $1, $2;").str())
      return divideAsPtx(name, operands[0][0], operands[1][0]);
  if (text == "mov.b64 $0, $1;")
    return operands[0][0];
  throw Failure{FailureKind::Unsupported, "the interpreter has no inline PTX"};
}

} // namespace

bool Thread::call(const CallInst &i) {
  const Function *callee = i.getCalledFunction();
  if (!callee) {
    setResult(i, {computeInlinePtx(i, operandsOf(i.args()))});
    return false;
  }
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&i)) {
    callIntrinsic(*intrinsic);
    return false;
  }
  if (std::optional<Op> op = simt::opNamed(callee->getName()); op && callee->isDeclaration())
    return callOperation(i, *op);
  enterFunction(*callee, operandsOf(i.args()));
  return false;
}

void Thread::callIntrinsic(const IntrinsicInst &i) {
  if (isa<DbgInfoIntrinsic, LifetimeIntrinsic, NoAliasScopeDeclInst>(i))
    return;
  if (isa<AssumeInst>(i)) {
    if (!bitsOf(i.getArgOperand(0)))
      throw Failure{FailureKind::Undefined, "an assumption of the compiler does not hold"};
    return;
  }
  if (auto *fill = dyn_cast<MemSetInst>(&i)) {
    uint64_t bytes = bitsOf(fill->getLength());
    Access access = makeAccess(fill->getRawDest(), fill->getDestAlign().valueOrOne().value());
    if (bytes)
      std::fill_n(launch_.memory.checkedBytes(bitsOf(fill->getRawDest()), bytes, access, true),
                  bytes, uint8_t(bitsOf(fill->getValue())));
    return;
  }
  if (auto *move = dyn_cast<MemTransferInst>(&i))
    return copyOrMoveMemory(*move);
  setResult(i, computeIntrinsic(i, operandsOf(i.args())));
}

void Thread::copyOrMoveMemory(const MemTransferInst &i) {
  uint64_t bytes = bitsOf(i.getLength());
  if (!bytes)
    return;
  Access reads = makeAccess(i.getRawSource(), i.getSourceAlign().valueOrOne().value());
  Access writes = makeAccess(i.getRawDest(), i.getDestAlign().valueOrOne().value());
  const uint8_t *from = launch_.memory.checkedBytes(bitsOf(i.getRawSource()), bytes, reads, false);
  std::vector<uint8_t> copy(from, from + bytes);
  std::copy(copy.begin(), copy.end(),
            launch_.memory.checkedBytes(bitsOf(i.getRawDest()), bytes, writes, true));
}

bool Thread::callOperation(const CallInst &i, Op op) {
  const simt::OpInfo &row = simt::info(op);
  std::vector<Datum> operands = operandsOf(i.args());
  auto operand = [&](unsigned n) { return operands[n][0].getZExtValue(); };
  if (std::optional<uint64_t> index = evaluateIndexOperation(op)) {
    setResult(i,
              {APInt(i.getType()->isPointerTy() ? 64 : i.getType()->getIntegerBitWidth(), *index)});
    return false;
  }
  if (row.name.starts_with("simt.math.")) {
    std::vector<APInt> numbers;
    for (const Datum &datum : operands)
      numbers.push_back(datum[0]);
    auto [type, pointer] = simt::overloadOf(row, i.getFunctionType()->params(), i.getType());
    setResult(i, {computeMath(op, type, numbers)});
    return false;
  }
  if (row.has(simt::ArgMemory)) {
    updateAtomically(i, op, operands);
    return false;
  }
  if (row.has(simt::Convergent) && op != Op::Yield) {
    waitForOtherThreads(i, op, operands);
    return true;
  }
  switch (op) {
  case Op::Yield:
  case Op::Sleep:
    return true;
  case Op::FenceBlock:
  case Op::FenceDevice:
  case Op::FenceSystem:
    return false; // accesses take effect immediately
  case Op::LoadCached: {
    uint64_t bytes = launch_.layout.getTypeStoreSize(i.getType());
    Access access = makeAccess(i.getArgOperand(0), bytes);
    setResult(i, launch_.memory.load(i.getType(), operand(0), access));
    return false;
  }
  case Op::StoreCached: {
    Type *type = i.getArgOperand(1)->getType();
    Access access = makeAccess(i.getArgOperand(0), launch_.layout.getTypeStoreSize(type));
    launch_.memory.store(type, operands[1], operand(0), access);
    return false;
  }
  case Op::Trap:
    throw Failure{FailureKind::Trap, launch_.sites[operand(0)].message, operand(0)};
  case Op::TrapIndex:
    throw Failure{FailureKind::Trap, launch_.sites[operand(0)].message, operand(0),
                  int64_t(operand(1)), int64_t(operand(2))};
  case Op::CheckIndex:
    checkIndex(operand(0), int64_t(operand(1)), int64_t(operand(2)), int64_t(operand(3)),
               int64_t(operand(4)), int64_t(operand(5)));
    return false;
  case Op::Wrap:
    setResult(i, {APInt(64, operand(0) + (int64_t(operand(0)) < 0 ? operand(1) : 0))});
    return false;
  case Op::Print:
    print(operand(0), operand(1));
    return false;
  case Op::Clock:
    setResult(i, {APInt(64, launch_.outcome.steps)});
    return false;
  default:
    throw Failure{FailureKind::Unsupported, "the interpreter has no " + row.name.str()};
  }
}

/// The value of an operation that returns the thread's indices or the begin of the block's shared memory.
std::optional<uint64_t> Thread::evaluateIndexOperation(Op op) const {
  const Extents &size = launch_.launch.block, &grid = launch_.launch.grid;
  switch (op) {
  case Op::ThreadIdX:
  case Op::ThreadIdY:
  case Op::ThreadIdZ:
    return index_[unsigned(op) - unsigned(Op::ThreadIdX)];
  case Op::BlockIdX:
  case Op::BlockIdY:
  case Op::BlockIdZ:
    return block_.index[unsigned(op) - unsigned(Op::BlockIdX)];
  case Op::BlockDimX:
  case Op::BlockDimY:
  case Op::BlockDimZ:
    return size[unsigned(op) - unsigned(Op::BlockDimX)];
  case Op::GridDimX:
  case Op::GridDimY:
  case Op::GridDimZ:
    return grid[unsigned(op) - unsigned(Op::GridDimX)];
  case Op::LaneId:
    return linear_ % 32;
  case Op::WarpSize:
    return 32;
  case Op::DynamicShared:
  case Op::SharedStart:
    return block_.dynamicShared;
  case Op::DynamicSharedSize:
    return launch_.launch.dynamicSharedBytes;
  default:
    return std::nullopt;
  }
}

void Thread::waitForOtherThreads(const CallInst &i, Op op, ArrayRef<Datum> operands) {
  site_ = operands[0][0].getZExtValue();
  request_ = {op};
  if (simt::info(op).has(simt::Warp)) {
    if (operands.size() > 1)
      request_.mask = LaneMask(operands[1][0].getZExtValue());
    if (operands.size() > 2)
      request_.value = operands[2][0];
    if (operands.size() > 4) {
      request_.lane = uint32_t(operands[3][0].getZExtValue());
      request_.width = uint32_t(operands[4][0].getZExtValue());
    }
    if (op != Op::WarpActive && !(request_.mask >> linear_ % 32 & 1))
      throw Failure{FailureKind::Mask,
                    "lane " + std::to_string(linear_ % 32) + " is not in its mask"};
  } else if (simt::isNamedBarrier(op)) {
    request_.lane = uint32_t(operands[1][0].getZExtValue());
    request_.width = uint32_t(operands[2][0].getZExtValue());
    if (operands.size() > 3)
      request_.value = operands[3][0];
  } else if (operands.size() > 1) {
    request_.value = operands[1][0];
  }
  state_ = State::Waiting;
}

void Thread::resume(const APInt &result) {
  setResult(*current_, {result});
  state_ = State::Ready;
}

void Thread::updateAtomically(const CallInst &i, Op op, ArrayRef<Datum> operands) {
  Type *type = i.getType();
  uint64_t address = operands[0][0].getZExtValue();
  Access access = makeAccess(i.getArgOperand(0), launch_.layout.getTypeStoreSize(type));
  bool exchangesEqual = op == Op::AtomicCas;
  Datum old = launch_.memory.load(type, address, access);
  APInt now = computeAtomic(op, type, old[0], operands[exchangesEqual ? 2 : 1][0], operands[1][0]);
  launch_.memory.store(type, {now}, address, access);
  setResult(i, old);
}

void Thread::checkIndex(uint64_t site, int64_t first, int64_t last, int64_t step, int64_t low,
                        int64_t high) {
  if (step != 0 && (uint64_t(last) + uint64_t(step) == uint64_t(first) ||
                    (step > 0 ? last < first : last > first)))
    return;
  auto isWithin = [&](int64_t index) { return step < 0 ? index >= last : index <= last; };
  for (int64_t index = first; index == first || isWithin(index); index += step) {
    if (index < low || index >= high)
      throw Failure{FailureKind::Trap, launch_.sites[site].message, site, index, high};
    if (step == 0 || first == last)
      return;
  }
}

void Thread::print(uint64_t site, uint64_t address) {
  Type *word = Type::getInt64Ty(current_->getContext()),
       *byte = Type::getInt8Ty(current_->getContext());
  Access access{simt::Generic, 1, block_.number, number_};
  auto next = [&] {
    uint64_t bits = launch_.memory.load(word, address, access)[0].getZExtValue();
    address += 8;
    return bits;
  };
  auto textAt = [&](uint64_t at) {
    std::string text;
    while (uint64_t letter = launch_.memory.load(byte, at++, access)[0].getZExtValue())
      text += char(letter);
    return text;
  };
  launch_.outcome.output += formatPrint(launch_.sites[site].message, next, textAt);
}

} // namespace heddle::interpreter
