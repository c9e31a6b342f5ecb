// Conversions to text. In kernels the value must be a compile-time constant, because kernels have no run-time strings.

#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/ssa/text_in_source.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/constant_text.h"

namespace heddle::python {
namespace {

enum Form : unsigned { Str, Repr };

Type typeStr(CallTyping &t) {
  if (!t.argument(0)) { // str()
    t.call().constant = Constant::ofString("");
    return constantStringType();
  }
  const Constant *c = t.constant(0);
  std::optional<std::string> text;
  if (c && c->isFullyKnown())
    text = t.row().data == Repr ? reprOf(*c) : strOf(*c);
  if (text) {
    t.call().constant = Constant::ofString(std::move(*text));
    return constantStringType();
  }
  bool isCopied = t.row().data == Str && isCharacters(t.type(0)) && t.type(0)->element->bits == 32;
  if (t.rules().makesArrays && (isFormattable(t.type(0)) || isCopied))
    return runtimeStringType();
  if (t.row().data == Str && originOf(t.call()) == TextOrigin::Call &&
      !holdsCompileTimeObject(t.type(0))) {
    t.call().constant = Constant::ofString(t.type(0).name()); // as in numba
    return constantStringType();
  }
  constexpr const char *hint =
      "print(...) writes numbers; format others on the host, from an array that the kernel writes";
  switch (originOf(t.call())) {
  case TextOrigin::AssertMessage:
    return constantStringType(); // omitted from the assertion's message
  case TextOrigin::FString:
    if (t.rules().makesArrays)
      fail(t.source(), t.call().span, ErrorKind::Unsupported,
           "f-strings in jitted functions take numbers, strings and tuples of these, not " +
               t.type(0).name(),
           "", "print(...) also writes lists and arrays");
    fail(t.source(), t.call().span, ErrorKind::Unsupported,
         "f-strings with run-time values are not supported in " + t.rules().plural, "", hint);
  case TextOrigin::Call:
    break;
  }
  t.failAt(0,
           std::string(t.row().displayName()) + "() in a " + t.rules().noun +
               " takes constants: numbers, strings and tuples of them",
           hint);
}
Parts emitStr(CallEmission &c) {
  if (!c.argument(0))
    return {};
  Value &v = *c.argument(0);
  if (c.call.type != runtimeStringType() || c.call.constant)
    return {};
  if (c.row.data == Str && v.type == runtimeStringType())
    return c.e.parts(v);
  if (isCharacters(v.type))
    return copyText(c.e, c.call, charactersToString(c.e, c.e.parts(v), v.type));
  bool isHalf = v.type.isHalf();
  if (v.type.isScalar() && !isHalf)
    return formatNumber(c.e, c.call, c.e.parts(v)[0], v.type);
  return emitPythonFormatCall(c.e, c.call, c.row.data == Repr ? "repr" : "str", {&v});
}

/// format(x, spec), which implements braces with a colon in f-strings.
Type typeFormat(CallTyping &t) {
  if (!t.rules().makesArrays && originOf(t.call()) == TextOrigin::AssertMessage)
    return constantStringType();
  if (!t.rules().makesArrays)
    fail(t.source(), t.call().span, ErrorKind::Unsupported,
         "f-strings with formats are not supported in " + t.rules().plural, "",
         "the text of constants has the form of str(); write numbers into an array and format them "
         "on the host");
  if (!isFormattable(t.type(0)))
    t.failAt(0, "a " + t.rules().noun + " makes no text of " + t.type(0).name(),
             "numbers, bools, strings and tuples of them have one");
  if (t.argument(1) && t.type(1) != runtimeStringType())
    t.failAt(1, "a format is a string, not " + t.type(1).name());
  return runtimeStringType();
}
Parts emitFormat(CallEmission &c) {
  if (c.call.type != runtimeStringType()) // omitted from an assertion's message
    return {};
  if (!c.argument(1))
    return emitStr(c);
  return emitPythonFormatCall(c.e, c.call, "format", {c.argument(0), c.argument(1)});
}

Type typeOrd(CallTyping &t) {
  const Constant *c = t.constant(0);
  if (!c && t.type(0) == runtimeStringType())
    return int64Type();
  if (!c || c->kind != ConstantKind::String)
    t.failAt(0, "ord() in a " + t.rules().noun + " takes a constant string of one character");
  std::vector<std::string> characters = charactersOf(c->text);
  if (characters.size() != 1)
    t.failAt(0,
             "ord() takes a string of one character, not of " + std::to_string(characters.size()));
  // UTF-8: the first byte of n bytes has 7, 5, 4 or 3 bits of the code point, each later byte 6.
  const std::string &bytes = characters[0];
  auto first = static_cast<unsigned char>(bytes[0]);
  int64_t number = bytes.size() == 1 ? first : first & (0xFF >> (bytes.size() + 1));
  for (size_t i = 1; i < bytes.size(); ++i)
    number = number << 6 | (bytes[i] & 0x3F);
  t.call().constant = Constant::ofInt(number);
  return int64Type();
}

std::string encodeUtf8(uint32_t number) {
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
  if (!c && t.rules().makesArrays && (t.type(0).isInteger() || t.type(0).isBool()))
    return runtimeStringType();
  if (!c || (c->kind != ConstantKind::Int && c->kind != ConstantKind::Bool))
    t.failAt(0, "chr() in a " + t.rules().noun + " takes a constant integer");
  bool isSurrogate = c->integer >= 0xD800 && c->integer < 0xE000;
  if (c->integer < 0 || c->integer > 0x10FFFF || isSurrogate)
    t.failAt(0, std::to_string(c->integer) + " is not the number of a character");
  t.call().constant = Constant::ofString(encodeUtf8(uint32_t(c->integer)));
  return constantStringType();
}

Parts emitOrd(CallEmission &c) {
  if (c.call.constant)
    return c.e.parts(c.call);
  Parts text = c.e.parts(*c.argument(0));
  c.e.trapIf(c.b.CreateICmpNE(text[1], c.e.int64(1)), c.call.span, "TypeError",
             "ord() expected a character, but string of another length found");
  return {codePointAt(c.e, text, c.e.int64(0))};
}

Parts emitChr(CallEmission &c) {
  constexpr int64_t last = 0x10FFFF;
  llvm::IRBuilder<> &b = c.b;
  if (c.call.constant)
    return {};
  llvm::Value *code = c.scalar(0, int64Type());
  c.e.trapIf(b.CreateICmpUGT(code, c.e.int64(last)), c.call.span, "ValueError",
             "chr() arg not in range(0x110000)");
  return makeCharacterText(c.e, c.call, code);
}

constexpr LibraryRow rows[] = {
    forClass({"builtins.str", "(object=)",
              "The text of a constant number, string or tuple of them; for other values, the name "
              "of the type.",
              typeStr, emitStr, Str},
             [](Type t) { return t.isString(); }),
    {"builtins.repr", "(x)", "The Python source text of a constant.", typeStr, emitStr, Repr},
    {"builtins.format", "(x, spec=)", "Formats a value. Only in host functions.", typeFormat,
     emitFormat},
    {"builtins.ord", "(c)", "The code point of a character; in kernels, a constant string.",
     typeOrd, emitOrd, 0, true},
    {"builtins.chr", "(i)", "The character with this code point; in kernels, a constant.", typeChr,
     emitChr},
};

} // namespace

llvm::ArrayRef<LibraryRow> stringLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
