#include "frontend/ptx/step.h"

#include "simt/ir/sites.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::ptx {

using namespace llvm;

AllocaInst *Frame::makeStackSlot(Type *type, Value *initial) {
  IRBuilder<> top(&*enclosing.function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *made = top.CreateAlloca(type);
  b.CreateStore(initial ? initial : Constant::getNullValue(type), made);
  return made;
}

BasicBlock *Frame::makeBlock(const Twine &name) {
  if (!rest) {
    BasicBlock *first = call.getParent();
    rest = SplitBlock(first, &call);
    first->getTerminator()->eraseFromParent();
    b.SetInsertPoint(first);
    b.SetCurrentDebugLocation(call.getDebugLoc());
  }
  return BasicBlock::Create(b.getContext(), name, rest->getParent(), rest);
}

void Frame::branchToAndContinueAt(BasicBlock *block) {
  b.CreateBr(block);
  b.SetInsertPoint(block);
}

void Step::refuse(const std::string &why) const {
  throw Refusal("'" + statement.opcode + "': " + why);
}

bool Step::takeWord(StringRef word) {
  for (size_t i = 0; i < seen_.size(); ++i)
    if (!seen_[i] && statement.words[i] == word) {
      seen_[i] = true;
      return true;
    }
  return false;
}

StringRef Step::takeOneOf(std::initializer_list<StringRef> words) {
  for (StringRef word : words)
    if (takeWord(word))
      return word;
  return {};
}

std::optional<ScalarType> Step::takeOptionalType() {
  for (size_t i = 0; i < seen_.size(); ++i) {
    std::optional<ScalarType> type = seen_[i] ? std::nullopt : parseTypeName(statement.words[i]);
    if (!type)
      continue;
    seen_[i] = true;
    if (type->bits() > 64)
      refuse("CPUs do not support 128-bit values here");
    return type;
  }
  return std::nullopt;
}

ScalarType Step::takeType() {
  std::optional<ScalarType> found = takeOptionalType();
  if (!found)
    refuse("the instruction has no type");
  return *found;
}

StringRef Step::findUnsupportedModifier() const {
  for (size_t i = 0; i < seen_.size(); ++i)
    if (!seen_[i])
      return statement.words[i];
  return {};
}

const Operand &Step::operand(size_t n) const {
  if (n >= count())
    refuse("an operand is missing");
  return statement.operands[n];
}

Type *Step::llvmType(ScalarType type) const {
  if (type.kind == ScalarType::BFloat && type.lanes == 1)
    return b.getBFloatTy();
  if (type.kind != ScalarType::Float || type.lanes > 1)
    return bitsType(type.bits());
  return type.bits() == 16 ? b.getHalfTy() : type.bits() == 32 ? b.getFloatTy() : b.getDoubleTy();
}

namespace {

/// Converts a value of any type to an integer with its bits.
Value *toBits(IRBuilderBase &b, Value *v) {
  if (v->getType()->isIntegerTy())
    return v;
  if (v->getType()->isPointerTy())
    return b.CreatePtrToInt(v, b.getInt64Ty());
  return b.CreateBitCast(v, b.getIntNTy(v->getType()->getPrimitiveSizeInBits()));
}

} // namespace

void Step::requireWholeRegister(const Operand &o) const {
  if (!o.selector.empty())
    refuse("'." + o.selector + "' selects bytes, which only video instructions do");
}

Value *Step::read(const Operand &o, ScalarType type, bool maybeWider) {
  requireWholeRegister(o);
  if (type.kind == ScalarType::Predicate)
    return readPredicate(o);
  if (o.negated)
    refuse("'!" + o.name + "' is for predicates");
  Value *raw = nullptr;
  switch (o.form) {
  case Operand::Integer:
    if (type.isFloat())
      refuse("write a floating-point number as 1.0 or 0f3F800000, not as an integer");
    return makeConstant(type, o.integer);
  case Operand::Real: {
    APFloat value(APFloat::IEEEdouble(), APInt(64, o.integer));
    if (o.realBits == 32)
      value = APFloat(APFloat::IEEEsingle(), APInt(32, o.integer));
    if (o.realBits == type.bits() && !type.isFloat())
      return makeConstant(type, o.integer);
    if (!type.isFloat() || type.bits() < 32)
      refuse("a floating-point number is not an operand of this type");
    if (o.realBits && o.realBits != type.bits())
      refuse("the number has " + std::to_string(o.realBits) + " bits, the operand " +
             std::to_string(type.bits()));
    bool inexact;
    value.convert(llvmType(type)->getFltSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return ConstantFP::get(b.getContext(), value);
  }
  case Operand::Register:
    if (frame.types[o.index].kind == ScalarType::Predicate)
      refuse("the predicate '" + o.name + "' is not an operand of this type");
    raw = b.CreateLoad(frame.registers[o.index]->getAllocatedType(), frame.registers[o.index]);
    break;
  case Operand::Argument:
    if (o.index >= frame.assembly.operands.size())
      refuse("there is no operand " + o.name);
    raw = frame.writable[o.index]
              ? b.CreateLoad(frame.writable[o.index]->getAllocatedType(), frame.writable[o.index])
              : frame.assembly.operands[o.index].input;
    break;
  case Operand::Special:
    raw = readSpecialRegister(o);
    break;
  case Operand::Vector: { // the first element is the lowest
    Value *whole = makeConstant(type, 0);
    unsigned part = unsigned(type.bits() / o.parts.size());
    if (type.bits() % o.parts.size())
      refuse("the elements of {...} do not add up to the size of the value");
    for (size_t i = 0; i < o.parts.size(); ++i) {
      Value *element = toBits(b, read(o.parts[i], {ScalarType::Bits, part}, false));
      whole = b.CreateOr(whole, b.CreateShl(b.CreateZExt(element, whole->getType()), i * part));
    }
    raw = whole;
    break;
  }
  default:
    refuse("'" + o.name + "' is not an operand of this instruction");
  }
  Type *wanted = llvmType(type);
  if (raw->getType() == wanted)
    return raw;
  Value *bits = toBits(b, raw);
  unsigned given = bits->getType()->getIntegerBitWidth();
  if (given < type.bits() || (given > type.bits() && !maybeWider))
    refuse("'" + o.name + "' has " + std::to_string(given) + " bits, the instruction takes " +
           std::to_string(type.bits()));
  return b.CreateBitCast(b.CreateTrunc(bits, bitsType(type.bits())), wanted);
}

Value *Step::readPredicate(const Operand &o) {
  requireWholeRegister(o);
  Value *p = nullptr;
  if (o.form == Operand::Integer)
    p = b.getInt1(o.integer != 0);
  else if (o.name == "%is_explicit_cluster") // launches set no cluster size
    p = b.getFalse();
  else if (o.form == Operand::Register && frame.types[o.index].kind == ScalarType::Predicate)
    p = b.CreateLoad(b.getInt1Ty(), frame.registers[o.index]);
  else
    refuse("'" + o.name + "' is not a predicate");
  return o.negated ? b.CreateNot(p) : p;
}

uint64_t Step::readConstant(size_t n) const {
  const Operand &o = operand(n);
  if (o.form != Operand::Integer)
    refuse("operand " + std::to_string(n + 1) + " must be a constant");
  return o.integer;
}

Value *Step::readSpecialRegister(const Operand &o) {
  Value *v = emitSpecialRegister(*this, o.name);
  if (!v)
    refuse("the register '" + o.name +
           "' is not declared, and CPUs have no special register with that name");
  return v;
}

void Step::write(const Operand &o, Value *value, ScalarType type, bool maybeWider) {
  if (o.form == Operand::Nothing)
    return;
  requireWholeRegister(o);
  AllocaInst *to = nullptr;
  if (o.form == Operand::Register)
    to = frame.registers[o.index];
  else if (o.form == Operand::Argument && o.index < frame.writable.size())
    to = frame.writable[o.index];
  if (o.form == Operand::Vector && type.kind != ScalarType::Predicate) {
    unsigned part = unsigned(type.bits() / o.parts.size());
    if (type.bits() % o.parts.size())
      refuse("the elements of {...} do not add up to the size of the value");
    Value *bits = toBits(b, value);
    for (size_t i = 0; i < o.parts.size(); ++i)
      write(o.parts[i], b.CreateTrunc(b.CreateLShr(bits, i * part), bitsType(part)),
            {ScalarType::Bits, part}, false);
    return;
  }
  if (!to || o.negated)
    refuse((o.name.empty() ? "a constant" : "'" + o.name + "'") +
           " cannot be written: results go to registers");
  bool isPredicate =
      o.form == Operand::Register && frame.types[o.index].kind == ScalarType::Predicate;
  if (isPredicate != (type.kind == ScalarType::Predicate))
    refuse("'" + o.name + (isPredicate ? "' is a predicate" : "' is not a predicate"));
  Value *bits = toBits(b, value);
  unsigned given = type.bits(), wanted = to->getAllocatedType()->getIntegerBitWidth();
  if (wanted < given || (wanted > given && !maybeWider))
    refuse("the result has " + std::to_string(given) + " bits, '" + o.name + "' " +
           std::to_string(wanted));
  b.CreateStore(b.CreateIntCast(bits, bitsType(wanted), type.isSigned()), to);
}

void Step::writePredicates(Value *first, Value *second) {
  ScalarType predicate{ScalarType::Predicate, 1};
  const Operand &o = operand(0);
  if (o.form != Operand::Pair)
    return write(o, first, predicate, false);
  if (!second)
    refuse("the instruction has only one result");
  write(o.parts[0], first, predicate, false);
  write(o.parts[1], second, predicate, false);
}

Value *Step::toPointer(Value *bits) {
  if (bits->getType()->isPointerTy())
    return b.CreateAddrSpaceCast(bits, b.getPtrTy());
  return b.CreateIntToPtr(b.CreateZExt(bits, b.getInt64Ty()), b.getPtrTy());
}

Value *Step::emitSharedStart() {
  return b.CreateAddrSpaceCast(emitOperation(simt::Op::SharedStart, {}), b.getPtrTy());
}

Value *Step::readAddress(size_t n, StringRef space) {
  const Operand &o = operand(n);
  if (o.form != Operand::Address || o.parts.size() > 1)
    refuse("operand " + std::to_string(n + 1) + " must be an address: [a], [a+16]");
  Value *base = nullptr;
  if (!o.parts.empty()) {
    const Operand &part = o.parts[0];
    bool isPointer = part.form == Operand::Argument && part.index < frame.writable.size() &&
                     !frame.writable[part.index] &&
                     frame.assembly.operands[part.index].type->isPointerTy();
    Value *pointer = isPointer ? frame.assembly.operands[part.index].input : nullptr;
    if (pointer &&
        (space != "shared" || pointer->getType()->getPointerAddressSpace() == simt::Shared)) {
      base = toPointer(pointer);
      return o.integer ? b.CreateGEP(b.getInt8Ty(), base, b.getInt64(o.integer)) : base;
    }
    unsigned bits = 64;
    if (part.form == Operand::Register)
      bits = frame.types[part.index].bits();
    else if (part.form == Operand::Argument && part.index < frame.writable.size())
      bits = simt::registerBits(frame.assembly.operands[part.index].constraint);
    if (bits != 64 && !(bits == 32 && space == "shared"))
      refuse("'" + part.name +
             "' is not an address: addresses have 64 bits, or 32 bits in the shared window");
    base = read(part, {ScalarType::Bits, bits}, false);
  } else {
    base = b.getInt64(0);
  }
  if (space == "shared") { // counts from the start of shared memory, in 32 bits
    Value *offset = b.CreateZExt(b.CreateTrunc(base, b.getInt32Ty()), b.getInt64Ty());
    base = b.CreateGEP(b.getInt8Ty(), emitSharedStart(), offset);
  } else {
    base = toPointer(base);
  }
  return o.integer ? b.CreateGEP(b.getInt8Ty(), base, b.getInt64(o.integer)) : base;
}

Value *Step::readCarry() {
  if (!frame.enclosing.carry) {
    IRBuilder<> top(&*frame.enclosing.function.getEntryBlock().getFirstInsertionPt());
    frame.enclosing.carry = top.CreateAlloca(b.getInt1Ty(), nullptr, "carry");
    top.CreateStore(b.getFalse(), frame.enclosing.carry);
  }
  return b.CreateLoad(b.getInt1Ty(), frame.enclosing.carry);
}

void Step::writeCarry(Value *bit) {
  readCarry();
  b.CreateStore(bit, frame.enclosing.carry);
}

Value *Step::mapLanes(ScalarType type, ArrayRef<Value *> operands,
                      function_ref<Value *(ArrayRef<Value *>)> operation) {
  if (type.lanes == 1)
    return operation(operands);
  ScalarType lane{type.kind, type.laneBits};
  Value *whole = makeConstant(type, 0);
  for (unsigned i = 0; i < type.lanes; ++i) {
    SmallVector<Value *, 3> parts;
    for (Value *v : operands)
      parts.push_back(b.CreateBitCast(
          b.CreateTrunc(b.CreateLShr(v, i * type.laneBits), bitsType(type.laneBits)),
          llvmType(lane)));
    Value *bits = toBits(b, operation(parts));
    whole = b.CreateOr(whole,
                       b.CreateShl(b.CreateZExt(bits, bitsType(type.bits())), i * type.laneBits));
  }
  return whole;
}

Value *Step::makeSite(const std::string &kind, const std::string &message) {
  return b.getInt32(simt::addSite(kind, message, frame.call));
}

void Step::emitTrapIf(Value *condition, const std::string &message) {
  BasicBlock *stop = frame.makeBlock("stop"), *after = frame.makeBlock("after.check");
  b.CreateCondBr(condition, stop, after);
  b.SetInsertPoint(stop);
  emitOperation(simt::Op::Trap, {makeSite("RuntimeError", message)});
  frame.branchToAndContinueAt(after);
}

void Step::markMatrixAccesses(ArrayRef<Instruction *> accesses) {
  b.GetInsertBlock()->getModule()->getOrInsertNamedMetadata(simt::emulatedMatrices);
  for (Instruction *access : accesses)
    access->setMetadata(simt::emulatedMatrices, MDNode::get(b.getContext(), {}));
}

void Step::requireSync() {
  if (!takeWord("sync"))
    refuse("warp operations need .sync");
}

} // namespace heddle::ptx
