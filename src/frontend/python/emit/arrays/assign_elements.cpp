#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/arrays/index_error.h"
#include "frontend/python/emit/containers/records.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/operators.h"
#include "frontend/python/emit/parallel/shared_rows.h"

#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle::python {
namespace {

constexpr int64_t bufferedElements = 32;

/// An array in the loop nest: a pointer, and a byte stride for each axis of the target.
struct IteratedArray {
  llvm::Value *pointer;
  llvm::SmallVector<llvm::Value *, 4> strides;
};

/// The array that `v` is a view of, as far as it can be followed: a parameter, or a value that makes an array.
Value *originArrayOf(Value *v) {
  for (;;) {
    bool isView = v->opcode == Opcode::Index || v->opcode == Opcode::Attribute ||
                  (v->opcode == Opcode::Binary && v->inPlace);
    if (isView && v->operands[0]->type.isArray())
      v = v->operands[0];
    else if (v->opcode == Opcode::Call && v->library && v->operands.size() > 1 &&
             v->operands[1]->type.isArray())
      v = v->operands[1];
    else
      return v;
  }
}

/// True if `v` allocates new memory: a call of shared.array or local.array.
bool isLocalOrSharedAllocation(const Value &v) {
  if (v.opcode != Opcode::Call || !v.library || v.operands.size() < 2)
    return false;
  const std::optional<Constant> &shape = v.operands[1]->constant;
  bool dynamic = !shape || (shape->kind == ConstantKind::Int && shape->integer == 0);
  Meaning meaning = v.library->meaning;
  return meaning == Meaning::LocalArray || (meaning == Meaning::SharedArray && !dynamic);
}

using Compute = llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)>;

class Assignment {
public:
  Assignment(Emitter &e, const AssignedArray &target, llvm::ArrayRef<Value *> sources,
             Compute compute, Span span)
      : e_(e), b_(e.b), target_(target), sources_(sources), compute_(compute), span_(span),
        n_(target.type->ndim) {}

  /// Emits single-threaded loops.
  void emit() {
    collectArrays();
    emitSingleThreaded();
  }

  /// Emits loops for several threads, if no element is read after another one is written.
  void emitMultithreaded() {
    collectArrays();
    auto emitPart = [&](Emitter &chunk, const Parts &rows) {
      chunk.setChecks(e_.checks());
      AssignedArray part{target_.type, rows, target_.origin, /*isNew=*/true};
      Assignment(chunk, part, sources_, compute_, span_).emit();
    };
    if (llvm::any_of(sources_, [&](Value *v) { return v->type.isArray() && v->type->ndim > n_; }))
      return emitSingleThreaded(); // the source lacks the axis along which the target is split
    if (overlapping_.empty())
      return emitRowChunks(emitPart);
    llvm::Value *elements = countElements(e_, target_.type, target_.parts);
    llvm::Value *isLong = b_.CreateICmpSGE(elements, int64(minSharedElements));
    emitIfElse(
        b_.CreateAnd(isLong, emitIsOrderIndependent()), [&] { emitRowChunks(emitPart); },
        [&] { emitSingleThreaded(); });
  }

  /// Visits each element in one thread without assigning it.
  void forEachComputedElement(llvm::function_ref<void(const Parts &, llvm::Value *)> visitor) {
    visitor_ = visitor;
    emit();
  }
  Parts emitFirstElement() {
    collectArrays();
    llvm::SmallVector<llvm::Value *, 4> pointers;
    for (IteratedArray &w : arrays_)
      pointers.push_back(w.pointer);
    return computeElement(pointers);
  }

private:
  using Visit = llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>, llvm::Value *)>;

  Emitter &e_;
  llvm::IRBuilder<> &b_;
  const AssignedArray &target_;
  llvm::ArrayRef<Value *> sources_;
  Compute compute_;
  Span span_;
  /// Receives the values instead of the target.
  llvm::function_ref<void(const Parts &, llvm::Value *)> visitor_;
  unsigned n_;
  llvm::SmallVector<llvm::Value *, 4> extents_;
  llvm::SmallVector<IteratedArray, 4> arrays_;       ///< the target, then each array source
  llvm::SmallVector<IteratedArray, 4> notBroadcast_; ///< the same without broadcasting
  /// True at run time if a source is broadcast; null if none can be.
  llvm::Value *isBroadcast_ = nullptr;
  llvm::SmallVector<Type, 4> elements_; ///< element types of the sources
  llvm::SmallVector<llvm::Align, 4> alignments_;
  llvm::SmallVector<unsigned, 4> overlapping_; ///< indices in arrays_ that may overlap the target
  std::map<unsigned, Value *> elementValues_;  ///< by source

  void collectArrays() {
    ArrayParts t{target_.parts, n_};
    for (unsigned axis = 0; axis < n_; ++axis)
      extents_.push_back(t.extent(axis));
    arrays_.push_back(makeIteratedArray(target_.type, t));
    notBroadcast_ = arrays_;
    for (Value *source : sources_)
      if (source->type.isArray())
        addSourceWithShapeCheck(*source);
  }

  void emitRowChunks(llvm::function_ref<void(Emitter &chunk, const Parts &rows)> emitPart) {
    llvm::Value *chunks = emitRowChunkCount(e_, target_.type, target_.parts);
    distributeRowsToThreads(e_, target_.type, target_.parts, chunks, sources_, emitPart);
  }

  void emitSingleThreaded() {
    if (overlapping_.empty())
      assignInAnyOrder();
    else
      emitOverlapHandling();
  }

  void emitIfElse(llvm::Value *condition, llvm::function_ref<void()> then,
                  llvm::function_ref<void()> otherwise) {
    llvm::BasicBlock *first = createBlock("either"), *second = createBlock("or"),
                     *done = createBlock("assigned");
    b_.CreateCondBr(condition, first, second);
    for (auto [start, emit] : {std::pair(first, then), std::pair(second, otherwise)}) {
      b_.SetInsertPoint(start);
      emit();
      b_.CreateBr(done);
    }
    b_.SetInsertPoint(done);
  }

  llvm::Value *int64(int64_t v) { return e_.int64(v); }
  llvm::Align targetAlign() const { return llvm::Align(target_.type->elementAlignment()); }

  /// An array with its strides, which are constants if its layout determines them.
  IteratedArray makeIteratedArray(Type type, ArrayParts a) {
    IteratedArray w{a.pointer(), {}};
    for (unsigned axis = 0; axis < a.ndim; ++axis) {
      unsigned fastest = type->layout == Layout::F ? 0 : a.ndim - 1;
      bool dense = type->layout != Layout::Any && axis == fastest;
      w.strides.push_back(dense ? int64(type->element->bytes()) : a.stride(axis));
    }
    return w;
  }

  void addSourceWithShapeCheck(Value &source) {
    Parts parts = e_.parts(source);
    unsigned rank = source.type->ndim;
    ArrayParts a{parts, rank};
    IteratedArray own = makeIteratedArray(source.type, a), w{own.pointer, {}}, whole = w;
    llvm::Value *wrong = b_.getFalse();
    for (unsigned axis = 0; axis + n_ < rank; ++axis) // axes that the target lacks
      wrong = b_.CreateOr(wrong, b_.CreateICmpNE(a.extent(axis), int64(1)));
    for (unsigned axis = 0; axis < n_; ++axis) {
      if (axis + rank < n_) { // an axis that the source lacks
        w.strides.push_back(int64(0));
        whole.strides.push_back(int64(0));
        continue;
      }
      unsigned own_axis = axis + rank - n_;
      llvm::Value *extent = a.extent(own_axis), *stride = own.strides[own_axis];
      whole.strides.push_back(stride);
      if (extent != extents_[axis]) {
        llvm::Value *differs = b_.CreateICmpNE(extent, extents_[axis]);
        isBroadcast_ = isBroadcast_ ? b_.CreateOr(isBroadcast_, differs) : differs;
        stride = b_.CreateSelect(differs, int64(0), stride);
        wrong = b_.CreateOr(wrong, b_.CreateAnd(differs, b_.CreateICmpNE(extent, int64(1))));
      }
      w.strides.push_back(stride);
    }
    notBroadcast_.push_back(std::move(whole));
    if (e_.checks().values || e_.checks().bounds) // the loops would read past the array
      e_.trapIf(wrong, span_, "ValueError", target_.isNew ? cannotBroadcast : shapesDoNotMatch);
    if (mayOverlap(source, w))
      overlapping_.push_back(arrays_.size());
    arrays_.push_back(std::move(w));
    elements_.push_back(source.type->element);
    alignments_.push_back(llvm::Align(source.type->elementAlignment()));
  }

  /// True if an element of `source` may be overwritten before it is read, according to compile-time information.
  bool mayOverlap(Value &source, const IteratedArray &w) {
    if (target_.isNew)
      return false;
    const IteratedArray &t = arrays_[0];
    bool itself = w.pointer == t.pointer && w.strides == t.strides &&
                  source.type->element == target_.type->element;
    if (itself)
      return false; // each element is read right before it is written
    simt::AddressSpace a = source.type->space, c = target_.type->space;
    if (a == simt::Constant || (a != c && a != simt::Generic && c != simt::Generic))
      return false;
    Value *from = originArrayOf(&source), *to = originArrayOf(target_.origin);
    if (from == to)
      return true;
    // Allocations do not overlap kernel arguments or each other.
    auto known = [&](Value &v) {
      return isLocalOrSharedAllocation(v) || (v.opcode == Opcode::Parameter && e_.isKernel());
    };
    if (!known(*from) || !known(*to))
      return true;
    bool parameters = from->opcode == Opcode::Parameter && to->opcode == Opcode::Parameter;
    return parameters && !hasNoAlias(*from) && !hasNoAlias(*to);
  }

  /// True if the launch found that no other argument overlaps the array of a kernel parameter.
  bool hasNoAlias(Value &parameter) {
    return llvm::cast<llvm::Argument>(e_.parts(parameter)[0])->hasNoAliasAttr();
  }

  /// Emits a loop nest over every element, in the target's memory order or in index order. `visit` receives the address
  /// in each of arrays_ and the element's number.
  void emitElementLoops(Visit visit) {
    llvm::SmallVector<llvm::Value *, 4> pointers;
    for (IteratedArray &w : arrays_)
      pointers.push_back(w.pointer);
    emitLoopNest(0, pointers, int64(0), visit);
  }

  void emitLoopNest(unsigned depth, llvm::ArrayRef<llvm::Value *> pointers, llvm::Value *count,
                    Visit visit) {
    if (depth == n_)
      return visit(pointers, count);
    unsigned axis = target_.type->layout == Layout::F ? n_ - 1 - depth : depth;
    e_.emitLoop(extents_[axis], [&](llvm::Value *i) {
      llvm::SmallVector<llvm::Value *, 4> inner;
      for (size_t k = 0; k < arrays_.size(); ++k)
        inner.push_back(b_.CreatePtrAdd(
            pointers[k], b_.CreateMul(i, arrays_[k].strides[axis], "", false, true)));
      emitLoopNest(depth + 1, inner, b_.CreateAdd(b_.CreateMul(count, extents_[axis]), i), visit);
    });
  }

  void assignAllElements() {
    emitElementLoops([&](llvm::ArrayRef<llvm::Value *> p, llvm::Value *count) {
      assignOrVisitElement(p, count);
    });
  }

  llvm::BasicBlock *createBlock(const char *name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, b_.GetInsertBlock()->getParent());
  }

  /// Host functions have separate loops for arrays without broadcasting: LLVM vectorizes only if it knows the strides.
  bool needsNonBroadcastVersion() const { return e_.function().rules->makesArrays; }

  void assignWithoutBroadcasting() {
    std::swap(arrays_, notBroadcast_);
    assignAllElements();
    std::swap(arrays_, notBroadcast_);
  }

  void assignInAnyOrder() {
    if (!isBroadcast_ || !needsNonBroadcastVersion())
      return assignAllElements();
    emitIfElse(isBroadcast_, [&] { assignAllElements(); }, [&] { assignWithoutBroadcasting(); });
  }

  /// Computes the element from the source elements at pointers[1], pointers[2], ...
  Parts computeElement(llvm::ArrayRef<llvm::Value *> pointers) {
    llvm::SmallVector<Value *, 4> values;
    unsigned next = 0;
    for (unsigned i = 0; i < sources_.size(); ++i) {
      if (!sources_[i]->type.isArray()) {
        values.push_back(sources_[i]);
        continue;
      }
      Value *&element = elementValues_[i];
      if (!element)
        element = &e_.makeTemporary(elements_[next], span_);
      e_.bind(*element, loadElement(e_, pointers[1 + next], elements_[next], alignments_[next]));
      values.push_back(element);
      ++next;
    }
    return compute_(e_, values);
  }

  void assignOrVisitElement(llvm::ArrayRef<llvm::Value *> pointers, llvm::Value *count) {
    if (visitor_)
      return visitor_(computeElement(pointers), count);
    storeElement(e_, pointers[0], computeElement(pointers), target_.type->element, targetAlign());
  }

  struct Range {
    llvm::Value *low;
    llvm::Value *high;
  };

  llvm::Value *emitGenericAddress(const IteratedArray &w) {
    llvm::Value *generic =
        // Comparable across address spaces.
        b_.CreateAddrSpaceCast(w.pointer, b_.getPtrTy(simt::Generic));
    return b_.CreatePtrToInt(generic, b_.getInt64Ty());
  }

  /// The byte range that contains an array's elements.
  Range emitByteRange(const IteratedArray &w, unsigned bytes) {
    Range r{emitGenericAddress(w), nullptr};
    r.high = b_.CreateAdd(r.low, int64(bytes));
    for (unsigned axis = 0; axis < n_; ++axis) {
      llvm::Value *reach = b_.CreateMul(b_.CreateSub(extents_[axis], int64(1)), w.strides[axis]);
      r.low = b_.CreateAdd(r.low, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, reach, int64(0)));
      r.high =
          b_.CreateAdd(r.high, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, reach, int64(0)));
    }
    return r;
  }

  /// True if both arrays have the same strides, so that one visit order is an address order for both.
  llvm::Value *emitHaveEqualStrides(const IteratedArray &a, const IteratedArray &c) {
    llvm::Value *alike = b_.getTrue();
    for (unsigned axis = 0; axis < n_; ++axis) {
      llvm::Value *single = b_.CreateICmpSLE(extents_[axis], int64(1));
      llvm::Value *same = b_.CreateICmpEQ(a.strides[axis], c.strides[axis]);
      alike = b_.CreateAnd(alike, b_.CreateOr(single, same));
    }
    return alike;
  }

  /// True if each stride exceeds the reach of all later axes. The loop nest, reversed for negative strides, then visits
  /// the addresses in ascending order.
  llvm::Value *emitIsStrideNested(const IteratedArray &w, unsigned bytes) {
    llvm::Value *nested = b_.getTrue(), *inner = int64(bytes);
    for (unsigned axis = n_; axis-- > 0;) {
      llvm::Value *step =
          b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, w.strides[axis], b_.getFalse());
      llvm::Value *single = b_.CreateICmpSLE(extents_[axis], int64(1));
      nested = b_.CreateAnd(nested, b_.CreateOr(single, b_.CreateICmpSGE(step, inner)));
      inner = b_.CreateSelect(single, inner, b_.CreateMul(step, extents_[axis]));
    }
    return nested;
  }

  /// True if each possibly overlapping source is disjoint from the target, or has the same strides and satisfies
  /// `starts(from, to)`. The arguments are the addresses of the first elements.
  llvm::Value *
  emitAllSourcesDisjointOr(llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> starts) {
    unsigned bytes = target_.type->element->bytes();
    IteratedArray &target = arrays_[0];
    Range written = emitByteRange(target, bytes);
    llvm::Value *all = b_.getTrue();
    for (unsigned k : overlapping_) {
      unsigned size = elements_[k - 1]->bytes();
      Range read = emitByteRange(arrays_[k], size);
      llvm::Value *apart = b_.CreateOr(b_.CreateICmpULE(read.high, written.low),
                                       b_.CreateICmpULE(written.high, read.low));
      llvm::Value *alike = size == bytes ? emitHaveEqualStrides(target, arrays_[k]) : b_.getFalse();
      llvm::Value *fits = starts(emitGenericAddress(arrays_[k]), emitGenericAddress(target));
      all = b_.CreateAnd(all, b_.CreateOr(apart, b_.CreateAnd(alike, fits)));
    }
    return all;
  }

  /// True if no element is read after another one is written, in any visit order.
  llvm::Value *emitIsOrderIndependent() {
    return emitAllSourcesDisjointOr(
        [&](auto *from, auto *to) { return b_.CreateICmpEQ(from, to); });
  }

  void emitOverlapHandling() {
    llvm::Value *nested = emitIsStrideNested(arrays_[0], target_.type->element->bytes());
    llvm::Value *inOrder = emitIsOrderIndependent();
    llvm::Value *upwards = b_.CreateAnd(nested, emitAllSourcesDisjointOr([&](auto *from, auto *to) {
                                          return b_.CreateICmpUGE(from, to);
                                        }));
    llvm::Value *downwards = b_.CreateAnd(
        nested,
        emitAllSourcesDisjointOr([&](auto *from, auto *to) { return b_.CreateICmpULE(from, to); }));
    llvm::Value *ordered = b_.CreateOr(inOrder, b_.CreateOr(upwards, downwards));
    auto assignByAddress = [&] {
      emitIfElse(
          b_.CreateNot(ordered), [&] { assignThroughBuffer(); },
          [&] {
            emitLoopDirections(inOrder, upwards); // affects all later loops
            assignAllElements();
          });
    };
    if (!needsNonBroadcastVersion())
      return assignByAddress();
    llvm::Value *whole = isBroadcast_ ? b_.CreateNot(isBroadcast_) : b_.getTrue();
    emitIfElse(b_.CreateAnd(inOrder, whole), [&] { assignWithoutBroadcasting(); }, assignByAddress);
  }

  /// Makes the loops visit the target by ascending or descending addresses, unless the order does not matter.
  void emitLoopDirections(llvm::Value *inOrder, llvm::Value *upwards) {
    for (unsigned axis = 0; axis < n_; ++axis) {
      llvm::Value *stride = arrays_[0].strides[axis], *nil = int64(0);
      llvm::Value *against =
          b_.CreateSelect(upwards, b_.CreateICmpSLT(stride, nil), b_.CreateICmpSGT(stride, nil));
      llvm::Value *turn = b_.CreateAnd(b_.CreateNot(inOrder), against);
      llvm::Value *last = b_.CreateSub(extents_[axis], int64(1));
      for (IteratedArray &w : arrays_) {
        llvm::Value *step = w.strides[axis];
        w.pointer =
            b_.CreatePtrAdd(w.pointer, b_.CreateSelect(turn, b_.CreateMul(last, step), nil));
        w.strides[axis] = b_.CreateSelect(turn, b_.CreateNeg(step), step);
      }
    }
  }

  /// Allocates memory for `total` elements.
  llvm::Value *allocateBuffer(llvm::Value *total, Type element) {
    if (e_.function().rules->makesArrays) {
      Value &array = e_.makeTemporary(arrayType(element, 1), span_);
      return allocateArray(e_, array, {total}, /*zeroed=*/false)[0];
    }
    e_.trapIf(b_.CreateICmpSGT(total, int64(bufferedElements)), span_, "ValueError",
              "source and target overlap in memory: such an assignment is limited to " +
                  std::to_string(bufferedElements) + " elements");
    return e_.makeStackSlot(b_.getInt8Ty(), bufferedElements * element->bytes(),
                            llvm::Align(element->alignment()));
  }

  void assignThroughBuffer() {
    Type element = target_.type->element;
    llvm::Value *total = int64(1);
    for (llvm::Value *extent : extents_)
      total = b_.CreateMul(total, extent);
    llvm::Value *buffer = allocateBuffer(total, element);
    auto slot = [&](llvm::Value *count) {
      return b_.CreatePtrAdd(buffer, b_.CreateMul(count, int64(element->bytes())));
    };
    emitElementLoops([&](llvm::ArrayRef<llvm::Value *> p, llvm::Value *count) {
      storeElement(e_, slot(count), computeElement(p), element);
    });
    emitElementLoops([&](llvm::ArrayRef<llvm::Value *> p, llvm::Value *count) {
      storeElement(e_, p[0], loadElement(e_, slot(count), element), element, targetAlign());
    });
  }
};

/// The target of a StoreIndex: a view, an array field, or one field of every record.
AssignedArray assignmentTarget(Emitter &e, Value &store) {
  Value &object = *store.operands[0], &index = *store.operands[1];
  if (object.type.isRecord()) {
    const Field &f = *selectField(object.type, *index.constant);
    return {fieldType(object.type, f), loadField(e, e.parts(object)[0], object.type, f), &object};
  }
  if (index.type.isString()) {
    const Field &f = *selectField(object.type->element, *index.constant);
    return {fieldArrayType(object.type, f), emitFieldViewOfRecordArray(e, object, f), &object};
  }
  std::vector<IndexItem> items = parseIndex(e.function(), store);
  return {typeOfIndexing(object.type, items), makeView(e, object, items, index, store.span),
          &object};
}

/// Makes divisions by zero follow NumPy during its lifetime, instead of raising.
class DivideAsNumpy {
public:
  explicit DivideAsNumpy(Emitter &e) : e_(e), before_(e.checks()) {
    Checks checks = before_;
    checks.divisors = false;
    e.setChecks(checks);
  }
  DivideAsNumpy(const DivideAsNumpy &) = delete;
  ~DivideAsNumpy() { e_.setChecks(before_); }

private:
  Emitter &e_;
  Checks before_;
};

} // namespace

void assignElements(Emitter &e, const AssignedArray &target, llvm::ArrayRef<Value *> sources,
                    Compute compute, Span span) {
  DivideAsNumpy divide(e);
  Assignment assignment(e, target, sources, compute, span);
  if (runsArrayExpressionsOnThreadPool(e.function()) && target.type->ndim)
    assignment.emitMultithreaded();
  else
    assignment.emit();
}

void forEachComputedElement(Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
                            Compute compute,
                            llvm::function_ref<void(const Parts &, llvm::Value *)> visit,
                            Span span) {
  DivideAsNumpy divide(e);
  Assignment(e, array, sources, compute, span).forEachComputedElement(visit);
}

Parts computeFirstElement(Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
                          Compute compute, Span span) {
  DivideAsNumpy divide(e);
  return Assignment(e, array, sources, compute, span).emitFirstElement();
}

namespace {

/// Copies a tuple of numbers to an array in thread-private memory.
Value &copyTupleToStack(Emitter &e, Value &tuple, Type element) {
  llvm::IRBuilder<> &b = e.b;
  const std::vector<Type> &elements = tuple.type->elements;
  llvm::Value *slot = e.makeStackSlot(b.getInt8Ty(), elements.size() * element->bytes(),
                                      llvm::Align(element->alignment()));
  Parts all = e.parts(tuple);
  unsigned next = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    unsigned count = partTypes(b.getContext(), elements[i]).size();
    Parts part(all.begin() + next, all.begin() + next + count);
    storeConverted(e, b.CreateConstGEP1_64(b.getInt8Ty(), slot, i * element->bytes()), element,
                   llvm::Align(element->alignment()), part, elements[i]);
    next += count;
  }
  Value &array = e.makeTemporary(arrayType(element, 1, {.space = simt::Generic}), tuple.span);
  e.bind(array, makeConstantShapeArray(e, slot, {int64_t(elements.size())}, element));
  return array;
}

} // namespace

bool storesAugmentedView(const Value &store) {
  const Value &value = *store.operands[2];
  if (!value.type.isArray() || value.opcode != Opcode::Binary || !value.inPlace)
    return false;
  const Value &view = *value.operands[0];
  if (view.opcode == Opcode::Index)
    return view.operands[0] == store.operands[0] && view.operands[1] == store.operands[1];
  return view.opcode == Opcode::Attribute && view.operands[0] == store.operands[0] &&
         view.name == store.name;
}

void storeView(Emitter &e, Value &store) {
  if (storesAugmentedView(store))
    return;
  Value *value = store.operands[2];
  AssignedArray target = assignmentTarget(e, store);
  Type element = target.type->element;
  if (value->type.isTuple())
    value = &copyTupleToStack(e, *value, element);
  assignElements(
      e, target, {value},
      [&](Emitter &at, llvm::ArrayRef<Value *> v) {
        return element.isRecord() ? at.parts(*v[0])
                                  : convert(at, at.parts(*v[0]), v[0]->type, element);
      },
      store.span);
}

namespace {

/// Raises IndexError if `index` is out of range for the first dimension of an array. `type` is the type of the index in
/// the source, `given`.
void checkSelectedIndex(Emitter &e, Type type, llvm::Value *given, llvm::Value *index,
                        llvm::Value *extent, Span span) {
  if (e.checks().bounds)
    e.checkIndex(given, index, extent, span,
                 std::string("index ") + indexPlaceholder(type) +
                     " is out of bounds for axis 0 of the array with size {extent}");
}

} // namespace

void storeByFancyIndex(Emitter &e, Value &store) {
  llvm::IRBuilder<> &b = e.b;
  Value &array = *store.operands[0], &index = *store.operands[1], &value = *store.operands[2];
  Type element = index.type->element;
  Parts all = e.parts(array);
  unsigned n = array.type->ndim;
  ArrayParts a{all, n};
  Type part =
      arrayType(array.type->element, n - 1,
                {.layout = Layout::Any, .space = array.type->space, .packed = array.type->packed});
  auto assignAt = [&](llvm::Value *given, llvm::Value *i) {
    checkSelectedIndex(e, element, given, i, a.extent(0), store.span);
    Parts inner{b.CreatePtrAdd(a.pointer(), b.CreateMul(i, a.stride(0)))};
    inner.append(all.begin() + 2, all.begin() + 1 + n);
    inner.append(all.begin() + 2 + n, all.end());
    assignElements(
        e, {part, inner, &array}, {&value},
        [&](Emitter &at, llvm::ArrayRef<Value *> v) {
          return convert(at, at.parts(*v[0]), v[0]->type, part->element);
        },
        store.span);
  };
  ElementsOf(e, index).forEach([&](const Parts &v, llvm::Value *number) {
    if (!element.isBool()) {
      llvm::Value *i = cast(e, v[0], element, int64Type());
      return assignAt(i, element.isSigned() ? e.wrapNegativeIndex(i, a.extent(0)) : i);
    }
    // A loop with trip count 1 or 0 assigns the element only if the mask is true there.
    e.emitLoop(b.CreateZExt(v[0], b.getInt64Ty()),
               [&](llvm::Value *) { assignAt(number, number); });
  });
}

Parts emitInPlaceArrayOperator(Emitter &e, Value &v) {
  Value &array = *v.operands[0], &operand = *v.operands[1];
  AssignedArray target{array.type, e.parts(array), &array};
  Type element = array.type->element;
  auto compute = [&](Emitter &at, llvm::ArrayRef<Value *> values) -> Parts {
    Type type = binaryType(BinaryOp(v.op), values[0]->type, values[1]->type);
    Value &x = *values[0], &y = *values[1];
    BinaryOp op = BinaryOp(v.op);
    Parts result =
        type.isComplex() ? emitComplexBinaryOperator(at, op, x, y, type, v.span)
        : type.isTime()
            ? Parts{emitTimeBinary(at.b, op, toTimeOperand(at, x), toTimeOperand(at, y), type)}
            : Parts{emitBinaryOperator(at, op, x, y, type, v.span)};
    return convert(at, result, type, element);
  };
  assignElements(e, target, {&array, &operand}, compute, v.span);
  return target.parts;
}

} // namespace heddle::python
