// Visits: one function per kind of value. A visit sets the type of a value from its operands' types and returns true if
// it changed. Visits throw errors; inference decides whether they are final yet (inference.h).
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
/// Sets `v` to `constant`, which the name or attribute `name` denotes.
bool bindNameToConstant(FunctionTyping &t, Value &v, Constant constant, const std::string &name);
/// The constant that `v` denotes, a name or a module attribute, visited or not; nothing for computed values.
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
/// Inserts a read of the number in a zero-dimensional array, operand `i` of `user`. Returns the number.
Value &insertZeroDimRead(FunctionTyping &t, Value &user, size_t i);

// selections.cpp
/// True if an Index or StoreIndex has arrays as indices, in a function that can allocate arrays.
bool isFancyIndexing(const FunctionTyping &t, const Value &access);
/// Replaces a selection by a call of a library function.
bool visitFancyIndexing(FunctionTyping &t, Value &access);

// fields.cpp
/// The field that the index of `v` selects.
const Field &fieldSelectedByKey(FunctionTyping &t, const Value &v, Type record);
/// The type of `pointer[i]`.
Type pointerElementType(FunctionTyping &t, const Value &v);
/// The type of the location that a StoreIndex assigns to.
Type typeOfAssignmentTarget(FunctionTyping &t, const Value &v, Type object);
/// Returns `member`, the attribute `name` of `object`, with its value if `object` is a constant named tuple or enum
/// member.
Member addConstantToMember(const Constant &object, const std::string &name, Member member);
/// Converts the call of a named tuple class to a tuple of the arguments, in field order.
bool visitNamedTupleConstructor(FunctionTyping &t, Value &v, const Constant &tupleClass);
/// Visits a comparison of enum members. They are unique, so `is` equals `==`.
bool visitEnumCompare(FunctionTyping &t, Value &v);

// calls/calls.cpp
/// Replaces operands that are written as `*t` by the elements of the tuple `t`, from operand `first` on.
void expandStarred(FunctionTyping &t, Value &v, size_t first);
bool visitCall(FunctionTyping &t, Value &v);
bool visitClosure(FunctionTyping &t, Value &v);
/// True for calls of isinstance and hasattr, which wait for the final type of their argument.
bool isCallThatTestsType(FunctionTyping &t, const Value &call);

// calls/choices.cpp
/// The Choice type for a function that can be selected at run time; unknown for other objects.
Type tagTypeOfFunction(const FunctionTyping &t, const Constant &object);
/// True if `v` is a function that can be selected at run time, or already one of several.
bool isFunctionOrTag(const FunctionTyping &t, const Value &v);
/// Converts operands of `v`, which may be a merge, from functions to Choice values.
void convertFunctionsToTags(FunctionTyping &t, Value &v);
/// Converts the value that `put` adds: a function to a Choice value, a fixed-length string to a string. Returns the
/// result.
Value &convertFunctionPutIntoContainer(FunctionTyping &t, const Put &put);
bool visitFunctionToTag(FunctionTyping &t, Value &v);
/// Replaces a call of one of several functions by a call of a function that dispatches on the tag.
bool visitTaggedFunctionCall(FunctionTyping &t, Value &call);

// calls/become_call.cpp
/// Replaces an operation by a call of `function` with the same operands.
bool replaceWithCall(FunctionTyping &t, Value &v, Constant function);
/// Like replaceWithCall(), for the name of a library row or of a function in heddle/host_library.
bool replaceWithCallOf(FunctionTyping &t, Value &v, const std::string &function);

// calls/casts.cpp
bool visitCast(FunctionTyping &t, Value &v, Type to);

// iteration.cpp
bool visitIterCount(FunctionTyping &t, Value &v);
bool visitIterValue(FunctionTyping &t, Value &v);
/// If the argument of `next`, a call of next(), is an enumerate, zip and so on, makes it a stateful iterator, so that
/// all its users share the position.
void makeIteratorStateful(FunctionTyping &t, Value &next);

// lists.cpp
bool visitList(FunctionTyping &t, Value &v);
/// Converts the list arguments of `call`, a literal_unroll, to tuples, unless anything else is added to them.
void convertUnrolledListsToTuples(FunctionTyping &t, Value &call);
/// Fails if no use determines the type of a list, dict or set.
void failIfContainersAreUntyped(const FunctionTyping &t);
/// True if lists support elements of the type, and dicts support values of it.
bool isListElement(Type type);
/// Throws the error that a container of numba.typed (`what`: "typed list", ...) does not support the element type.
[[noreturn]] void failUnsupportedTypedElement(const FunctionTyping &t, const Value &v,
                                              const std::string &what, Type element);
/// The common type of the items of `iterable`; unknown if it has none.
Type commonItemType(Type iterable);
/// The type of `list[i]`.
Type listElementType(FunctionTyping &t, const Value &v);
/// Replaces a slice of a list or string by a call of `function`, which gets the bounds and the step as arguments.
bool replaceByCallWithSliceBounds(FunctionTyping &t, Value &v, const char *function);
/// Converts Opcode::Slice operands of `v`, a call or a return, to first-class slice values.
void convertSlicesToValues(FunctionTyping &t, Value &v);
/// Converts first-class slice values in the index of `v` back to Opcode::Slice.
void convertValuesToSlices(FunctionTyping &t, Value &v);

// texts.cpp
/// Visits an operator on strings that are not all compile-time constants.
bool visitTextBinary(FunctionTyping &t, Value &v);
/// Nothing for operations that treat the bytes as an array of numbers, and in kernels.
std::optional<bool> visitBytesBinary(FunctionTyping &t, Value &v);
/// Visits an index or slice of a string.
bool visitTextIndex(FunctionTyping &t, Value &v);
// characters.cpp
/// True if a value is a fixed-length string with this character type, or a string constant.
bool convertsToCharacters(const Value &value, Type character);
/// The fixed-length string type that can hold each of these values, fixed-length strings or string constants. Unknown
/// for other values, and for constants that are all equal.
Type commonCharactersType(llvm::ArrayRef<const Value *> values);
/// Visits a comparison with a fixed-length string; nothing for other comparisons.
std::optional<bool> visitCharactersCompare(FunctionTyping &t, Value &v);
/// In host functions, replaces operand `number` by str(operand) if it is a fixed-length string of code points. Returns
/// true if it did.
bool convertToString(FunctionTyping &t, Value &v, size_t number);
/// Calls convertToString() for operands 0 and 1. Returns true if it replaced any.
bool convertToStrings(FunctionTyping &t, Value &v);
// literal_dicts.cpp
/// Converts a dict with values of several types to a tuple; nothing for an ordinary dict.
std::optional<bool> visitLiteralDict(FunctionTyping &t, Value &v);
bool visitLiteralDictIndex(FunctionTyping &t, Value &v);
/// Inserts a tuple of the dict's keys before `at`, for loops and `in`.
Value *insertTupleOfLiteralDictKeys(FunctionTyping &t, Value &at, Type dict);
// tables.cpp
bool visitDict(FunctionTyping &t, Value &v);
bool visitSet(FunctionTyping &t, Value &v);
[[noreturn]] void failUnknownTableType(const FunctionTyping &t, const Value &table);
/// Visits an operator on dicts and sets; nothing for others.
std::optional<bool> visitTableBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitTableCompare(FunctionTyping &t, Value &v);
bool visitTableIndex(FunctionTyping &t, Value &v);
bool visitTableStore(FunctionTyping &t, Value &v);
/// The dict of `view`, a call of keys(), values() or items(); null for other values.
const Value *findDictOfView(const Value &view);
/// If operand `i` of `user` is one of these views ("dict.keys", ...), replaces it by the dict itself.
void replaceViewWithDict(FunctionTyping &t, Value &user, size_t i,
                         std::initializer_list<llvm::StringRef> views);
/// Makes `user`, a loop or an iterator, iterate over a snapshot: the keys of a dict or set in operand `i`, or the
/// contents of a keys(), values() or items() view.
void iterateOverSnapshot(FunctionTyping &t, Value &user, size_t i);

// unassigned.cpp
/// Gives operand `operand` of `user`, an Undefined, the type of an earlier assignment to the variable, or fails.
void typeOrRejectUnassigned(FunctionTyping &t, const Value &user, size_t operand);

// instances.cpp
// Replace an operation on a jitclass instance or a structure by a call of its method; nothing if there is no such
// method. Structures have no other operations.
std::optional<bool> visitInstanceBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceUnary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceCompare(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceItem(FunctionTyping &t, Value &v);
/// Types an operation with `visit`. If that fails, replaces it by a call of the program's overload of the operator for
/// these operand types.
bool visitOperationOrOverload(FunctionTyping &t, Value &v,
                              bool (*visit)(FunctionTyping &, Value &));
/// Visits an assignment to an attribute that has a setter in the program; nothing for others.
std::optional<bool> visitPropertySetter(FunctionTyping &t, Value &v);
/// Visits a call of the builtin function with that row.
std::optional<bool> visitInstanceBuiltin(FunctionTyping &t, Value &call, const std::string &row);
/// Visits the truth value of an instance. It is true if the class has neither __bool__ nor __len__.
bool visitInstanceTruth(FunctionTyping &t, Value &v);
/// Visits an assignment to an attribute or an item.
bool visitInstanceStore(FunctionTyping &t, Value &v);

// parallel_loops.cpp
bool visitParallel(FunctionTyping &t, Value &v);
bool visitDoesLoopAssign(Value &v);
/// Throws the error for reading a variable after a parallel loop that assigns it. `read` is the location of the read,
/// `unset` the variable's Undefined value.
[[noreturn]] void failUnsetAfterParallelLoop(const FunctionTyping &t, Span read,
                                             const Value &unset);

// calls/callees.cpp
/// Thrown if the implementation of an overload requests the value of an argument (numba.literally); another overload
/// may apply.
class OverloadWantsLiteral : public CompileError {
public:
  OverloadWantsLiteral(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};
/// The instance of `callee` for a call, compiled for the argument values that numba.literally requests. Errors inside
/// functions of heddle's library are reported at the call.
TypedFunction &getOrInferCallee(FunctionTyping &t, const Value &call, FunctionSource &callee,
                                std::vector<Argument> arguments);

// optionals.cpp
void unwrapOptionals(FunctionTyping &t, Value &v);
/// True if both types are strings, and at least one is optional.
bool areTextsOrNone(Type a, Type b);
/// True if items of a list may be None.
bool mayHoldNone(Type list);
bool visitUnwrap(FunctionTyping &t, Value &v);

// exceptions.cpp
bool visitRaise(FunctionTyping &t, Value &v);
bool visitExceptMatch(FunctionTyping &t, Value &v);

} // namespace heddle::python
