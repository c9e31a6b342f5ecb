// Visits: one function per kind of value. A visit sets the type of a value from its operands' types and returns true if
// it changed. Visits throw errors; inference decides if they are final yet (inference.h).
#pragma once

#include "frontend/python/infer/function_typing.h"
#include "frontend/python/infer/put_into.h"
#include "frontend/python/rows/members.h"

namespace heddle::python {

// merges.cpp
bool visitPhi(FunctionTyping &t, Value &phi);
bool visitReturn(FunctionTyping &t, Value &v);
bool visitYield(FunctionTyping &t, Value &v);

// names.cpp
bool visitGlobal(FunctionTyping &t, Value &v);
/// Makes `v` the constant that its name or attribute denotes.
bool resolveName(FunctionTyping &t, Value &v, Constant constant, const std::string &name);
/// The constant that a name or module attribute denotes, visited or not; empty for computed values.
std::optional<Constant> lookupName(FunctionTyping &t, const Value &v);

// operators.cpp
bool visitUnary(FunctionTyping &t, Value &v);
bool visitBinary(FunctionTyping &t, Value &v);
bool visitCompare(FunctionTyping &t, Value &v);
bool visitTruth(FunctionTyping &t, Value &v);

// access.cpp
bool visitAttribute(FunctionTyping &t, Value &v);
bool visitIndex(FunctionTyping &t, Value &v);
bool visitStore(FunctionTyping &t, Value &v);
bool visitTuple(FunctionTyping &t, Value &v);
bool visitUnpack(FunctionTyping &t, Value &v);

// access.cpp
/// The number in a zero-dimensional array, which is operand `i` of `user`.
Value &readZeroDimArray(FunctionTyping &t, Value &user, size_t i);

// selections.cpp
/// True if an Index or StoreIndex selects elements with arrays, in a function that can allocate arrays.
bool isSelection(const FunctionTyping &t, const Value &access);
/// Replaces the access by a call.
bool visitSelection(FunctionTyping &t, Value &access);

// fields.cpp
/// The field that the index of `v` selects.
const Field &selectedField(FunctionTyping &t, const Value &v, Type record);
/// The type of `pointer[i]`.
Type pointerElementType(FunctionTyping &t, const Value &v);
/// The type of the location that a StoreIndex assigns to.
Type assignedType(FunctionTyping &t, const Value &v, Type object);
/// Adds the compile-time value of `member` for a constant named tuple or enum member.
Member addConstantToMember(const Constant &object, const std::string &name, Member member);
/// Makes a named tuple of the arguments. Reorders the call's operands to field order.
bool visitTupleClass(FunctionTyping &t, Value &v, const Constant &tupleClass);
/// Compares enum members. They are unique, so `is` equals `==`.
bool visitEnumCompare(FunctionTyping &t, Value &v);

// calls/calls.cpp
/// Replaces tuples written as `*t` by their elements, from operand `first` on.
void expandStarred(FunctionTyping &t, Value &v, size_t first);
bool visitCall(FunctionTyping &t, Value &v);
bool visitClosure(FunctionTyping &t, Value &v);
/// True for calls of isinstance and hasattr. Their answers follow from a type, which must be the final type of the
/// argument.
bool isTypeQuestion(FunctionTyping &t, const Value &call);

// calls/choices.cpp
/// The Choice type for a function that can be selected at run time; unknown for other objects.
Type functionChoiceType(const FunctionTyping &t, const Constant &object);
/// True if `v` is a function, or one of several, that a host function may select at run time.
bool isSelectable(const FunctionTyping &t, const Value &v);
/// Converts operands that are functions to Choice values. `v` may be a merge.
void chooseFunctions(FunctionTyping &t, Value &v);
/// The value that is put into a container, after conversion: functions become Choice values, fixed-length strings
/// strings.
Value &convertPut(FunctionTyping &t, const Put &put);
bool visitChoose(FunctionTyping &t, Value &v);
/// A call of one of several functions. Becomes a call of a function that dispatches on the tag.
bool visitChosenCall(FunctionTyping &t, Value &call);

// calls/become_call.cpp
/// Makes an operation a call of `function` with the same operands.
bool replaceWithCall(FunctionTyping &t, Value &v, Constant function);
/// Makes it a call of a library row or a function of heddle/host_library.
bool replaceWithCallOf(FunctionTyping &t, Value &v, const std::string &function);

// calls/casts.cpp
bool visitCast(FunctionTyping &t, Value &v, Type to);

// iteration.cpp
bool visitIterCount(FunctionTyping &t, Value &v);
bool visitIterValue(FunctionTyping &t, Value &v);
/// For next(): makes enumerate, zip and so on stateful iterators, so that all their users share the position.
void makeStateful(FunctionTyping &t, Value &next);

// lists.cpp
bool visitList(FunctionTyping &t, Value &v);
/// Converts a list to a tuple, if literal_unroll iterates over it and nothing else is added to it.
void unrollList(FunctionTyping &t, Value &call);
/// Fails for a list, dict or set without any use that determines its type.
void checkContainers(const FunctionTyping &t);
/// True if lists, and dicts as values, support the type.
bool isListElement(Type type);
/// Throws the error that `what`, a container of numba.typed, does not support the element type.
[[noreturn]] void failSharedElement(const FunctionTyping &t, const Value &v,
                                    const std::string &what, Type element);
/// The common type of the items of `iterable`; unknown if it has none.
Type commonItemType(Type iterable);
/// The type of `list[i]`.
Type listElementType(FunctionTyping &t, const Value &v);
/// Makes a slice of a list or string a call of `function` with the bounds and the step as arguments.
bool visitSliceCall(FunctionTyping &t, Value &v, const char *function);
/// Converts slices that are passed to calls or returned to slice values.
void slicesToValues(FunctionTyping &t, Value &v);
/// Converts slice values in an index to slices.
void valuesToSlices(FunctionTyping &t, Value &v);

// texts.cpp
/// An operator on strings, one of which is not a compile-time constant.
bool visitTextBinary(FunctionTyping &t, Value &v);
/// An element or slice of a string.
bool visitTextIndex(FunctionTyping &t, Value &v);
// characters.cpp
/// True if a value is a fixed-length string with this character type, or a string constant.
bool convertsToCharacters(const Value &value, Type character);
/// The fixed-length string type that can hold each of these values: fixed-length strings, and constants that differ.
/// Unknown for other values.
Type commonCharactersType(llvm::ArrayRef<const Value *> values);
/// A comparison with a fixed-length string; nothing for other comparisons.
std::optional<bool> visitCharactersCompare(FunctionTyping &t, Value &v);
/// In host functions, replaces an operand that is a fixed-length string of code points by str(text).
bool convertToString(FunctionTyping &t, Value &v, size_t number);
/// The same for both operands; true if any was replaced.
bool convertToStrings(FunctionTyping &t, Value &v);
// literal_dicts.cpp
/// Makes a dict with values of several types a tuple; nothing for an ordinary dict.
std::optional<bool> visitLiteralDict(FunctionTyping &t, Value &v);
bool visitLiteralDictIndex(FunctionTyping &t, Value &v);
/// The keys for loops and `in`, created before `at`.
Value *insertLiteralDictKeys(FunctionTyping &t, Value &at, Type dict);
// tables.cpp
bool visitDict(FunctionTyping &t, Value &v);
bool visitSet(FunctionTyping &t, Value &v);
[[noreturn]] void failUntypedTable(const FunctionTyping &t, const Value &table);
/// An operator on dicts and sets; nothing for others.
std::optional<bool> visitTableBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitTableCompare(FunctionTyping &t, Value &v);
bool visitTableIndex(FunctionTyping &t, Value &v);
bool visitTableStore(FunctionTyping &t, Value &v);
/// The dict of a keys(), values() or items() view; null for other values.
const Value *dictOfView(const Value &view);
/// Replaces operand `i` of `user` by the dict itself, if it is one of these views of a dict.
void replaceView(FunctionTyping &t, Value &user, size_t i,
                 std::initializer_list<llvm::StringRef> views);
/// Makes `user`, a loop or an iterator, iterate over a snapshot: the keys of a dict or set in operand `i`, or the
/// contents of a keys(), values() or items() view.
void iterateSnapshot(FunctionTyping &t, Value &user, size_t i);

// unassigned.cpp
/// Gives an operand without a value on any path the type that the variable has elsewhere, or fails.
void visitUnassigned(FunctionTyping &t, const Value &user, size_t operand);

// instances.cpp
// Make an operation on a jitclass instance or a structure a call of its method; nothing if there is no such method.
// Structures have no other operations.
std::optional<bool> visitInstanceBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceUnary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceCompare(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceItem(FunctionTyping &t, Value &v);
/// Types an operation with `visit`. If that fails, makes it a call of the program's overload of the operator for these
/// operands.
bool visitOrOverload(FunctionTyping &t, Value &v, bool (*visit)(FunctionTyping &, Value &));
/// An assignment to an attribute with a setter in the program; nothing if there is none.
std::optional<bool> visitSetter(FunctionTyping &t, Value &v);
/// A call of the builtin function of that row.
std::optional<bool> visitInstanceBuiltin(FunctionTyping &t, Value &call, const std::string &row);
/// The truth of an instance. Instances of classes without __bool__ and __len__ are true.
bool visitInstanceTruth(FunctionTyping &t, Value &v);
/// An assignment to an attribute or an item.
bool visitInstanceStore(FunctionTyping &t, Value &v);

// parallel_loops.cpp
bool visitParallel(FunctionTyping &t, Value &v);
bool visitAssigns(Value &v);
/// Throws the error for reading a variable after a parallel loop that assigns it. `read` is the location of the read,
/// and `unset` the variable's Undefined value.
[[noreturn]] void failAfterParallelLoop(const FunctionTyping &t, Span read, const Value &unset);

// calls/callees.cpp
/// Thrown if the implementation of an overload requests the value of an argument as a literal; another overload may
/// apply.
class OverloadWantsLiteral : public CompileError {
public:
  OverloadWantsLiteral(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};
/// The instance of `callee` for a call, compiled for the argument values that numba.literally requests. Errors inside
/// functions of heddle's library are reported at the call.
TypedFunction &instanceFor(FunctionTyping &t, const Value &call, FunctionSource &callee,
                           std::vector<Argument> arguments);

// optionals.cpp
void unwrapOptionals(FunctionTyping &t, Value &v);
/// True if both are strings and at least one may be None.
bool areTextsOrNone(Type a, Type b);
/// True if items of a list may be None.
bool mayHoldNone(Type list);
bool visitUnwrap(FunctionTyping &t, Value &v);

// exceptions.cpp
bool visitRaise(FunctionTyping &t, Value &v);
bool visitCatches(FunctionTyping &t, Value &v);

} // namespace heddle::python
