#include "simt/check/access_sites.h"

#include "simt/check/memory_accesses.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"

#include "llvm/Demangle/Demangle.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The name of a variable in the source; empty if it has none. The front end for Python numbers its shared variables.
std::string sourceNameOf(const GlobalVariable &variable) {
  if (isHeapVariable(variable))
    return "";
  StringRef symbol = variable.getName();
  symbol.consume_back(".data");
  std::string name = symbol.starts_with("_Z") ? demangle(symbol) : symbol.str();
  if (StringRef(name).starts_with("shared"))
    return "";
  size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// "4:8,9": the bytes of an element and the extents.
std::string encodeElementAndExtents(Type *type, const DataLayout &layout) {
  std::string extents;
  for (; type->isArrayTy(); type = type->getArrayElementType())
    extents += (extents.empty() ? "" : ",") + std::to_string(type->getArrayNumElements());
  return std::to_string(layout.getTypeAllocSize(type)) + ":" + extents;
}

} // namespace

unsigned addAccessSite(Instruction &access, const Value &object) {
  SourcePosition at = sourcePositionOf(access);
  std::optional<Op> op = calledOp(&access);
  bool isAtomic = op && info(*op).has(ArgMemory);
  SiteInfo site{isAtomic ? "atomic" : "access", "", at.function, at.file, at.line, at.column};
  if (isa<Argument>(object)) {
    site.message = object.getName().str();
  } else if (const auto *variable = dyn_cast<GlobalVariable>(&object)) {
    site.message = sourceNameOf(*variable);
    site.arguments = encodeElementAndExtents(variable->getValueType(), access.getDataLayout());
  } else if (const auto *local = dyn_cast<AllocaInst>(&object)) {
    site.arguments = encodeElementAndExtents(local->getAllocatedType(), access.getDataLayout());
  }
  return addSite(*access.getModule(), site);
}

Value *basePointerOf(Value &address) { return const_cast<Value *>(underlyingObjectOf(address)); }

Value *castToGeneric(IRBuilderBase &b, Value *pointer) {
  return b.CreateAddrSpaceCast(pointer, b.getPtrTy());
}

} // namespace heddle::simt
