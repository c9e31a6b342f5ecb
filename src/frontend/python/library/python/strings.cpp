// Text of what is known while compiling. A kernel has no strings when it runs.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/ssa/text_in_source.h"
#include "frontend/python/types/constant_text.h"

namespace heddle::python {
namespace {

enum Form : unsigned { Str, Repr };

Type typeText(CallTyping &t) {
  const Constant *c = t.constant(0);
  std::optional<std::string> text;
  if (c && c->isWhole())
    text = t.row().data == Repr ? reprOf(*c) : strOf(*c);
  if (text) {
    t.call().constant = Constant::ofString(std::move(*text));
    return stringType();
  }
  if (t.row().data == Str && originOf(t.call()) == TextOrigin::Call && !holdsObject(t.type(0))) {
    t.call().constant = Constant::ofString(t.type(0).name()); // as numba has it
    return stringType();
  }
  constexpr const char *hint =
      "print(...) writes numbers; format others on the host, from an array that the kernel writes";
  switch (originOf(t.call())) {
  case TextOrigin::AssertMessage:
    return stringType(); // the assertion is reported without it
  case TextOrigin::FString:
    fail(t.source(), t.call().span, ErrorKind::Unsupported,
         "f-strings of what is known only at run time are not supported in " + t.rules().plural, "",
         hint);
  case TextOrigin::Call:
    break;
  }
  t.failAt(0,
           std::string(t.row().shown()) + "() in a " + t.rules().noun +
               " takes constants: numbers, strings and tuples of them",
           hint);
}
Parts emitText(CallEmission &) { return {}; }

Type typeOrd(CallTyping &t) {
  const Constant *c = t.constant(0);
  if (!c || c->kind != ConstantKind::String)
    t.failAt(0, "ord() in a " + t.rules().noun + " takes a constant string of one character");
  std::vector<std::string> characters = charactersOf(c->text);
  if (characters.size() != 1)
    t.failAt(0,
             "ord() takes a string of one character, not of " + std::to_string(characters.size()));
  // UTF-8: the first byte of n has 7, 5, 4 or 3 bits of the number, each later one 6.
  const std::string &bytes = characters[0];
  auto first = static_cast<unsigned char>(bytes[0]);
  int64_t number = bytes.size() == 1 ? first : first & (0xFF >> (bytes.size() + 1));
  for (size_t i = 1; i < bytes.size(); ++i)
    number = number << 6 | (bytes[i] & 0x3F);
  t.call().constant = Constant::ofInt(number);
  return int64Type();
}

std::string utf8Of(uint32_t number) {
  if (number < 0x80)
    return std::string(1, char(number));
  std::string rest;
  uint32_t most = 0x3F; // of the first byte's bits
  for (; number > most; number >>= 6, most >>= 1)
    rest.insert(rest.begin(), char(0x80 | (number & 0x3F)));
  return std::string(1, char((~most << 1 & 0xFF) | number)) + rest;
}

Type typeChr(CallTyping &t) {
  const Constant *c = t.constant(0);
  if (!c || (c->kind != ConstantKind::Int && c->kind != ConstantKind::Bool))
    t.failAt(0, "chr() in a " + t.rules().noun + " takes a constant integer");
  bool isSurrogate = c->integer >= 0xD800 && c->integer < 0xE000;
  if (c->integer < 0 || c->integer > 0x10FFFF || isSurrogate)
    t.failAt(0, std::to_string(c->integer) + " is the number of no character");
  t.call().constant = Constant::ofString(utf8Of(uint32_t(c->integer)));
  return stringType();
}

Parts emitConstant(CallEmission &c) { return c.e.parts(c.call); }

constexpr LibraryRow rows[] = {
    classOf(
        takingNone({"builtins.str", "(x)",
                    "The text of a constant: a number, a string, or a tuple of them; of any other "
                    "value the name of its type.",
                    typeText, emitText, Str}),
        [](Type t) { return t.is(TypeKind::String); }),
    takingNone({"builtins.repr", "(x)", "The text of a constant as Python's source has it.",
                typeText, emitText, Repr}),
    {"builtins.ord", "(c)", "The number of a character, a constant string.", typeOrd, emitConstant},
    {"builtins.chr", "(i)", "The character of a number, a constant.", typeChr, emitText},
};

} // namespace

llvm::ArrayRef<LibraryRow> stringLibrary() {
  static constexpr auto table = eachOf(rows, everywhere);
  return table;
}

} // namespace heddle::python
