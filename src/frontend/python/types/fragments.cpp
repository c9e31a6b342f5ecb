#include "frontend/python/types/fragments.h"

#include "simt/ir/thread_indices.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

constexpr unsigned warpsOfWarpgroup = 4;

const char *formatUseOrShape(FragmentUse use) {
  return use == FragmentUse::MatrixA   ? "matrix_a"
         : use == FragmentUse::MatrixB ? "matrix_b"
                                       : "accumulator";
}

struct Shape {
  unsigned m, n, k;
  bool operator==(const Shape &) const = default;
};

std::string formatUseOrShape(const Shape &shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::vector<Shape> listShapesForElement(Type element, bool isTf32) {
  if (isTf32)
    return {{16, 16, 8}};
  if (element == float64Type())
    return {{8, 8, 4}};
  if (element.isHalf() || (element.isInteger() && element->bits == 8))
    return {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
  return {};
}

/// The types of factors, as fragments without a shape.
std::vector<Fragment> listFactorTypes() {
  std::vector<Fragment> factors{{.element = float32Type(), .isTf32 = true}};
  for (Type element :
       {floatType(16), bfloat16Type(), float64Type(), intType(8), intType(8, /*isSigned=*/false)})
    factors.push_back({.element = element});
  return factors;
}

} // namespace

unsigned Fragment::elementsPerLane() const {
  if (isFactor() && element == floatType(16))
    return 16;
  return rows() * columns() / (isOfWarpgroup() ? warpsOfWarpgroup : 1) / simt::warpSize;
}

std::string Fragment::ptxType() const {
  if (isTf32)
    return "tf32";
  if (element == bfloat16Type())
    return "bf16";
  return (element.isFloat() ? "f" : element.isSigned() ? "s" : "u") + std::to_string(element->bits);
}

std::string Fragment::ptxShape() const {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

Type fragmentType(const Fragment &fragment, unsigned ndim, Layout layout) {
  TypeData data =
      *arrayType(fragment.element, ndim, {.layout = layout, .space = simt::Generic}).operator->();
  data.fragment = std::make_shared<Fragment>(fragment);
  data.name = "fragment(" + std::string(formatUseOrShape(fragment.use)) + ", " +
              formatUseOrShape({fragment.m, fragment.n, fragment.k}) + ", " + fragment.typeName() +
              (fragment.isFactor() ? fragment.isRowMajor ? ", row_major" : ", col_major" : "") +
              (ndim > 1 ? ", " + std::to_string(ndim - 1) + "d" : "") + ")";
  std::string key = data.name + char(layout);
  return uniqueType(key, std::move(data));
}

std::string describeSupportedShapes(Type element, bool isTf32) {
  std::vector<Shape> shapes = listShapesForElement(element, isTf32);
  std::string text;
  for (const Shape &shape : shapes)
    text += (text.empty() ? "" : shape == shapes.back() ? " or " : ", ") + formatUseOrShape(shape);
  return text;
}

bool isSupportedShape(const Fragment &f) {
  Shape shape{f.m, f.n, f.k};
  if (f.isFactor())
    return llvm::is_contained(listShapesForElement(f.element, f.isTf32), shape);
  return llvm::any_of(listFactorTypes(), [&](const Fragment &factor) {
    return llvm::is_contained(accumulatorTypes(factor), f.element) &&
           llvm::is_contained(listShapesForElement(factor.element, factor.isTf32), shape);
  });
}

std::vector<Type> accumulatorTypes(const Fragment &factor) {
  Type element = factor.element;
  if (element == floatType(16))
    return {float32Type(), floatType(16)};
  if (element == float64Type())
    return {float64Type()};
  return {element.isInteger() ? int32Type() : float32Type()};
}

bool isAccumulatorType(Type element) {
  return llvm::any_of(listFactorTypes(), [&](const Fragment &factor) {
    return llvm::is_contained(accumulatorTypes(factor), element);
  });
}

} // namespace heddle::python
