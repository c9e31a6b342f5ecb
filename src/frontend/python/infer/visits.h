// The visits of values, one for each kind: they give a value its type by its operands' and say whether that changed
// something. Errors are thrown; whether one counts yet is the caller's to know (inference.h).
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
/// `v` is the constant that its name or attribute stands for.
bool resolved(FunctionTyping &t, Value &v, Constant constant, const std::string &name);
/// What a name, or an attribute of a module, stands for, visited or not; empty for what is computed.
std::optional<Constant> named(FunctionTyping &t, const Value &v);

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
/// The number in an array without dimensions, which is operand `i` of `user`.
Value &numberIn(FunctionTyping &t, Value &user, size_t i);

// selections.cpp
/// Whether an Index or StoreIndex selects elements by arrays, in a function that makes arrays.
bool isSelection(const FunctionTyping &t, const Value &access);
/// It becomes a call.
bool visitSelection(FunctionTyping &t, Value &access);

// fields.cpp
/// The field that the index of `v` selects.
const Field &fieldOf(FunctionTyping &t, const Value &v, Type record);
/// What `pointer[i]` is.
Type elementOfPointer(FunctionTyping &t, const Value &v);
/// The type of what a StoreIndex assigns to.
Type assignedType(FunctionTyping &t, const Value &v, Type object);
/// What is known of `member` for a named tuple or a member of an enumeration that is a constant.
Member memberOfConstant(const Constant &object, const std::string &name, Member member);
/// A named tuple of the arguments. The call's operands are put in the order of the fields.
bool visitTupleClass(FunctionTyping &t, Value &v, const Constant &tupleClass);
/// Members of enumerations: each is there once, so that `is` is `==`.
bool visitEnumCompare(FunctionTyping &t, Value &v);

// calls/calls.cpp
/// Puts the elements of tuples written as `*t` in their places among the operands from number `first` on.
void expandStarred(FunctionTyping &t, Value &v, size_t first);
bool visitCall(FunctionTyping &t, Value &v);
bool visitClosure(FunctionTyping &t, Value &v);
/// Whether it calls isinstance or hasattr: the answer follows from a type, which must be the one that the argument has
/// in the end.
bool asksForType(FunctionTyping &t, const Value &call);

// calls/choices.cpp
/// The type of a function that such a function may choose; unknown for other objects.
Type choiceOf(const FunctionTyping &t, const Constant &object);
/// Whether `v` is a function, or one of several, that a function of the host may choose while it runs.
bool mayBeChosen(const FunctionTyping &t, const Value &v);
/// Has the operands that are functions be each one of several. `v` may be a merge.
void chooseFunctions(FunctionTyping &t, Value &v);
/// What is put into a container; a function is one of several there, a text of fixed length a string.
Value &chosenPut(FunctionTyping &t, const Put &put);
bool visitChoose(FunctionTyping &t, Value &v);
/// A call of one of several functions. It becomes the call of a function that tells them apart.
bool visitChosenCall(FunctionTyping &t, Value &call);

// calls/become_call.cpp
/// Makes an operation the call of `function` with the same operands.
bool becomesCall(FunctionTyping &t, Value &v, Constant function);
/// Makes it the call of a row or a function of heddle/host_library.
bool becomesCallOf(FunctionTyping &t, Value &v, const std::string &function);

// calls/casts.cpp
bool visitCast(FunctionTyping &t, Value &v, Type to);

// iteration.cpp
bool visitIterCount(FunctionTyping &t, Value &v);
bool visitIterValue(FunctionTyping &t, Value &v);
/// Has what enumerate, zip and so on return keep where it is, for a call of next: all that goes over it goes on there.
void keepPlace(FunctionTyping &t, Value &next);

// lists.cpp
bool visitList(FunctionTyping &t, Value &v);
/// Makes a list that is gone over by literal_unroll, and that nothing else is put into, a tuple.
void unrollList(FunctionTyping &t, Value &call);
/// Fails for a list, a dict or a set that nothing tells the type of.
void checkContainers(const FunctionTyping &t);
/// What a list can hold, or a dict as a value.
bool isListElement(Type type);
/// Refuses what a container of numba.typed, `what`, does not hold.
[[noreturn]] void failSharedElement(const FunctionTyping &t, const Value &v,
                                    const std::string &what, Type element);
/// The one type of what `iterable` gives; unknown for what gives none or several.
Type itemOf(Type iterable);
/// What `list[i]` is.
Type elementOfList(FunctionTyping &t, const Value &v);
/// Makes a slice of a list or a string a call of `function`, with the bounds and the step as arguments.
bool visitSliceCall(FunctionTyping &t, Value &v, const char *function);
/// Makes values of the slices that a call passes, or a function returns.
void passSlices(FunctionTyping &t, Value &v);
/// Makes slices of the values that an index has in their place.
void writeSlices(FunctionTyping &t, Value &v);

// texts.cpp
/// An operator on strings of which one is not known while compiling.
bool visitTextBinary(FunctionTyping &t, Value &v);
/// An element or a slice of a string.
bool visitTextIndex(FunctionTyping &t, Value &v);
// characters.cpp
/// Whether a value is a text of fixed length with such characters, or one that is known.
bool becomesCharacters(const Value &value, Type character);
/// The type of a text of fixed length that may hold each of these values: such texts, and known ones that are not all the
/// same. Unknown for others.
Type textOfAll(llvm::ArrayRef<const Value *> values);
/// A comparison with a text of fixed length; nothing where it is none.
std::optional<bool> visitCharactersCompare(FunctionTyping &t, Value &v);
/// Has `v`, where an operand is a text of code points in a function of the host, take str(text) in its place.
bool takeString(FunctionTyping &t, Value &v, size_t number);
/// The same for both operands; whether it is for one.
bool takeStrings(FunctionTyping &t, Value &v);
// literal_dicts.cpp
/// Makes a dict of values of several types a tuple; nothing where it is an ordinary dict.
std::optional<bool> visitLiteralDict(FunctionTyping &t, Value &v);
bool visitLiteralDictIndex(FunctionTyping &t, Value &v);
/// The keys, which loops go over and `in` looks through, made before `at`.
Value *keysOfLiteralDict(FunctionTyping &t, Value &at, Type dict);
// tables.cpp
bool visitDict(FunctionTyping &t, Value &v);
bool visitSet(FunctionTyping &t, Value &v);
[[noreturn]] void failUntypedTable(const FunctionTyping &t, const Value &table);
/// An operator on dicts and sets; nothing where it is none.
std::optional<bool> visitTableBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitTableCompare(FunctionTyping &t, Value &v);
bool visitTableIndex(FunctionTyping &t, Value &v);
bool visitTableStore(FunctionTyping &t, Value &v);
/// The dict whose keys, values or items `view` was asked for; null where it is anything else.
const Value *dictOfView(const Value &view);
/// Has `user` ask the dict itself where its operand `i` is one of these views of a dict.
void seeThroughView(FunctionTyping &t, Value &user, size_t i,
                    std::initializer_list<llvm::StringRef> views);
/// Has `user`, a loop or what loops go over, go over the keys of a dict or a set in operand `i`, or over what a dict's keys(),
/// values() or items() shows by then.
void goOver(FunctionTyping &t, Value &user, size_t i);

// unassigned.cpp
/// Gives an operand that no path has given a value the type that the variable has elsewhere, or fails.
void visitUnassigned(FunctionTyping &t, const Value &user, size_t operand);

// instances.cpp
// Each makes an operation on an instance of a jitclass, or on a structure, the call of a method; nothing where there is no
// such method. Structures have no other operations.
std::optional<bool> visitInstanceBinary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceUnary(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceCompare(FunctionTyping &t, Value &v);
std::optional<bool> visitInstanceItem(FunctionTyping &t, Value &v);
/// Visits an operation by `visit`; where that fails, makes it a call of what the program has implemented of operator for such
/// operands.
bool visitOrImplemented(FunctionTyping &t, Value &v, bool (*visit)(FunctionTyping &, Value &));
/// An assignment to an attribute of which a function of the program is the setter; nothing where there is none.
std::optional<bool> visitBySetter(FunctionTyping &t, Value &v);
/// A call of the builtin function of that row.
std::optional<bool> visitInstanceBuiltin(FunctionTyping &t, Value &call, const std::string &row);
/// Of a class without __bool__ and __len__ all instances are true.
bool visitInstanceTruth(FunctionTyping &t, Value &v);
/// An assignment to an attribute or an item.
bool visitInstanceStore(FunctionTyping &t, Value &v);

// parallel_loops.cpp
bool visitParallel(FunctionTyping &t, Value &v);
bool visitAssigns(Value &v);
/// Throws the error of reading a variable after a parallel loop whose rounds assign it; `read` is where, `unset` what it
/// is then.
[[noreturn]] void failAfterParallelLoop(const FunctionTyping &t, Span read, const Value &unset);

// calls/callees.cpp
/// An implementation of an overload asks for the value of an argument that is known: another one may take it.
class OverloadWantsLiteral : public CompileError {
public:
  OverloadWantsLiteral(Diagnostic d, size_t parameter)
      : CompileError(std::move(d)), parameter(parameter) {}

  size_t parameter;
};
/// What `callee` is for a call, compiled for the values of arguments that numba.literally asks for. An error in a function of
/// heddle's library is one of the program's call.
TypedFunction &instanceFor(FunctionTyping &t, const Value &call, FunctionSource &callee,
                           std::vector<Argument> arguments);

// optionals.cpp
void unwrapOptionals(FunctionTyping &t, Value &v);
/// Whether both are strings of which at least one may be None.
bool areTextsOrNone(Type a, Type b);
/// Whether items of a list may be None.
bool mayHoldNone(Type list);
bool visitUnwrap(FunctionTyping &t, Value &v);

// exceptions.cpp
bool visitRaise(FunctionTyping &t, Value &v);
bool visitCatches(FunctionTyping &t, Value &v);

} // namespace heddle::python
