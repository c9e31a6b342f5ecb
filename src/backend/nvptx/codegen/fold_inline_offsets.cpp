#include "backend/nvptx/codegen/fold_inline_offsets.h"

#include "simt/ir/remarks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Local.h"

#include <functional>
#include <map>
#include <optional>

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// `value` = base + constant, modulo 2^bits. Constants of pointers have the bits of their index type.
struct SplitValue {
  Value *base;
  APInt constant;
};

/// Splits values into a sum of which one part is constant.
class ConstantSplitter {
public:
  explicit ConstantSplitter(const DataLayout &layout) : layout_(layout) {}

  /// Emits the base after `v` if the constant is not zero; otherwise the base is `v`.
  SplitValue split(Value &v, unsigned depth = 0);

private:
  unsigned bitWidthOf(const Value &v) const {
    return v.getType()->isPointerTy() ? layout_.getIndexTypeSizeInBits(v.getType())
                                      : v.getType()->getIntegerBitWidth();
  }
  SplitValue makeUnsplit(Value &v) const { return {&v, APInt::getZero(bitWidthOf(v))}; }
  std::optional<SplitValue> splitInstruction(Instruction &i, unsigned depth);
  std::optional<SplitValue> splitAddress(GetElementPtrInst &address, unsigned depth);

  const DataLayout &layout_;
};

SplitValue ConstantSplitter::split(Value &v, unsigned depth) {
  constexpr unsigned deepest = 8;
  if (auto *number = dyn_cast<ConstantInt>(&v))
    return {ConstantInt::get(v.getType(), 0), number->getValue()};
  auto *i = dyn_cast<Instruction>(&v);
  if (!i || depth == deepest)
    return makeUnsplit(v);
  std::optional<SplitValue> sum = splitInstruction(*i, depth + 1);
  return sum && !sum->constant.isZero() ? *sum : makeUnsplit(v);
}

/// Emits `base` + each of `terms`, which are numbers of bytes.
Value *emitByteOffsets(IRBuilder<> &b, Value *base, ArrayRef<Value *> terms) {
  for (Value *term : terms)
    base = b.CreatePtrAdd(base, term);
  return base;
}

std::optional<SplitValue> ConstantSplitter::splitAddress(GetElementPtrInst &address,
                                                         unsigned depth) {
  unsigned bits = bitWidthOf(address);
  SmallMapVector<Value *, APInt, 4> variables;
  APInt constant(bits, 0);
  if (!address.collectOffset(layout_, bits, variables, constant))
    return std::nullopt;
  SplitValue pointer = split(*address.getPointerOperand(), depth);
  constant += pointer.constant;
  SmallVector<std::pair<Value *, APInt>, 4> scaled;
  for (auto &[index, scale] : variables) {
    if (bitWidthOf(*index) != bits)
      return std::nullopt;
    SplitValue part = split(*index, depth);
    constant += part.constant * scale;
    scaled.push_back({part.base, scale});
  }
  if (constant.isZero())
    return std::nullopt;
  IRBuilder<> b(address.getNextNode());
  SmallVector<Value *, 4> terms;
  for (auto &[base, scale] : scaled)
    if (!match(base, m_Zero()))
      terms.push_back(scale.isOne() ? base : b.CreateMul(base, b.getInt(scale)));
  return SplitValue{emitByteOffsets(b, pointer.base, terms), constant};
}

std::optional<SplitValue> ConstantSplitter::splitInstruction(Instruction &i, unsigned depth) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&i))
    return splitAddress(*address, depth);
  Value *x, *y;
  const APInt *number;
  IRBuilder<> b(i.getContext());
  if (!i.isTerminator() && !isa<PHINode>(i))
    b.SetInsertPoint(i.getNextNode());
  if (match(&i, m_AddLike(m_Value(x), m_Value(y)))) {
    SplitValue left = split(*x, depth), right = split(*y, depth);
    APInt constant = left.constant + right.constant;
    if (constant.isZero())
      return std::nullopt;
    return SplitValue{b.CreateAdd(left.base, right.base), constant};
  }
  if (match(&i, m_Mul(m_Value(x), m_APInt(number)))) {
    SplitValue factor = split(*x, depth);
    if (factor.constant.isZero())
      return std::nullopt;
    return SplitValue{b.CreateMul(factor.base, i.getOperand(1)), factor.constant * *number};
  }
  if (match(&i, m_Shl(m_Value(x), m_APInt(number))) && number->ult(bitWidthOf(i))) {
    SplitValue shifted = split(*x, depth);
    if (shifted.constant.isZero())
      return std::nullopt;
    return SplitValue{b.CreateShl(shifted.base, i.getOperand(1)), shifted.constant.shl(*number)};
  }
  if (match(&i, m_Trunc(m_Value(x))) || match(&i, m_PtrToInt(m_Value(x))) ||
      isa<AddrSpaceCastInst>(i)) {
    x = i.getOperand(0);
    SplitValue wide = split(*x, depth);
    if (wide.constant.isZero())
      return std::nullopt;
    return SplitValue{b.CreateCast(cast<CastInst>(i).getOpcode(), wide.base, i.getType()),
                      wide.constant.sextOrTrunc(bitWidthOf(i))};
  }
  bool isSigned = match(&i, m_SExt(m_NSWAddLike(m_Value(x), m_APInt(number))));
  if (isSigned || match(&i, m_ZExt(m_NUWAddLike(m_Value(x), m_APInt(number)))))
    return SplitValue{b.CreateIntCast(x, i.getType(), isSigned),
                      isSigned ? number->sext(bitWidthOf(i)) : number->zext(bitWidthOf(i))};
  return std::nullopt;
}

/// The instructions that may have an offset in their address, as [register+offset].
bool allowsAddressOffset(StringRef instruction) {
  instruction = instruction.ltrim(" \t{");
  if (instruction.consume_front("@")) // a predicate
    instruction = instruction.drop_until(isSpace).ltrim();
  return is_contained({"atom", "cp", "ld", "ldmatrix", "red", "st", "stmatrix", "wmma"},
                      instruction.take_until([](char c) { return c == '.' || isSpace(c); }));
}

/// The places of "[$operand]" in `text`; empty if the operand also has another use, or one in an instruction without
/// offsets.
SmallVector<size_t, 2> findAddressPlaceholders(StringRef text, unsigned operand) {
  std::string name = "$" + std::to_string(operand), alone = "[" + name + "]";
  if (text.contains("${"))
    return {};
  SmallVector<size_t, 2> places;
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if (end < text.size() && isDigit(text[end]))
      continue; // a longer number
    StringRef before = text.take_front(at);
    size_t statement = before.find_last_of(";\n");
    if (at == 0 || !text.substr(at - 1).starts_with(alone) || before.ends_with("$[") ||
        !allowsAddressOffset(before.substr(statement == StringRef::npos ? 0 : statement + 1)))
      return {};
    places.push_back(at - 1);
  }
  return places;
}

/// An input operand of inline PTX that is an address, and the places of its uses in the text.
struct AddressOperand {
  unsigned argument;
  SmallVector<size_t, 2> places;
};

SmallVector<AddressOperand, 2> findAddressOperands(const CallInst &call, const InlineAsm &code) {
  SmallVector<AddressOperand, 2> operands;
  InlineAsm::ConstraintInfoVector constraints = code.ParseConstraints();
  unsigned operand = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &constraint : constraints) {
    bool isInput = constraint.Type == InlineAsm::isInput;
    if (isInput && (constraint.hasMatchingInput() || constraint.isIndirect))
      return {};
    if (!isInput && constraint.Type == InlineAsm::isOutput && constraint.hasArg())
      return {};
    if (isInput && !isa<Constant>(call.getArgOperand(argument)) &&
        (constraint.Codes == std::vector<std::string>{"r"} ||
         constraint.Codes == std::vector<std::string>{"l"}))
      if (SmallVector<size_t, 2> places = findAddressPlaceholders(code.getAsmString(), operand);
          !places.empty())
        operands.push_back({argument, places});
    operand += constraint.Type != InlineAsm::isClobber;
    argument += isInput;
  }
  return operands;
}

/// Moves the constant parts of the addresses into the text. Returns true if there are any.
bool foldOffsetsIntoText(CallInst &call, const InlineAsm &code, ConstantSplitter &splitter) {
  std::map<size_t, std::string, std::greater<>> inserted; // by their places, the last one first
  SmallVector<WeakTrackingVH, 2> replaced;
  for (const AddressOperand &operand : findAddressOperands(call, code)) {
    Value *address = call.getArgOperand(operand.argument);
    SplitValue parts = splitter.split(*address);
    constexpr unsigned offsetBits = 24; // in machine code
    if (parts.constant.isZero() || !parts.constant.isSignedIntN(offsetBits))
      continue;
    SmallString<16> offset("+");
    parts.constant.toStringSigned(offset);
    for (size_t place : operand.places)
      inserted.emplace(code.getAsmString().find(']', place), std::string(offset));
    call.setArgOperand(operand.argument, parts.base);
    replaced.push_back(address);
  }
  if (inserted.empty())
    return false;
  std::string text = code.getAsmString().str();
  for (const auto &[place, offset] : inserted)
    text.insert(place, offset);
  call.setCalledOperand(InlineAsm::get(code.getFunctionType(), text, code.getConstraintString(),
                                       code.hasSideEffects(), code.isAlignStack(),
                                       code.getDialect(), code.canThrow()));
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  return true;
}

} // namespace

PreservedAnalyses FoldInlineOffsets::run(Function &f, FunctionAnalysisManager &am) {
  ConstantSplitter splitter(f.getDataLayout());
  SmallVector<CallInst *> calls;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<CallInst>(&i); call && call->isInlineAsm())
      calls.push_back(call);
  int64_t count = count_if(calls, [&](CallInst *call) {
    return foldOffsetsIntoText(*call, *cast<InlineAsm>(call->getCalledOperand()), splitter);
  });
  if (count == 0)
    return PreservedAnalyses::all();
  simt::addRemark(f, std::to_string(count) +
                         " PTX instructions contain constant offsets of their addresses");
  am.invalidate(f, PreservedAnalyses::none());
  EarlyCSEPass().run(f, am); // addresses with the same base
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
