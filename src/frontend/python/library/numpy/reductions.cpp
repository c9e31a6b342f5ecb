// Reductions of arrays: a.sum(), np.max(a), np.dot(a, b) and so on. The calling thread visits elements in index order,
// or each thread of the pool visits some rows.

#include "frontend/python/emit/arrays/array_expressions.h"
#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/arrays/over_arrays.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/owners.h"
#include "frontend/python/emit/parallel/partial_results.h"
#include "frontend/python/emit/parallel/shared_rows.h"
#include "frontend/python/emit/slots.h"
#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/dtypes.h"
#include "simt/ir/host_memory.h"

#include "llvm/IR/MDBuilder.h"

#include <utility>

namespace heddle::python {
namespace {

enum Reduction : unsigned {
  Sum,
  Prod,
  Mean,
  Var,
  Std,
  Min,
  Max,
  ArgMin,
  ArgMax,
  Any,
  All,
  CountNonzero,
  SkipsNaN = 32, ///< combined with the others
};

Reduction reductionOfRow(const LibraryRow &row) {
  return Reduction(row.data & ~unsigned(SkipsNaN));
}
bool skipsNaN(const LibraryRow &row) { return row.data & SkipsNaN; }

/// The element type of argument `i`, which must be an array of numbers.
Type requireNumericElementType(CallTyping &t, unsigned i) {
  std::string name(t.row().displayName());
  if (!t.type(i).isArray())
    t.failAt(i, name + " takes an array, not " + t.type(i).name());
  Type element = t.type(i)->element;
  bool isNumber = (element.isScalar() && !element.isEnumMember()) || element.isComplex();
  if (!isNumber)
    t.failAt(i, name + " takes arrays of numbers, not of " + element.name(),
             element.isRecord() ? "name one field, as in a['x']" : "loop over the elements");
  return element;
}

/// The accumulator type of sums: 64 bits for integers and bools, otherwise the element type.
Type accumulatorType(Type element) {
  return element.isFloat() || element.isComplex() ? element
                                                  : intType(64, !element.is(TypeKind::UInt));
}

/// Checks the axis of a one-dimensional array, which has no effect.
void checkOnlyAxis(CallTyping &t) {
  const Constant *axis = t.constant(1);
  bool isNone = t.type(1).is(TypeKind::None);
  bool isOnly = axis && axis->kind == ConstantKind::Int && t.type(0)->ndim == 1 &&
                (axis->integer == 0 || axis->integer == -1);
  if (!isNone && !isOnly)
    t.failAt(1,
             std::string(t.row().displayName()) + " along an axis makes a new array, which " +
                 t.rules().plural + " do not",
             "take it of one row at a time, as in a[i]." + std::string(t.row().lastName()) + "()");
}

/// The requested dtype of the sum.
Type requestedDtype(CallTyping &t) {
  Type type = t.type(1).is(TypeKind::None) ? accumulatorType(t.type(0)->element) : parseDtype(t, 1);
  if (!(type.isNumber() || type.isComplex()) || !isConvertible(t.type(0)->element, type))
    t.failAt(1,
             "elements of " + t.type(0)->element.name() + " are not summed up as " + type.name());
  return type;
}

Type typeReduction(CallTyping &t) {
  Reduction kind = reductionOfRow(t.row());
  if ((kind == Any || kind == All) && (t.type(0).isScalar() || t.type(0).isComplex())) {
    replaceWithOperator(t, Opcode::Truth, 0, {t.argument(0)}, {t.spanOf(0)});
    return {};
  }
  Type element = requireNumericElementType(t, 0);
  if ((kind == ArgMin || kind == ArgMax) && element.isComplex())
    t.failAt(0, std::string(t.row().displayName()) + " takes real numbers, not " + element.name(),
             "reduce a.real and a.imag, which are views");
  if ((kind == ArgMin || kind == ArgMax) && t.argument(1))
    checkOnlyAxis(t);
  switch (kind) {
  case Sum:
    return t.argument(1) ? requestedDtype(t) : accumulatorType(element);
  case Prod:
    return accumulatorType(element);
  case Mean: // numba uses the element type, numba.cuda does not
    if (t.rules().makesArrays && !skipsNaN(t.row()) &&
        (element.isComplex() || (element.isFloat() && !element.isHalf())))
      return element;
    return element.isComplex() ? complexType(128) : float64Type();
  case Var:
  case Std:
    return float64Type();
  case Min:
  case Max:
    return element;
  case Any:
  case All:
    return boolType();
  default:
    return int64Type();
  }
}

/// The accumulator type: the result type, or float32 for 16-bit floats.
Type widenHalfAccumulator(Type result) { return result.isHalf() ? float32Type() : result; }

/// `a + c` or `a * c` for two numbers of that type.
Parts emitAddOrMultiply(Emitter &e, BinaryOp op, const Parts &a, const Parts &c, Type type,
                        Span span) {
  if (type.isComplex())
    return emitComplexArithmetic(e, op, a, c, type, span);
  bool adds = op == BinaryOp::Add;
  if (type.isFloat())
    return {adds ? e.b.CreateFAdd(a[0], c[0]) : e.b.CreateFMul(a[0], c[0])};
  return {adds ? e.b.CreateAdd(a[0], c[0]) : e.b.CreateMul(a[0], c[0])};
}

Parts makeConstantNumber(Emitter &e, int v, Type type) {
  return convert(e, {e.int64(v)}, int64Type(), type);
}

class ArrayReduction {
public:
  explicit ArrayReduction(CallEmission &c)
      : c_(c), e_(&c.e), array_(*c.argument(0)), element_(array_.type->element),
        skipsNaN_(python::skipsNaN(c.row)), expression_(c.e, array_, c.e.isFused(array_)),
        type_(array_.type) {
    if (!isOnHost()) {
      shape_ = c.e.parts(array_);
      return;
    }
    bool byMemory = type_->layout == Layout::F && !returnsElementNumber();
    type_ = arrayType(element_, type_->ndim, {.layout = byMemory ? Layout::F : Layout::C});
    shape_ = {llvm::ConstantPointerNull::get(builder().getPtrTy())};
    shape_.append(expression_.emitExtents(c.e));
    shape_.append(type_->ndim, c.e.int64(0));
  }

  Parts emit() {
    Type result = c_.call.type, inside = widenHalfAccumulator(result);
    switch (reductionOfRow(c_.row)) {
    case Sum:
      return convert(*e_, accumulate(BinaryOp::Add, inside).value, inside, result);
    case Prod:
      return convert(*e_, accumulate(BinaryOp::Mul, inside).value, inside, result);
    case Mean:
      return computeMean(result);
    case Var:
      return {computeVariance()};
    case Std:
      return {builder().CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, computeVariance())};
    case Min:
    case Max:
      return allowsAnyOrderForMinOrMax() ? findMinOrMaxInAnyOrder() : findMinOrMax();
    case ArgMin:
    case ArgMax:
      return {findMinOrMax().back()};
    case Any:
    case All:
      return computeAnyOrAll();
    default:
      return countNonzero();
    }
  }

private:
  struct Total {
    Parts value;
    llvm::Value *count; ///< number of elements that were included, int64
  };

  bool isOnHost() const { return c_.e.function().rules->makesArrays; }
  bool returnsElementNumber() const {
    return reductionOfRow(c_.row) == ArgMin || reductionOfRow(c_.row) == ArgMax;
  }
  llvm::IRBuilder<> &builder() { return e_->b; }

  AssignedArray elements() { return {type_, shape_, &array_, /*isNew=*/true}; }
  auto elementComputation() const {
    return [this](Emitter &at, llvm::ArrayRef<Value *> values) {
      return expression_.emitElement(at, values, element_);
    };
  }
  void forEachElementInOrder(ElementsOf::Visit visit) {
    if (!isOnHost())
      return ElementsOf(*e_, array_).forEach(visit);
    forEachComputedElement(*e_, elements(), expression_.sources(), elementComputation(), visit,
                           c_.call.span);
  }
  Parts emitFirstElement() {
    if (!isOnHost())
      return ElementsOf(*e_, array_).first();
    return computeFirstElement(*e_, elements(), expression_.sources(), elementComputation(),
                               c_.call.span);
  }
  llvm::Value *size() { return countElements(*e_, type_, shape_); }

  /// Updates a state with an element and its number, and merges it with the state of later elements.
  using Start = llvm::function_ref<Parts(llvm::Value *firstNumber)>;
  using Step = llvm::function_ref<Parts(const Parts &state, const Parts &v, llvm::Value *number)>;
  using Merge = llvm::function_ref<Parts(const Parts &state, const Parts &other)>;

  /// The state after all elements. The threads of the pool share the elements if they share array expressions. `others`
  /// are values that a step reads. A start that `isNeutral` does not affect the result; other starts are the first
  /// element's state.
  Parts foldElements(Start start, bool isNeutral, Step step, Merge merge,
                     llvm::ArrayRef<Value *> others = {}) {
    if (isOnHost() && runsArrayExpressionsOnThreadPool(c_.e.function()) && type_->ndim)
      return foldElementsInChunks(start, isNeutral, step, merge, others);
    return foldElementsInOneThread(start, step, e_->int64(0));
  }

  Parts foldElementsInOneThread(Start start, Step step, llvm::Value *firstNumber) {
    Variable state(*e_, start(firstNumber));
    forEachElementInOrder([&](const Parts &v, llvm::Value *number) {
      state.set(step(state.get(), v, builder().CreateAdd(firstNumber, number)));
    });
    return state.get();
  }

  /// The partial results are the states of chunks of rows, in slots.
  Parts foldElementsInChunks(Start start, bool isNeutral, Step step, Merge merge,
                             llvm::ArrayRef<Value *> others) {
    Emitter &outer = *e_;
    llvm::Value *chunks = emitRowChunkCount(outer, type_, shape_);
    PartialResults states(outer, chunks, outer.int64(slotsOfState * slotBytes), c_.call.span);
    llvm::SmallVector<Value *, 8> sources(expression_.sources());
    sources.append(others.begin(), others.end());
    sources.push_back(&states.chunkInput());
    llvm::SmallVector<llvm::Type *, slotsOfState> types;
    distributeRowsToThreads(
        outer, type_, shape_, chunks, sources, [&](Emitter &chunk, const Parts &rows) {
          llvm::Function &function = chunk.llvmFunction();
          function.addFnAttr(simt::sharedIterationsAttribute);
          chunk.setChecks(outer.checks());
          e_ = &chunk;
          Parts whole = std::exchange(shape_, rows);
          llvm::Value *perRow = e_->int64(1);
          for (unsigned axis = 1; axis < type_->ndim; ++axis)
            perRow = builder().CreateMul(perRow, shape_[1 + axis]);
          Parts state =
              foldElementsInOneThread(start, step, builder().CreateMul(function.getArg(2), perRow));
          llvm::Value *place = states.addressOf(chunk, function.getArg(1));
          for (size_t i = 0; i < state.size(); ++i) {
            types.push_back(state[i]->getType());
            builder().CreateStore(state[i], slotAt(builder(), place, unsigned(i)));
          }
          shape_ = std::move(whole);
          e_ = &outer;
        });
    auto stateAt = [&](llvm::Value *place) {
      Parts state;
      for (size_t i = 0; i < types.size(); ++i)
        state.push_back(builder().CreateLoad(types[i], slotAt(builder(), place, unsigned(i))));
      return state;
    };
    llvm::Value *none = outer.int64(0);
    Variable all(outer, isNeutral ? start(none) : stateAt(states.addressOf(outer, none)));
    states.forEach([&](llvm::Value *place) { all.set(merge(all.get(), stateAt(place))); });
    states.free();
    return all.get();
  }

  // Sums.

  llvm::Value *isNaN(const Parts &v) {
    if (element_.isComplex())
      return emitComplexNumberTest(*e_, NumberTest::IsNan, v);
    if (!element_.isFloat())
      return builder().getFalse();
    llvm::Value *wide = element_.isHalf() ? cast(*e_, v[0], element_, float32Type()) : v[0];
    return builder().CreateFCmpUNO(wide, wide);
  }

  /// The sum or product of `term(element)`, each a number of `type`. If NaNs are skipped, the state ends with the
  /// number of included elements.
  Total accumulate(BinaryOp op, Type type, llvm::function_ref<Parts(const Parts &)> term,
                   llvm::ArrayRef<Value *> others = {}) {
    size_t parts = partTypes(builder().getContext(), type).size();
    auto valueOf = [&](const Parts &state) { return Parts(state.begin(), state.begin() + parts); };
    auto combine = [&](const Parts &a, const Parts &c) {
      return emitAddOrMultiply(*e_, op, valueOf(a), valueOf(c), type, c_.call.span);
    };
    Parts state = foldElements(
        [&](llvm::Value *) {
          Parts start = makeConstantNumber(*e_, op == BinaryOp::Mul, type);
          if (skipsNaN_)
            start.push_back(e_->int64(0));
          return start;
        },
        /*isNeutral=*/true,
        [&](const Parts &state, const Parts &v, llvm::Value *) {
          Parts next = combine(state, term(convert(*e_, v, element_, type)));
          if (!skipsNaN_)
            return next;
          llvm::Value *taken = builder().CreateNot(isNaN(v));
          for (size_t i = 0; i < parts; ++i)
            next[i] = builder().CreateSelect(taken, next[i], state[i]);
          next.push_back(builder().CreateAdd(state.back(),
                                             builder().CreateZExt(taken, builder().getInt64Ty())));
          return next;
        },
        [&](const Parts &state, const Parts &other) {
          Parts next = combine(state, other);
          if (skipsNaN_)
            next.push_back(builder().CreateAdd(state.back(), other.back()));
          return next;
        },
        others);
    return {valueOf(state), skipsNaN_ ? state.back() : size()};
  }
  Total accumulate(BinaryOp op, Type type) {
    return accumulate(op, type, [](const Parts &v) { return v; });
  }

  Parts divideByCount(const Total &total) {
    Parts out = total.value;
    for (llvm::Value *&part : out)
      part = builder().CreateFDiv(part, builder().CreateSIToFP(total.count, part->getType()));
    return out;
  }
  /// Divides the result of sum(), which has the precision of narrow floats, in the result type.
  Parts computeMean(Type result) {
    bool isExact = skipsNaN_ || !(element_.isFloat() || element_.isComplex());
    Type narrow = isExact ? result : widenHalfAccumulator(element_);
    Total sum = accumulate(BinaryOp::Add, narrow);
    return divideByCount({convert(*e_, sum.value, narrow, result), sum.count});
  }

  /// The mean squared distance to the mean, in float64. Both parts of complex numbers contribute.
  llvm::Value *computeVariance() {
    Type wide = element_.isComplex() ? complexType(128) : float64Type();
    Value &mean = e_->makeTemporary(wide, c_.call.span);
    e_->bind(mean, divideByCount(accumulate(BinaryOp::Add, wide)));
    auto square = [&](const Parts &v) -> Parts {
      Parts sum, middle = e_->parts(mean);
      for (size_t i = 0; i < v.size(); ++i) {
        llvm::Value *distance = builder().CreateFSub(v[i], middle[i]);
        llvm::Value *area = builder().CreateFMul(distance, distance);
        sum = {sum.empty() ? area : builder().CreateFAdd(sum[0], area)};
      }
      if (v.size() > 1) // a total has as many parts as its type
        sum.push_back(llvm::ConstantFP::get(sum[0]->getType(), 0));
      return sum;
    };
    return divideByCount(accumulate(BinaryOp::Add, wide, square, {&mean}))[0];
  }

  // Extremes.

  /// True if an element precedes another in the requested order; neither is NaN.
  llvm::Value *isBetter(const Parts &v, const Parts &old) {
    Reduction kind = reductionOfRow(c_.row);
    CompareOp better = kind == Min || kind == ArgMin ? CompareOp::Lt : CompareOp::Gt;
    if (!element_.isComplex())
      return compare(*e_, better, v[0], element_, old[0], element_);
    llvm::Value *anyNan = builder().CreateOr(isNaN(v), isNaN(old));
    return builder().CreateAnd(compareComplex(*e_, better, v, old), builder().CreateNot(anyNan));
  }

  /// Uses NumPy's error message.
  void trapIfEmpty() {
    Reduction kind = reductionOfRow(c_.row);
    std::string words = "zero-size array to reduction operation not possible";
    if (returnsElementNumber())
      words = kind == ArgMin ? "attempt to get argmin of an empty sequence"
                             : "attempt to get argmax of an empty sequence";
    else if (!skipsNaN_)
      words = std::string("zero-size array to reduction operation ") +
              (kind == Min ? "minimum" : "maximum") + " which has no identity";
    e_->trapIf(builder().CreateICmpEQ(size(), e_->int64(0)), c_.call.span, "ValueError", words);
  }

  /// The first of the smallest or largest elements, with its number if requested. NaN wins, or loses if NaNs are
  /// skipped.
  Parts findMinOrMax() {
    trapIfEmpty();
    auto numbered = [&](Parts v, llvm::Value *number) {
      if (returnsElementNumber())
        v.push_back(number);
      return v;
    };
    auto better = [&](const Parts &old, const Parts &v) {
      llvm::Value *replaces = skipsNaN_
                                  ? builder().CreateAnd(isNaN(old), builder().CreateNot(isNaN(v)))
                                  : builder().CreateAnd(isNaN(v), builder().CreateNot(isNaN(old)));
      return selectOrBranch(builder().CreateOr(isBetter(v, old), replaces), v, old);
    };
    return foldElements([&](llvm::Value *number) { return numbered(emitFirstElement(), number); },
                        /*isNeutral=*/false,
                        [&](const Parts &old, const Parts &v, llvm::Value *number) {
                          return better(old, numbered(v, number));
                        },
                        better);
  }

  /// `v` if it wins, otherwise `old`. With element numbers it branches, because wins are rare and iterations then stay
  /// independent.
  Parts selectOrBranch(llvm::Value *wins, const Parts &v, const Parts &old) {
    Parts next = old;
    if (!isOnHost() || !returnsElementNumber()) {
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = builder().CreateSelect(wins, v[i], old[i]);
      return next;
    }
    llvm::LLVMContext &context = builder().getContext();
    llvm::BasicBlock *before = builder().GetInsertBlock();
    auto *better = llvm::BasicBlock::Create(context, "better", before->getParent());
    auto *done = llvm::BasicBlock::Create(context, "done", before->getParent());
    builder().CreateCondBr(wins, better, done,
                           llvm::MDBuilder(context).createUnlikelyBranchWeights());
    builder().SetInsertPoint(better);
    builder().CreateBr(done);
    builder().SetInsertPoint(done);
    for (size_t i = 0; i < next.size(); ++i) {
      llvm::PHINode *phi = builder().CreatePHI(old[i]->getType(), 2);
      phi->addIncoming(v[i], better);
      phi->addIncoming(old[i], before);
      next[i] = phi;
    }
    return next;
  }

  /// LLVM vectorizes extremes that may be taken in any order; its intrinsics propagate NaN. SIMT IR has no equivalent.
  bool allowsAnyOrderForMinOrMax() const {
    return isOnHost() && element_.isFloat() && !element_.isHalf() && !skipsNaN_;
  }
  Parts findMinOrMaxInAnyOrder() {
    trapIfEmpty();
    llvm::Intrinsic::ID id =
        reductionOfRow(c_.row) == Max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum;
    auto better = [&](const Parts &old, const Parts &v) {
      return Parts{builder().CreateBinaryIntrinsic(id, old[0], v[0])};
    };
    return foldElements(
        [&](llvm::Value *) { return emitFirstElement(); }, /*isNeutral=*/false,
        [&](const Parts &old, const Parts &v, llvm::Value *) { return better(old, v); }, better);
  }

  // Truth reductions.

  llvm::Value *isTrue(const Parts &v) {
    return element_.isComplex() ? emitComplexTruth(*e_, v) : emitScalarTruth(*e_, v[0], element_);
  }
  Parts computeAnyOrAll() {
    bool all = reductionOfRow(c_.row) == All;
    auto both = [&](llvm::Value *a, llvm::Value *c) {
      return Parts{all ? builder().CreateAnd(a, c) : builder().CreateOr(a, c)};
    };
    return foldElements(
        [&](llvm::Value *) { return Parts{builder().getInt1(all)}; }, /*isNeutral=*/true,
        [&](const Parts &old, const Parts &v, llvm::Value *) { return both(old[0], isTrue(v)); },
        [&](const Parts &old, const Parts &other) { return both(old[0], other[0]); });
  }
  Parts countNonzero() {
    return foldElements([&](llvm::Value *) { return Parts{e_->int64(0)}; }, /*isNeutral=*/true,
                        [&](const Parts &old, const Parts &v, llvm::Value *) {
                          return Parts{builder().CreateAdd(
                              old[0], builder().CreateZExt(isTrue(v), builder().getInt64Ty()))};
                        },
                        [&](const Parts &old, const Parts &other) {
                          return Parts{builder().CreateAdd(old[0], other[0])};
                        });
  }

  /// A complex number, and the number of included elements.
  static constexpr unsigned slotsOfState = 4;

  CallEmission &c_;
  Emitter *e_; ///< of the function, or of a chunk
  Value &array_;
  Type element_;
  bool skipsNaN_;
  ArrayExpression expression_;
  Type type_;   ///< of an array of the elements
  Parts shape_; ///< its shape; in a chunk, that of its rows
};

Parts emitReduction(CallEmission &c) { return ArrayReduction(c).emit(); }

/// The type that a loop over the products would give.
Type typeDot(CallTyping &t) {
  Type a = requireNumericElementType(t, 0), c = requireNumericElementType(t, 1);
  for (unsigned i : {0, 1})
    if (t.type(i)->ndim != 1)
      t.failAt(i, "np.dot takes arrays of one dimension in " + t.rules().plural,
               "for a product of matrices, take rows and columns: np.dot(a[i], b[:, j])");
  return accumulatorType(binaryType(BinaryOp::Mul, a, c));
}
llvm::FastMathFlags reassociationFlags() {
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  flags.setAllowContract();
  return flags;
}
Parts emitDot(CallEmission &c) {
  Emitter &e = c.e;
  Type type = widenHalfAccumulator(c.call.type);
  Value &left = *c.argument(0), &right = *c.argument(1);
  ElementsOf a(e, left), b(e, right);
  e.trapIf(c.b.CreateICmpNE(a.extent(0), b.extent(0)), c.call.span, "ValueError",
           "incompatible array sizes for np.dot: arrays of different lengths");
  Variable sum(e, makeConstantNumber(e, 0, type));
  llvm::IRBuilder<>::FastMathFlagGuard guard(c.b);
  if (e.function().rules->makesArrays) // in any order, like BLAS: LLVM vectorizes it
    c.b.setFastMathFlags(reassociationFlags());
  e.emitLoop(a.extent(0), [&](llvm::Value *i) {
    Parts x = convert(e, a.at(i), left.type->element, type);
    Parts y = convert(e, b.at(i), right.type->element, type);
    Parts product = emitAddOrMultiply(e, BinaryOp::Mul, x, y, type, c.call.span);
    sum.set(emitAddOrMultiply(e, BinaryOp::Add, sum.get(), product, type, c.call.span));
  });
  return convert(e, sum.get(), type, c.call.type);
}

constexpr LibraryRow makeReductionRow(const char *name, const char *signature, unsigned kind,
                                      const char *doc, bool nonNegative = false) {
  LibraryRow row{name, signature, doc, typeReduction, emitReduction, kind, nonNegative};
  unsigned of = kind & ~unsigned(SkipsNaN);
  row.readsOnce = of != Var && of != Std;
  return row;
}

constexpr const char *sumDoc = "The sum of all elements; integers are added as 64-bit integers.";
constexpr const char *dtypeDoc = "The sum of all elements in the given dtype; by default, integers "
                                 "are added as 64-bit integers.";
constexpr const char *prodDoc =
    "The product of all elements; integers are multiplied as 64-bit integers.";
constexpr const char *meanDoc = "The mean of all elements.";
constexpr const char *varDoc = "The variance of all elements, in float64.";
constexpr const char *stdDoc = "The standard deviation of all elements, in float64.";
constexpr const char *minDoc =
    "The smallest element, or NaN if there is one. Raises ValueError for an empty array.";
constexpr const char *maxDoc =
    "The largest element, or NaN if there is one. Raises ValueError for an empty array.";
constexpr const char *argMinDoc = "The index, in C order, of the first smallest element, or of the "
                                  "first NaN. Raises ValueError for an empty array.";
constexpr const char *argMaxDoc = "The index, in C order, of the first largest element, or of the "
                                  "first NaN. Raises ValueError for an empty array.";
constexpr const char *anyDoc = "True if any element is nonzero.";
constexpr const char *allDoc = "True if all elements are nonzero.";
constexpr const char *dotDoc =
    "The dot product of two 1-D arrays. Raises ValueError if their lengths differ.";

constexpr LibraryRow rows[] = {
    makeReductionRow("array.sum", "(self, dtype=)", Sum, dtypeDoc),
    makeReductionRow("array.prod", "(self)", Prod, prodDoc),
    makeReductionRow("array.mean", "(self)", Mean, meanDoc),
    makeReductionRow("array.var", "(self)", Var, varDoc),
    makeReductionRow("array.std", "(self)", Std, stdDoc),
    makeReductionRow("array.min", "(self)", Min, minDoc),
    makeReductionRow("array.max", "(self)", Max, maxDoc),
    makeReductionRow("array.argmin", "(self, axis=)", ArgMin, argMinDoc, true),
    makeReductionRow("array.argmax", "(self, axis=)", ArgMax, argMaxDoc, true),
    makeReductionRow("array.any", "(self)", Any, anyDoc),
    makeReductionRow("array.all", "(self)", All, allDoc),
    {"array.dot", "(self, b)", dotDoc, typeDot, emitDot},
    makeReductionRow("numpy.sum", "(a)", Sum, sumDoc),
    makeReductionRow("numpy.prod", "(a)", Prod, prodDoc),
    makeReductionRow("numpy.mean", "(a)", Mean, meanDoc),
    makeReductionRow("numpy.average", "(a)", Mean, meanDoc),
    makeReductionRow("numpy.var", "(a)", Var, varDoc),
    makeReductionRow("numpy.std", "(a)", Std, stdDoc),
    makeReductionRow("numpy.min", "(a)", Min, minDoc),
    makeReductionRow("numpy.amin", "(a)", Min, minDoc),
    makeReductionRow("numpy.max", "(a)", Max, maxDoc),
    makeReductionRow("numpy.amax", "(a)", Max, maxDoc),
    makeReductionRow("numpy.argmin", "(a, axis=)", ArgMin, argMinDoc, true),
    makeReductionRow("numpy.argmax", "(a, axis=)", ArgMax, argMaxDoc, true),
    makeReductionRow("numpy.any", "(a)", Any, anyDoc),
    makeReductionRow("numpy.all", "(a)", All, allDoc),
    makeReductionRow("numpy.count_nonzero", "(a)", CountNonzero, "The number of nonzero elements.",
                     true),
    makeReductionRow("numpy.nansum", "(a)", Sum | SkipsNaN, "The sum of all elements except NaNs."),
    makeReductionRow("numpy.nanprod", "(a)", Prod | SkipsNaN,
                     "The product of all elements except NaNs."),
    makeReductionRow("numpy.nanmean", "(a)", Mean | SkipsNaN,
                     "The mean of all elements except NaNs, in float64."),
    makeReductionRow("numpy.nanvar", "(a)", Var | SkipsNaN,
                     "The variance of all elements except NaNs."),
    makeReductionRow("numpy.nanstd", "(a)", Std | SkipsNaN,
                     "The standard deviation of all elements except NaNs."),
    makeReductionRow("numpy.nanmin", "(a)", Min | SkipsNaN,
                     "The smallest element; ignores NaNs. Raises ValueError for an empty array."),
    makeReductionRow("numpy.nanmax", "(a)", Max | SkipsNaN,
                     "The largest element; ignores NaNs. Raises ValueError for an empty array."),
    {"numpy.dot", "(a, b)", dotDoc, typeDot, emitDot},
};

} // namespace

llvm::ArrayRef<LibraryRow> reductionLibrary() {
  constexpr auto reduction = [](LibraryRow row) { return withMeaning(row, Meaning::Reduction); };
  static constexpr auto table = mapRows(rows, reduction, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
