#include "simt/ir/sites.h"

#include "simt/ir/source_positions.h"
#include "support/diagnostic.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *tableName = "simt.sites";

[[noreturn]] void throwMalformedSite(unsigned index) {
  throw CompileError(ErrorKind::Internal,
                     "entry " + std::to_string(index) +
                         " of !simt.sites is not {kind, message, function, file, line, column}, "
                         "possibly with arguments and an object");
}

std::string stringOperand(const MDNode &node, unsigned operand, unsigned index) {
  const auto *s = dyn_cast_or_null<MDString>(node.getOperand(operand).get());
  if (!s)
    throwMalformedSite(index);
  return s->getString().str();
}

unsigned integerOperand(const MDNode &node, unsigned operand, unsigned index) {
  const auto *n = mdconst::dyn_extract_or_null<ConstantInt>(node.getOperand(operand));
  if (!n)
    throwMalformedSite(index);
  return unsigned(n->getValue().getLimitedValue(UINT32_MAX));
}

/// Makes the site's entry. Nodes are uniqued, so equal sites are the same node.
MDNode *makeSiteNode(LLVMContext &c, const SiteInfo &site) {
  Type *i32 = Type::getInt32Ty(c);
  auto constant = [&](unsigned v) { return ConstantAsMetadata::get(ConstantInt::get(i32, v)); };
  SmallVector<Metadata *, 8> parts{MDString::get(c, site.kind),
                                   MDString::get(c, site.message),
                                   MDString::get(c, site.function),
                                   MDString::get(c, site.file),
                                   constant(site.line),
                                   constant(site.column)};
  if (!site.arguments.empty() || !site.object.empty())
    parts.push_back(MDString::get(c, site.arguments));
  if (!site.object.empty())
    parts.push_back(MDString::get(c, site.object));
  return MDNode::get(c, parts);
}

SiteInfo makeSite(std::string kind, std::string message, const Instruction &at,
                  std::string object = {}) {
  SourcePosition position = sourcePositionOf(at);
  return {.kind = std::move(kind),
          .message = std::move(message),
          .function = std::move(position.function),
          .file = std::move(position.file),
          .line = position.line,
          .column = position.column,
          .object = std::move(object)};
}

unsigned appendSiteNode(NamedMDNode &table, MDNode &node) {
  table.addOperand(&node);
  return table.getNumOperands() - 1;
}

} // namespace

unsigned addSite(Module &m, const SiteInfo &site) {
  MDNode *node = makeSiteNode(m.getContext(), site);
  NamedMDNode *table = m.getOrInsertNamedMetadata(tableName);
  for (unsigned i = 0; i < table->getNumOperands(); ++i)
    if (table->getOperand(i) == node)
      return i;
  return appendSiteNode(*table, *node);
}

unsigned addSite(std::string kind, std::string message, Instruction &at, std::string object) {
  return addSite(*at.getModule(),
                 makeSite(std::move(kind), std::move(message), at, std::move(object)));
}

unsigned addNewSite(std::string kind, std::string message, Instruction &at) {
  Module &m = *at.getModule();
  MDNode *node = makeSiteNode(m.getContext(), makeSite(std::move(kind), std::move(message), at));
  return appendSiteNode(*m.getOrInsertNamedMetadata(tableName), *node);
}

std::string makeBarrierMessage(StringRef operation, uint64_t number) {
  return number ? (operation + " " + Twine(number)).str() : operation.str();
}

uint32_t barrierNumberOf(const SiteInfo &site) {
  uint32_t number = 0;
  StringRef(site.message).split(' ').second.getAsInteger(10, number);
  return number;
}

std::vector<SiteInfo> sitesOf(const Module &m) {
  std::vector<SiteInfo> sites;
  const NamedMDNode *table = m.getNamedMetadata(tableName);
  if (!table)
    return sites;
  for (const MDNode *node : table->operands()) {
    unsigned i = unsigned(sites.size());
    unsigned parts = node->getNumOperands();
    if (parts < 6 || parts > 8)
      throwMalformedSite(i);
    auto optional = [&](unsigned operand) {
      return operand < parts ? stringOperand(*node, operand, i) : "";
    };
    sites.push_back({stringOperand(*node, 0, i), stringOperand(*node, 1, i),
                     stringOperand(*node, 2, i), stringOperand(*node, 3, i),
                     integerOperand(*node, 4, i), integerOperand(*node, 5, i), optional(6),
                     optional(7)});
  }
  return sites;
}

} // namespace heddle::simt
