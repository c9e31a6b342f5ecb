// The functions of Python's module `operator`. Calls become the corresponding operators.

#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

constexpr unsigned getOperatorCode(BinaryOp op) {
  return operatorCode(Opcode::Binary, unsigned(op));
}
constexpr unsigned getOperatorCode(UnaryOp op) { return operatorCode(Opcode::Unary, unsigned(op)); }
constexpr unsigned getOperatorCode(CompareOp op) {
  return operatorCode(Opcode::Compare, unsigned(op));
}
constexpr unsigned getOperatorCode(Opcode opcode) { return operatorCode(opcode); }

/// The container comes first, unlike in `b in a`.
Type typeContains(CallTyping &t) {
  Type type = typeByReplacingWithOperator(t);
  std::swap(t.call().operands[0], t.call().operands[1]);
  std::swap(t.call().operandSpans[0], t.call().operandSpans[1]);
  return type;
}

Type rejectDelItem(CallTyping &t) {
  t.fail("no element of " + t.type(0).name() + " can be deleted");
}

/// Modifies arrays and lists on the left in place.
Type typeInPlaceOperator(CallTyping &t) {
  t.call().inPlace = true;
  return typeByReplacingWithOperator(t);
}

#define OPERATOR(name, signature, meaning, operation)                                              \
  {"operator." name,          signature, meaning ".", typeByReplacingWithOperator, emitNoValue,    \
   getOperatorCode(operation)}
#define ARITHMETIC(name, symbol, operation)                                                        \
  OPERATOR(name, "(a, b)", "a " symbol " b", BinaryOp::operation)
/// Numbers are immutable: the result is the new value.
#define IN_PLACE(name, symbol, operation)                                                          \
  withWrites({"operator." name, "(a, b)",                                                          \
              "a " symbol "= b: modifies an array in place, or returns a new value.",              \
              typeInPlaceOperator, emitNoValue, getOperatorCode(BinaryOp::operation)},             \
             "a")
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
    asUnlisted(ARITHMETIC("matmul", "@", MatMul)),
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
    asUnlisted(COMPARISON("is_", "is", Is)),
    asUnlisted(COMPARISON("is_not", "is not", IsNot)),
    OPERATOR("neg", "(a)", "-a", UnaryOp::Neg),
    OPERATOR("pos", "(a)", "+a", UnaryOp::Pos),
    OPERATOR("invert", "(a)", "~a", UnaryOp::Invert),
    asUnlisted(OPERATOR("inv", "(a)", "~a", UnaryOp::Invert)),
    OPERATOR("not_", "(a)", "not a", UnaryOp::Not),
    asUnlisted(OPERATOR("truth", "(a)", "bool(a)", Opcode::Truth)),
    asUnlisted(OPERATOR("getitem", "(a, b)", "a[b]", Opcode::Index)),
    asUnlisted(withWrites(OPERATOR("setitem", "(a, b, c)", "a[b] = c", Opcode::StoreIndex), "a")),
    asUnlisted({"operator.delitem", "(a, b)", "del a[b].", rejectDelItem, emitNoValue}),
    asUnlisted({"operator.contains", "(a, b)", "b in a.", typeContains, emitNoValue,
                getOperatorCode(CompareOp::In)}),
};

} // namespace

llvm::ArrayRef<LibraryRow> operatorLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets);
  return table;
}

} // namespace heddle::python
