// Iterators of for loops other than ranges, and compile-time questions: isinstance, hasattr, getattr.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/generators/resuming.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/classes.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/types/iteration.h"
#include "frontend/python/types/literal_wanted.h"
#include "frontend/python/types/slices.h"

namespace heddle::python {
namespace {

/// Makes the constants among the first `count` arguments the constant of the call, a tuple with Unknown for the others.
void recordConstantArguments(CallTyping &t, size_t count) {
  Constant known{.kind = ConstantKind::Tuple};
  for (size_t i = 0; i < count; ++i)
    known.items.push_back(
        t.argument(i)->constant.value_or(Constant{.kind = ConstantKind::Unknown}));
  t.call().constant = std::move(known);
}

void requireIterable(CallTyping &t, unsigned i) {
  if (!isIterable(t.type(i)))
    t.failAt(i, std::string(t.row().displayName()) + "() takes ranges, tuples and arrays, not " +
                    t.type(i).name());
}

/// The start count of an enumerate follows the iterable.
Type typeEnumerate(CallTyping &t) {
  requireIterable(t, 0);
  if (t.argument(1))
    t.requireInteger(1);
  recordConstantArguments(t, 1);
  const Constant *start = t.constant(1);
  if (!t.argument(1) || (start && start->kind == ConstantKind::Int))
    t.call().constant->items.push_back(Constant::ofInt(start ? start->integer : 0));
  return iteratorType(IteratorKind::Enumerate, {t.type(0)});
}
Parts emitEnumerate(CallEmission &c) {
  Parts out{c.argument(1) ? c.scalar(1, int64Type()) : c.e.int64(0)};
  out.append(c.e.parts(*c.argument(0)));
  return out;
}

Type typeZip(CallTyping &t) {
  std::vector<Type> types;
  for (unsigned i = 0; i < t.argumentCount(); ++i) {
    requireIterable(t, i);
    types.push_back(t.type(i));
  }
  recordConstantArguments(t, t.argumentCount());
  return iteratorType(IteratorKind::Zip, std::move(types));
}
Parts emitAllArgumentParts(CallEmission &c) {
  Parts out;
  for (unsigned i = 0; i < c.argumentCount(); ++i)
    out.append(c.e.parts(*c.argument(i)));
  return out;
}

Type typeReversed(CallTyping &t) {
  if (!t.type(0).is(TypeKind::Range) && !t.type(0).isTuple() && !t.type(0).isList() &&
      !(t.type(0).isArray() && t.type(0)->ndim > 0))
    t.failAt(0, "reversed() takes a range, a tuple or an array, not " + t.type(0).name());
  recordConstantArguments(t, 1);
  return iteratorType(IteratorKind::Reversed, {t.type(0)});
}

Type typeLiteralUnroll(CallTyping &t) {
  if (!isIterable(t.type(0)) || !maxTripCount(t.type(0)))
    t.failAt(0, "literal_unroll() takes a tuple, not " + t.type(0).name());
  recordConstantArguments(t, 1);
  return iteratorType(IteratorKind::Unroll, {t.type(0)});
}

Type typeLiterally(CallTyping &t) {
  const Constant *c = t.constant(0);
  if (!c)
    try {
      t.failAt(0, "literally() takes a compile-time constant",
               "a global, a variable of the enclosing function, or an argument that is an integer, "
               "a bool or a string");
    } catch (const CompileError &error) {
      if (t.argument(0)->opcode == Opcode::Parameter)
        throw LiteralWanted(error.diagnostic(), t.argument(0)->index);
      throw;
    }
  t.call().constant = *c;
  return t.type(0);
}

Type typeIsInstance(CallTyping &t) {
  if (t.type(0).is(TypeKind::Optional))
    t.failAt(0, "isinstance() is evaluated at compile time, and this may or may not be None",
             "compare it with None first");
  std::optional<bool> answer;
  if (const Constant *c = t.constant(1); c && !t.type(1).is(TypeKind::Closure))
    answer = isInstance(t.type(0), *c);
  if (!answer)
    t.failAt(1, "isinstance() takes a class or a tuple of classes that the compiler knows",
             "such as int, float, bool, tuple, str, np.float32 or types.Integer");
  t.call().constant = Constant::ofBool(*answer);
  return boolType();
}

Type typeHasattr(CallTyping &t) {
  const Constant *name = t.constant(1);
  if (!name || name->kind != ConstantKind::String)
    t.failAt(1, "the name of an attribute must be a constant string");
  t.call().constant = Constant::ofBool(hasAttribute(t.function(), *t.argument(0), name->text));
  return boolType();
}

// Calls of getattr become attributes during typing.
Type rejectGetattrAsValue(CallTyping &t) { t.fail("getattr() is not a value"); }
// Calls of slice become slices during typing.
Type rejectSliceAsValue(CallTyping &t) { t.fail("slice() is not a value"); }

Type typeIter(CallTyping &t) {
  requireIterable(t, 0);
  t.call().constant = t.argument(0)->constant;
  return t.type(0);
}

Type typeNext(CallTyping &t) {
  if (!t.type(0).isGenerator())
    t.failAt(0, "next() takes an iterator, not " + t.type(0).name(),
             "iter(...) makes one of a list, an array, a range and so on");
  return t.type(0)->element;
}
Parts emitNext(CallEmission &c) { return emitNextCall(c.e, c.call, *c.argument(0)); }

template <IteratorKind kind> bool isIterator(Type t) {
  return t.is(TypeKind::Iterator) && t->iterator == kind;
}

constexpr LibraryRow rows[] = {
    withMeaning({"builtins.iter", "(iterable)", "An iterator for a for loop.", typeIter,
                 emitAllArgumentParts},
                Meaning::Iteration),
    forClass(
        withMeaning({"builtins.slice", "(start, stop=, step=)",
                     "A slice object, as in a[start:stop:step]. A single argument is the stop.",
                     rejectSliceAsValue, emitNoValue},
                    Meaning::Slice),
        [](Type t) { return t.is(TypeKind::Slice) || isSliceValue(t); }),
    forClass(withMeaning({"builtins.enumerate", "(iterable, start=)",
                          "Pairs of a counter, from start (default 0), and an item.", typeEnumerate,
                          emitEnumerate},
                         Meaning::Iteration),
             isIterator<IteratorKind::Enumerate>),
    forClass(withMeaning({"builtins.zip", "(*iterables)",
                          "Tuples of one item of each iterable, until the shortest ends.", typeZip,
                          emitAllArgumentParts},
                         Meaning::Iteration),
             isIterator<IteratorKind::Zip>),
    forClass({"builtins.reversed", "(sequence)",
              "The items of a range, tuple or array in reverse order.", typeReversed,
              emitAllArgumentParts},
             isIterator<IteratorKind::Reversed>),
    withNoneArguments(
        withMeaning({"builtins.isinstance", "(obj, classinfo)",
                     "True if the type of obj is the class, or one of a tuple of classes. "
                     "Evaluated at compile time.",
                     typeIsInstance, emitNoValue},
                    Meaning::TypeQuestion)),
    withMeaning({"builtins.hasattr", "(obj, name)",
                 "True if obj has the attribute. Evaluated at compile time.", typeHasattr,
                 emitNoValue},
                Meaning::TypeQuestion),
    withMeaning({"builtins.getattr", "(obj, name, default=)",
                 "The attribute with this name, a constant string, or the default if obj has none.",
                 rejectGetattrAsValue, emitNoValue},
                Meaning::Getattr),
};

constexpr LibraryRow generatorRows[] = {
    withMeaning(
        hostOnly({"builtins.next", "(iterator)",
                  "The next value of a generator or of iter(...), enumerate(...) or zip(...). "
                  "Raises StopIteration at the end.",
                  typeNext, emitNext}),
        Meaning::Next),
};

// For heddle/host_library/choices.py, on a value that is one of several functions: a test for the first function, that
// function, and the value without it.
Type typeIsFirstFunction(CallTyping &t) {
  if (t.type(0)->elements.size() == 1)
    t.call().constant = Constant::ofBool(true);
  return boolType();
}
Parts emitIsFirstFunction(CallEmission &c) {
  return {c.e.b.CreateICmpEQ(c.e.parts(*c.argument(0))[0], c.e.int64(0))};
}
Type typeFirstFunction(CallTyping &t) {
  t.call().constant = *t.type(0)->elements[0]->object;
  return objectType();
}
Type typeOtherFunctions(CallTyping &t) {
  const std::vector<Type> &functions = t.type(0)->elements;
  return functionTagType({functions.begin() + 1, functions.end()});
}
Parts emitOtherFunctions(CallEmission &c) {
  return {c.e.b.CreateSub(c.e.parts(*c.argument(0))[0], c.e.int64(1))};
}

constexpr LibraryRow choiceRows[] = {
    {"choice._is_first", "(self)", "True if the value is the first of the possible functions.",
     typeIsFirstFunction, emitIsFirstFunction},
    {"choice._first", "(self)", "The first of the possible functions.", typeFirstFunction,
     emitNoValue},
    {"choice._others", "(self)", "The value, known not to be the first function.",
     typeOtherFunctions, emitOtherFunctions},
};

// numba.cuda's functions for loops and literal arguments.
constexpr LibraryRow literalRows[] = {
    withMeaning(
        {"cuda.literal_unroll", "(sequence)",
         "A tuple or list display for a loop whose body is compiled separately for each element.",
         typeLiteralUnroll, emitAllArgumentParts},
        Meaning::Unroll),
    {"cuda.literally", "(x)",
     "x as a compile-time constant. In host functions, x may also be an argument that is an "
     "integer, bool or string; the function is then compiled for its value.",
     typeLiterally, emitAllArgumentParts},
};

} // namespace

llvm::ArrayRef<LibraryRow> languageLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}
llvm::ArrayRef<LibraryRow> generatorLibrary() { return generatorRows; }
llvm::ArrayRef<LibraryRow> functionTagLibrary() {
  static constexpr auto table = mapRows(choiceRows, hostOnly, withKnownEffects);
  return table;
}
llvm::ArrayRef<LibraryRow> literalLibrary() {
  static constexpr auto table = mapRows(literalRows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
