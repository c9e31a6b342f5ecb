#include "frontend/python/emit/containers/characters.h"

#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/types/characters.h"

#include <cstring>

namespace heddle::python {
namespace {

constexpr unsigned wordBytes = 8;

/// Calls `visit` for each piece of a string's memory that one load reads: its first byte and its size. A piece is
/// within one word.
template <class Visit> void forEachLoadablePiece(Type text, Visit visit) {
  for (unsigned first = 0, bytes = text->bytes(); first < bytes;) {
    unsigned size = wordBytes;
    while (size > bytes - first)
      size /= 2;
    visit(first, size);
    first += size;
  }
}

/// Converts a word such that numeric order is the order of the characters in it.
llvm::Value *swapBytesForComparison(Emitter &e, llvm::Value *word, Type character) {
  if (character->bits == 8)
    return e.b.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, word);
  return e.b.CreateIntrinsic(llvm::Intrinsic::fshl, {word->getType()}, {word, word, e.int64(32)});
}

llvm::Value *storeToStack(Emitter &e, const Parts &value) {
  llvm::Value *slot = e.makeStackSlot(e.b.getInt64Ty(), value.size(), llvm::Align(wordBytes));
  for (size_t i = 0; i < value.size(); ++i)
    e.b.CreateStore(value[i], e.b.CreateConstInBoundsGEP1_64(e.b.getInt64Ty(), slot, i));
  return slot;
}

} // namespace

Parts loadCharacters(Emitter &e, llvm::Value *address, Type text, llvm::Align align) {
  llvm::IRBuilder<> &b = e.b;
  Parts words(wordCount(text), text->bytes() ? nullptr : e.int64(0));
  forEachLoadablePiece(text, [&](unsigned first, unsigned size) {
    llvm::Value *piece = b.CreateAlignedLoad(
        b.getIntNTy(8 * size), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, first),
        llvm::commonAlignment(align, first));
    if (address->getType()->getPointerAddressSpace() == simt::Generic)
      piece = b.CreateFreeze(piece); // like other elements
    piece = b.CreateShl(b.CreateZExt(piece, b.getInt64Ty()), 8 * (first % wordBytes));
    llvm::Value *&word = words[first / wordBytes];
    word = word ? b.CreateOr(word, piece) : piece;
  });
  return words;
}

void storeCharacters(Emitter &e, llvm::Value *address, const Parts &value, Type text,
                     llvm::Align align) {
  llvm::IRBuilder<> &b = e.b;
  forEachLoadablePiece(text, [&](unsigned first, unsigned size) {
    llvm::Value *piece = b.CreateLShr(value[first / wordBytes], 8 * (first % wordBytes));
    b.CreateAlignedStore(b.CreateTrunc(piece, b.getIntNTy(8 * size)),
                         b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, first),
                         llvm::commonAlignment(align, first));
  });
}

void storeStringAsCharacters(Emitter &e, llvm::Value *address, const Parts &string, Type text,
                             llvm::Align align) {
  llvm::IRBuilder<> &b = e.b;
  b.CreateMemSet(address, b.getInt8(0), text->bytes(), align);
  llvm::Value *count =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, string[1], e.int64(characterCapacity(text)));
  e.emitLoop(count, [&](llvm::Value *i) {
    llvm::Type *character = b.getInt32Ty();
    b.CreateAlignedStore(b.CreateTrunc(codePointAt(e, string, i), character),
                         b.CreateInBoundsGEP(character, address, i),
                         llvm::commonAlignment(align, text->element->bytes()));
  });
}

Parts resizeCharacters(Emitter &e, Parts words, Type from, Type to) {
  words.resize(wordCount(to), e.int64(0));
  if (unsigned rest = to->bytes() % wordBytes; rest && from->bits > to->bits)
    words.back() = e.b.CreateAnd(words.back(), e.int64((int64_t(1) << 8 * rest) - 1));
  return words;
}

Parts convertToCharacters(Emitter &e, Value &v, Type text) {
  if (isCharacters(v.type))
    return resizeCharacters(e, e.parts(v), v.type, text);
  std::string bytes = *encodeConstantText(*v.constant, text->element);
  bytes.resize(wordCount(text) * wordBytes, '\0');
  std::fill(bytes.begin() + text->bytes(), bytes.end(), '\0');
  Parts words;
  for (unsigned i = 0; i < wordCount(text); ++i) {
    int64_t word;
    std::memcpy(&word, bytes.data() + i * wordBytes, wordBytes);
    words.push_back(e.int64(word));
  }
  return words;
}

llvm::Value *charactersLength(Emitter &e, const Parts &value, Type text) {
  llvm::IRBuilder<> &b = e.b;
  int64_t each = text->element->bytes();
  llvm::Value *length = e.int64(0);
  for (size_t i = 0; i < value.size(); ++i) {
    llvm::Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value[i], b.getFalse());
    llvm::Value *unused = b.CreateUDiv(zeros, e.int64(8 * each));
    llvm::Value *here = b.CreateSub(e.int64(int64_t(i + 1) * (wordBytes / each)), unused);
    length = b.CreateSelect(b.CreateICmpEQ(value[i], e.int64(0)), length, here);
  }
  return length;
}

llvm::Value *characterAt(Emitter &e, Value &text, Value &index, Span span) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *room = e.int64(characterCapacity(text.type)), *given = e.scalar(index, int64Type());
  llvm::Value *i = e.isNonNegative(index) ? given : e.wrapNegativeIndex(given, room);
  llvm::Value *isBeyond = b.CreateICmpUGE(i, room);
  if (e.checks().bounds)
    e.checkIndex(given, i, room, span, "text index out of range");
  llvm::Type *character = b.getIntNTy(text.type->element->bits);
  llvm::Value *memory = storeToStack(e, e.parts(text));
  i = b.CreateSelect(isBeyond, e.int64(0), i);
  return b.CreateLoad(character, b.CreateInBoundsGEP(character, memory, i));
}

llvm::Value *compareCharacters(Emitter &e, CompareOp op, Value &left, Value &right) {
  llvm::IRBuilder<> &b = e.b;
  Type character = (isCharacters(left.type) ? left : right).type->element;
  auto bytesOf = [&](const Value &v) {
    return isCharacters(v.type) ? v.type->bytes()
                                : unsigned(encodeConstantText(*v.constant, character)->size());
  };
  unsigned bytes = std::max(bytesOf(left), bytesOf(right));
  Type both = charactersType(character, bytes / character->bytes());
  Parts x = convertToCharacters(e, left, both), y = convertToCharacters(e, right, both);
  Type word = intType(64, false);
  // Start at the last word: later words decide only if earlier ones are equal.
  llvm::Value *result = nullptr;
  for (size_t i = x.size(); i-- > 0;) {
    llvm::Value *p = swapBytesForComparison(e, x[i], character),
                *q = swapBytesForComparison(e, y[i], character);
    llvm::Value *here = compare(e, op, p, word, q, word);
    result = result ? b.CreateSelect(b.CreateICmpEQ(p, q), result, here) : here;
  }
  return result;
}

Parts charactersToString(Emitter &e, const Parts &value, Type text) {
  return {storeToStack(e, value), charactersLength(e, value, text),
          e.int64(text->element->bytes())};
}

} // namespace heddle::python
