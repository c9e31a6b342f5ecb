// print(...) in kernels.

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/types/constant_text.h"

namespace heddle::python {
namespace {

/// Maximum number of vprintf arguments after the format (CUDA C++ Programming Guide, "Formatted Output").
constexpr size_t mostValues = 32;
/// Address, length, and width of the code points.
constexpr unsigned partsOfText = 3;

/// A piece of the output line: text, a scalar of an argument, or a coordinate of the thread.
struct Piece {
  std::string text;
  Type type;             ///< of the scalar; unknown for text
  unsigned part = 0;     ///< the part number in the argument
  bool isSigned = false; ///< print a plus sign too
  bool isQuoted = false; ///< a string inside a tuple
  const LibraryRow *place = nullptr;
};
using Pieces = std::vector<Piece>;

/// Adds pieces that print (x, y, z) if `c` is threadIdx or a similar object. Returns false for other constants.
bool tryAddThreadCoordinates(const Constant &c, Pieces &out) {
  if (c.kind != ConstantKind::Namespace)
    return false;
  const char *before = "(";
  for (const char *axis : {".x", ".y", ".z"}) {
    const LibraryRow *place = findLibraryRow(c.text + axis);
    if (!place || !place->isValue())
      return false;
    out.push_back({.text = before});
    out.push_back({.type = int32Type(), .place = place});
    before = ", ";
  }
  out.push_back({.text = ")"});
  return true;
}

llvm::Value *emitCoordinate(CallEmission &c, const LibraryRow &place) {
  Value v{.opcode = Opcode::Attribute};
  v.span = c.call.span;
  v.library = &place;
  CallEmission emission(c.e, v);
  return place.emit(emission)[0];
}

/// A member of an enum as Python prints it.
std::string formatEnumMember(const Constant &c, bool inTuple) {
  const std::string &type = c.type.name(); // "Enum<int64>(Color)"
  std::string className = type.substr(type.rfind('(') + 1);
  className.pop_back();
  std::string name = className + "." + c.text;
  if (!inTuple)
    return name;
  Constant value = c;
  value.type = c.type->element;
  return "<" + name + ": " + reprOf(value).value_or("...") + ">";
}

/// A hint for values that a kernel cannot print.
const char *hintForUnprintable(Type type) {
  switch (type.kind()) {
  case TypeKind::Array:
    return "print its elements one by one";
  case TypeKind::Record:
    return "print its fields";
  case TypeKind::Enum:
    return "print its value, as in x.value";
  case TypeKind::TimeDelta:
    return "print a number: divide it by a unit, as in x / np.timedelta64(1, 's')";
  case TypeKind::DateTime:
    return "print a number: subtract a date, and divide by a unit, as in (x - start) / "
           "np.timedelta64(1, 's')";
  default:
    return "";
  }
}

/// Adds the pieces for a value with the constant `c` or the definition `v`, if known. `part` counts the parts of the
/// argument. False if kernels cannot print the value.
bool tryAddFormatPieces(Type type, const Constant *c, const Value *v, bool inTuple, unsigned &part,
                        Pieces &out) {
  if (c && c->kind == ConstantKind::String) {
    out.push_back({.text = inTuple ? quoted(c->text) : c->text});
    part += type == runtimeStringType() ? partsOfText : 0;
    return true;
  }
  if (type == runtimeStringType()) {
    out.push_back({.type = type, .part = part, .isQuoted = inTuple});
    part += partsOfText;
    return true;
  }
  if (type.is(TypeKind::None)) {
    out.push_back({.text = "None"});
    return true;
  }
  if (type.isScalar()) {
    out.push_back({.type = type, .part = part++});
    return true;
  }
  if (type.isComplex()) {
    Type each = complexPartType(type);
    out.push_back({.text = "("});
    out.push_back({.type = each, .part = part++});
    out.push_back({.type = each, .part = part++, .isSigned = true});
    out.push_back({.text = "j)"});
    return true;
  }
  if (type.is(TypeKind::Enum) && c) {
    out.push_back({.text = formatEnumMember(*c, inTuple)});
    ++part;
    return true;
  }
  if (!type.isTuple() && !type.isVector())
    return c && tryAddThreadCoordinates(*c, out);
  size_t count = type->elements.size();
  out.push_back({.text = "("});
  for (size_t i = 0; i < count; ++i) {
    if (i)
      out.push_back({.text = ", "});
    const Value *element = v && v->opcode == Opcode::Tuple ? v->operands[i] : nullptr;
    const Constant *known = element && element->constant          ? &*element->constant
                            : c && c->kind == ConstantKind::Tuple ? &c->items[i]
                                                                  : nullptr;
    if (known && known->kind == ConstantKind::Unknown)
      known = nullptr;
    if (!tryAddFormatPieces(type->elements[i], known, element, /*inTuple=*/true, part, out))
      return false;
  }
  out.push_back({.text = count == 1 ? ",)" : ")"});
  return true;
}

bool tryAddArgumentPieces(const Value &argument, Pieces &out) {
  unsigned part = 0;
  const Constant *c = argument.constant ? &*argument.constant : nullptr;
  return tryAddFormatPieces(argument.type, c, &argument, /*inTuple=*/false, part, out);
}

Type typePrint(CallTyping &t) {
  for (unsigned i = 0; i < t.argumentCount(); ++i) {
    Pieces pieces;
    if (!tryAddArgumentPieces(*t.argument(i), pieces))
      t.failAt(i,
               "print in a " + t.rules().noun + " writes numbers, " +
                   (t.rules().makesArrays ? "" : "constant ") + "strings and tuples of them, not " +
                   t.type(i).name(),
               hintForUnprintable(t.type(i)));
    for (const Piece &piece : pieces)
      if (piece.text.find('\0') != std::string::npos)
        t.failAt(i,
                 "print in a " + t.rules().noun + " cannot write the character with the number 0");
  }
  return noneType();
}

/// The type to convert a piece to, and its conversion in simt.print's format.
std::pair<Type, const char *> selectPrintConversion(const Piece &piece) {
  Type type = piece.type;
  if (type == runtimeStringType())
    return {type, piece.isQuoted ? "%r" : "%s"};
  if (type.isBool())
    return {type, "%b"};
  if (type.isFloat())
    return {float64Type(), piece.isSigned ? "%+f" : "%f"};
  return type.isSigned() ? std::pair{int64Type(), "%d"} : std::pair{intType(64, false), "%u"};
}

std::string escapePercent(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// Emits a print of a format with values.
void emitPrintCall(CallEmission &c, const std::string &format, const Parts &values) {
  llvm::IRBuilder<> &b = c.b;
  llvm::Value *slots = llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::AllocaInst *memory = nullptr;
  if (!values.empty()) {
    slots = memory = c.e.makeStackSlot(b.getInt64Ty(), values.size(), llvm::Align(8));
    b.CreateLifetimeStart(memory);
  }
  for (size_t i = 0; i < values.size(); ++i)
    b.CreateStore(values[i], b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), slots, i));
  unsigned site = c.e.module().addSite(c.e.function(), c.call.span, "print", format);
  simt::call(b, simt::Op::Print, {c.e.int32(site), slots});
  if (memory)
    b.CreateLifetimeEnd(memory);
}

Parts emitPrint(CallEmission &c) {
  llvm::IRBuilder<> &b = c.b;
  std::string format;
  Parts values;
  for (unsigned i = 0; i < c.argumentCount(); ++i) {
    Pieces pieces;
    tryAddArgumentPieces(*c.argument(i), pieces);
    Parts parts = c.e.parts(*c.argument(i));
    format += i ? " " : "";
    for (const Piece &piece : pieces) {
      if (!piece.type) {
        format += escapePercent(piece.text);
        continue;
      }
      if (values.size() >= mostValues) { // continues the line in another print
        emitPrintCall(c, format, values);
        format.clear();
        values.clear();
      }
      auto [type, conversion] = selectPrintConversion(piece);
      format += conversion;
      if (type == runtimeStringType()) {
        values.append(parts.begin() + piece.part, parts.begin() + piece.part + partsOfText);
        continue;
      }
      llvm::Value *v = piece.place ? emitCoordinate(c, *piece.place) : parts[piece.part];
      v = cast(c.e, v, piece.type, type);
      values.push_back(type.isBool() ? b.CreateZExt(v, b.getInt64Ty()) : v);
    }
  }
  emitPrintCall(c, format + "\n", values);
  return {};
}

constexpr LibraryRow rows[] = {
    {"builtins.print", "(*values)",
     "Writes a line to the process's standard output. Takes numbers, constant strings (in host "
     "functions, any string) and tuples of them.",
     typePrint, emitPrint},
};

} // namespace

llvm::ArrayRef<LibraryRow> printLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets);
  return table;
}

} // namespace heddle::python
