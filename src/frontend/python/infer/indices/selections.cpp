// Indexing with arrays, in host functions.
//
//     a[i, idx, 1:]        view = a[i, :, 1:];  array.__getitem__(view, "i*:", idx)
//     a[mask] = x          array.__setitem__(a, "*", mask, x)
//
// The parts of the index that are not arrays select a view. The called functions are written in Python
// (heddle/host_library/indexing.py). Their string has a character for each dimension of the index: `i` for an integer,
// whose dimension the view lacks, `:` for one that the view keeps, and `*` for an array.

#include "frontend/python/infer/visits.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {

bool isFancyIndexing(const FunctionTyping &t, const Value &access) {
  if (!t.rules().makesArrays || !access.operands[0]->type.isArray())
    return false;
  Type index = access.operands[1]->type;
  return index.isArray() || (index.isTuple() && llvm::any_of(index->elements, [](Type element) {
                               return element.isArray();
                             }));
}

namespace {

class Selection {
public:
  Selection(FunctionTyping &t, Value &access) : t_(t), access_(access) {}

  bool replaceWithCall(const char *name) {
    auto items = this->indexItems();
    countOmittedDimensions(items);
    for (auto &[item, at] : items)
      addIndexItem(*item, at);
    addOmittedDimensions();
    Value &array = *access_.operands[0];
    Value *view = &array;
    if (isView_) {
      Value *index = insertBeforeAccess(Opcode::Tuple, basic_);
      view = insertBeforeAccess(Opcode::Index, {&array, index});
    }
    Value *text = t_.insertConstant(access_, access_.spanOf(1), Constant::ofString(pattern_));
    Value *function = t_.insertConstant(access_, access_.span, *t_.findLibraryFunction(name));
    std::vector<Value *> operands{function, view, text};
    std::vector<Span> spans{access_.span, access_.spanOf(0), access_.spanOf(1)};
    operands.insert(operands.end(), arrays_.begin(), arrays_.end());
    spans.insert(spans.end(), arraySpans_.begin(), arraySpans_.end());
    if (access_.opcode == Opcode::StoreIndex) { // before the arrays, whose number varies
      operands.insert(operands.begin() + 3, access_.operands[2]);
      spans.insert(spans.begin() + 3, access_.spanOf(2));
    }
    access_.opcode = Opcode::Call;
    access_.name.clear();
    access_.operands = std::move(operands);
    access_.operandSpans = std::move(spans);
    return t_.visit(access_);
  }

private:
  FunctionTyping &t_;
  Value &access_;
  std::vector<Value *> basic_; ///< the index of the view
  bool isView_ = false;        ///< selects less than the whole array
  std::string pattern_;
  size_t missing_ = 0; ///< number of dimensions that the index omits
  std::vector<Value *> arrays_;
  std::vector<Span> arraySpans_;

  Value *insertBeforeAccess(Opcode opcode, std::vector<Value *> operands) {
    Value *v = t_.insertBefore(access_, opcode, access_.span, std::move(operands));
    t_.visit(*v);
    return v;
  }

  /// The parts of the index.
  std::vector<std::pair<Value *, Span>> indexItems() {
    Value &index = *access_.operands[1];
    std::vector<std::pair<Value *, Span>> out;
    if (index.type.isArray()) {
      out.emplace_back(&index, access_.spanOf(1));
    } else if (index.opcode == Opcode::Tuple) {
      for (size_t i = 0; i < index.operands.size(); ++i)
        out.emplace_back(index.operands[i], index.spanOf(i));
    } else {
      for (size_t i = 0; i < index.type->elements.size(); ++i) {
        Value *part = t_.insertBefore(access_, Opcode::Unpack, access_.spanOf(1), {&index});
        part->index = i;
        part->count = index.type->elements.size();
        t_.visit(*part);
        out.emplace_back(part, access_.spanOf(1));
      }
    }
    return out;
  }

  size_t countIndexedDimensions(Type item) const {
    return item.isArray() && item->element.isBool()            ? item->ndim
           : item.is(TypeKind::None) || item == ellipsisType() ? 0
                                                               : 1;
  }

  void addFullSlice() {
    Value *none = t_.insertConstant(access_, access_.span, {});
    basic_.push_back(insertBeforeAccess(Opcode::Slice, {none, none, none}));
  }

  void countOmittedDimensions(const std::vector<std::pair<Value *, Span>> &items) {
    size_t named = 0, ndim = access_.operands[0]->type->ndim;
    for (auto &[item, at] : items)
      named += countIndexedDimensions(item->type);
    if (named > ndim)
      t_.errorAt(access_, 1,
                 "cannot index a " + std::to_string(ndim) + "-D array with " +
                     std::to_string(named) + (named == 1 ? " index" : " indices"),
                 access_.operands[1]->type.name());
    missing_ = ndim - named;
  }

  /// Adds whole dimensions for those that the index omits.
  void addOmittedDimensions() {
    for (; missing_; --missing_) {
      addFullSlice();
      pattern_ += ':';
    }
  }

  void addIndexItem(Value &item, Span at) {
    if (item.type == ellipsisType()) {
      addOmittedDimensions();
    } else if (item.type.isArray()) {
      Type element = item.type->element;
      if (!element.isBool() && !element.isInteger())
        t_.errorAt(access_, 1, "an index array must hold integers or bools", item.type.name());
      for (size_t i = 0; i < countIndexedDimensions(item.type); ++i)
        addFullSlice();
      pattern_ += '*';
      arrays_.push_back(&item);
      arraySpans_.push_back(at);
    } else {
      basic_.push_back(&item);
      isView_ = true;
      pattern_ += item.type.isInteger() || item.type.isBool() ? 'i' : ':';
    }
  }
};

} // namespace

bool visitFancyIndexing(FunctionTyping &t, Value &access) {
  bool reads = access.opcode == Opcode::Index;
  return Selection(t, access).replaceWithCall(reads ? "array.__getitem__" : "array.__setitem__");
}

} // namespace heddle::python
