#include "frontend/python/emit/signs.h"

#include "frontend/python/rows/row.h"

#include <algorithm>
#include <bit>

namespace heddle::python {

Signs::Known Signs::upperBoundOf(Value &v) {
  // The phi of a loop depends on itself: assume that it is not negative while its operands are visited.
  auto [known, isNew] = bounds_.try_emplace(&v, Bound{.sized = true, .loop = depth_});
  if (!isNew)
    return known->second;
  constexpr unsigned deepest = 500; // limits the recursion of the compiler
  if (depth_ == deepest)
    return known->second = std::nullopt;
  size_t first = relying_.size();
  unsigned depth = depth_++;
  Known result = computeBound(v);
  --depth_;
  if (result && result->loop >= depth)
    result->loop = noLoop;
  confirmOrDiscardAssumption(result, depth, first);
  if (result && result->loop != noLoop)
    relying_.push_back(&v);
  return known->second = result;
}

/// Confirms or discards, according to `result`, the bounds that rely on the assumption at `depth`.
void Signs::confirmOrDiscardAssumption(const Known &result, unsigned depth, size_t first) {
  auto isSettled = [&](Value *v) {
    Known &known = bounds_.at(v);
    if (!result) {
      bounds_.erase(v);
      return true;
    }
    if (known->loop >= depth)
      known->loop = result->loop;
    return known->loop == noLoop;
  };
  relying_.erase(std::remove_if(relying_.begin() + first, relying_.end(), isSettled),
                 relying_.end());
}

Signs::Known Signs::largestBoundOf(const std::vector<Value *> &values) {
  Bound largest;
  for (Value *v : values) {
    if (!v->type) // a variable before it is assigned
      continue;
    Known one = v->type.isInteger() || v->type.isTuple() ? upperBoundOf(*v) : std::nullopt;
    if (!one)
      return {};
    largest = {.bits = std::max(largest.bits, one->bits),
               .sized = largest.sized || one->sized,
               .loop = std::min(largest.loop, one->loop)};
  }
  return largest;
}

Signs::Known Signs::boundOfBinary(Value &v) {
  constexpr unsigned bitsOfSizes = 31, bitsOfNumbers = 63;
  if (!v.type.isInteger())
    return {};
  Value &left = *v.operands[0], &right = *v.operands[1];
  switch (BinaryOp(v.op)) {
  case BinaryOp::Mod: // has the sign of its divisor
    return upperBoundOf(right);
  case BinaryOp::And: {
    Known mask = upperBoundOf(right);
    return mask ? mask : upperBoundOf(left);
  }
  case BinaryOp::RShift:
    return upperBoundOf(left);
  case BinaryOp::FloorDiv:
    return upperBoundOf(right) ? upperBoundOf(left) : std::nullopt;
  case BinaryOp::Or:
  case BinaryOp::Xor:
    return largestBoundOf({&left, &right});
  case BinaryOp::Add:
  case BinaryOp::Mul: {
    Known a = upperBoundOf(left), c = upperBoundOf(right);
    if (!a || !c)
      return {};
    bool isProduct = BinaryOp(v.op) == BinaryOp::Mul;
    bool aGrows = a->loop != noLoop, cGrows = c->loop != noLoop; // from one iteration to the next
    if ((aGrows && cGrows) || (isProduct && (aGrows || cGrows)))
      return {};
    Bound both{.bits = isProduct ? a->bits + c->bits : std::max(a->bits, c->bits) + 1,
               .sized = a->sized || c->sized,
               .loop = std::min(a->loop, c->loop)};
    if (both.bits + (both.sized ? bitsOfSizes : 0) > bitsOfNumbers)
      return {};
    return both;
  }
  default:
    return {};
  }
}

namespace {

/// The range whose values are the items of a loop over `iterable`, without enumerate or zip in between; null for
/// others.
Value *findLoopRange(Value &iterable) {
  Value *v = &iterable;
  while (v->opcode == Opcode::Call && v->library && v->type.is(TypeKind::Iterator) &&
         v->type->iterator == IteratorKind::Reversed && v->operands.size() == 2)
    v = v->operands[1];
  return v->opcode == Opcode::Call && v->library && v->type.is(TypeKind::Range) ? v : nullptr;
}

} // namespace

/// The bound of a range's values, which lie between its start and its end.
Signs::Known Signs::boundOfRangeItem(Value &iterable) {
  Value *range = findLoopRange(iterable);
  if (!range)
    return {};
  size_t n = range->operands.size();
  Bound counter{.sized = true};
  if (n == 2)
    return counter;
  for (size_t i = 1; i < n; ++i)
    if (!range->operands[i]->type.isInteger() && !range->operands[i]->type.isBool())
      return {};
  Known start = upperBoundOf(*range->operands[1]);
  if (!start)
    return {};
  counter.loop = start->loop;
  if (n == 3)
    return counter;
  const auto &step = range->operands[3]->constant, &stop = range->operands[2]->constant;
  if ((step && step->integer > 0) || (stop && stop->integer >= -1))
    return counter;
  // It counts up from its start, or its end is not negative either.
  Known other = upperBoundOf(*range->operands[3]);
  if (!other)
    other = upperBoundOf(*range->operands[2]);
  if (!other)
    return {};
  counter.loop = std::min(counter.loop, other->loop);
  return counter;
}

/// The bound of an enumerate's counts.
Signs::Known Signs::boundOfEnumerateCount(Value &iterable) {
  if (!iterable.type.is(TypeKind::Iterator) || iterable.type->iterator != IteratorKind::Enumerate ||
      iterable.opcode != Opcode::Call)
    return {};
  if (iterable.operands.size() == 2)
    return Bound{.sized = true};
  return upperBoundOf(*iterable.operands[2]);
}

Signs::Known Signs::computeBound(Value &v) {
  constexpr Bound size{.sized = true};
  if (v.type.isBool())
    return Bound{.bits = 1};
  if (v.type.is(TypeKind::UInt))
    return Bound{.bits = std::min(v.type->bits, 63u)};
  if (v.constant && v.constant->kind == ConstantKind::Int) {
    if (v.constant->integer < 0)
      return {};
    return Bound{.bits = unsigned(std::bit_width(uint64_t(v.constant->integer)))};
  }
  switch (v.opcode) {
  case Opcode::Phi:
  case Opcode::Tuple:
    return largestBoundOf(v.operands);
  case Opcode::Binary:
    return boundOfBinary(v);
  case Opcode::Advance:
  case Opcode::IterCount:
    return size;
  case Opcode::IterValue:
    return boundOfRangeItem(*v.operands[0]);
  case Opcode::Call:
  case Opcode::Global:
    return v.library && v.library->nonNegative ? Known(size) : std::nullopt;
  case Opcode::Attribute: {
    bool isSize = v.library ? v.library->nonNegative
                            : v.operands[0]->type.isArray() &&
                                  (v.name == "shape" || v.name == "size" || v.name == "nbytes");
    return isSize ? Known(size) : std::nullopt;
  }
  case Opcode::Unpack:
    if (v.operands[0]->opcode == Opcode::IterValue)
      return v.index == 0 ? boundOfEnumerateCount(*v.operands[0]->operands[0]) : std::nullopt;
    [[fallthrough]];
  case Opcode::Index: // of a shape, or of a tuple of non-negative numbers
    return v.operands[0]->type.isTuple() ? upperBoundOf(*v.operands[0]) : std::nullopt;
  default:
    return {};
  }
}

} // namespace heddle::python
