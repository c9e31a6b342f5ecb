// The functions of Python's module `operator`. A call becomes the operator that it names, as if the source had that.

#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

template <class Op> constexpr unsigned operatorCode(Opcode opcode, Op op) {
  return unsigned(opcode) << 8 | unsigned(op);
}
constexpr unsigned code(BinaryOp op) { return operatorCode(Opcode::Binary, op); }
constexpr unsigned code(UnaryOp op) { return operatorCode(Opcode::Unary, op); }
constexpr unsigned code(CompareOp op) { return operatorCode(Opcode::Compare, op); }
constexpr unsigned code(Opcode opcode) { return operatorCode(opcode, 0u); }

/// Makes the call the instruction of its row; inference then looks at that.
Type typeOperator(CallTyping &t) {
  Value &call = t.call();
  std::vector<Value *> operands;
  std::vector<Span> spans;
  for (unsigned i = 0; i < t.count(); ++i) {
    operands.push_back(t.argument(i));
    spans.push_back(t.spanOf(i));
  }
  Value &function = *call.operands[0];
  if (function.opcode == Opcode::Global || function.opcode == Opcode::Attribute)
    function.opcode = Opcode::Constant; // it was called, though nothing uses it from here on
  call.operands = std::move(operands);
  call.operandSpans = std::move(spans);
  call.names.clear();
  call.library = nullptr;
  call.opcode = Opcode(t.row().data >> 8);
  call.op = uint8_t(t.row().data);
  return {};
}
Parts emitNothing(CallEmission &) { return {}; }

#define OPERATOR(name, signature, meaning, operation)                                              \
  {"operator." name, signature, meaning ".", typeOperator, emitNothing, code(operation)}
#define ARITHMETIC(name, symbol, operation)                                                        \
  OPERATOR(name, "(a, b)", "a " symbol " b", BinaryOp::operation)
/// Numbers do not change in place: the result is the new value.
#define IN_PLACE(name, symbol, operation)                                                          \
  OPERATOR(name, "(a, b)", "a " symbol " b, as a new value", BinaryOp::operation)
#define COMPARISON(name, symbol, operation)                                                        \
  OPERATOR(name, "(a, b)", "a " symbol " b", CompareOp::operation)

constexpr LibraryRow rows[] = {
    ARITHMETIC("add", "+", Add),
    ARITHMETIC("sub", "-", Sub),
    ARITHMETIC("mul", "*", Mul),
    ARITHMETIC("truediv", "/", TrueDiv),
    ARITHMETIC("floordiv", "//", FloorDiv),
    ARITHMETIC("mod", "%", Mod),
    ARITHMETIC("pow", "**", Pow),
    ARITHMETIC("lshift", "<<", LShift),
    ARITHMETIC("rshift", ">>", RShift),
    ARITHMETIC("and_", "&", And),
    ARITHMETIC("or_", "|", Or),
    ARITHMETIC("xor", "^", Xor),
    IN_PLACE("iadd", "+", Add),
    IN_PLACE("isub", "-", Sub),
    IN_PLACE("imul", "*", Mul),
    IN_PLACE("itruediv", "/", TrueDiv),
    IN_PLACE("ifloordiv", "//", FloorDiv),
    IN_PLACE("imod", "%", Mod),
    IN_PLACE("ipow", "**", Pow),
    IN_PLACE("ilshift", "<<", LShift),
    IN_PLACE("irshift", ">>", RShift),
    IN_PLACE("iand", "&", And),
    IN_PLACE("ior", "|", Or),
    IN_PLACE("ixor", "^", Xor),
    COMPARISON("eq", "==", Eq),
    COMPARISON("ne", "!=", Ne),
    COMPARISON("lt", "<", Lt),
    COMPARISON("le", "<=", Le),
    COMPARISON("gt", ">", Gt),
    COMPARISON("ge", ">=", Ge),
    unlisted(COMPARISON("is_", "is", Is)),
    unlisted(COMPARISON("is_not", "is not", IsNot)),
    OPERATOR("neg", "(a)", "-a", UnaryOp::Neg),
    OPERATOR("pos", "(a)", "+a", UnaryOp::Pos),
    OPERATOR("invert", "(a)", "~a", UnaryOp::Invert),
    unlisted(OPERATOR("inv", "(a)", "~a", UnaryOp::Invert)),
    OPERATOR("not_", "(a)", "not a", UnaryOp::Not),
    unlisted(OPERATOR("truth", "(a)", "bool(a)", Opcode::Truth)),
    unlisted(OPERATOR("getitem", "(a, b)", "a[b]", Opcode::Index)),
};

} // namespace

llvm::ArrayRef<LibraryRow> operatorLibrary() {
  static constexpr auto table = eachOf(rows, everywhere);
  return table;
}

} // namespace heddle::python
