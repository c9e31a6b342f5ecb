#include "simt/check/filter/filter_plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Metadata.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *planName = "simt.filter";
constexpr StringRef kindNames[] = {"argument", "shared", "dynamic"};
constexpr StringRef obstaclePrefix = "obstacle: ", uncertainSuffix = " uncertain";

struct Flag {
  StringRef name;
  bool FilteredObject::*member;
};
constexpr Flag flags[] = {{"read", &FilteredObject::isRead},
                          {"written", &FilteredObject::isWritten},
                          {"updated", &FilteredObject::isUpdated},
                          {"cells", &FilteredObject::needsCells},
                          {"read-cells", &FilteredObject::needsReadCells},
                          {"undefined", &FilteredObject::tracksUndefined}};

std::string formatObject(const FilteredObject &object) {
  std::string text = (kindNames[unsigned(object.kind)] + " " + Twine(object.argument) + " bytes " +
                      Twine(object.bytes) + " bounds " + Twine(object.bounds) + " cell " +
                      Twine(object.cellBytes) + " align " + Twine(object.alignment))
                         .str();
  for (const Flag &flag : flags)
    if (object.*flag.member)
      text += " " + flag.name.str();
  return text;
}

FilteredObject parseObject(StringRef text) {
  SmallVector<StringRef, 12> words;
  text.split(words, ' ');
  FilteredObject object;
  object.kind = FilteredObject::Kind(find(kindNames, words[0]) - std::begin(kindNames));
  to_integer(words[1], object.argument);
  to_integer(words[3], object.bytes);
  to_integer(words[5], object.bounds);
  to_integer(words[7], object.cellBytes);
  to_integer(words[9], object.alignment);
  for (const Flag &flag : flags)
    object.*flag.member = is_contained(words, flag.name);
  return object;
}

} // namespace

unsigned FilterPlan::cellsParameter(size_t object) const {
  unsigned index = parameters + 1;
  for (size_t i = 0; i < object; ++i)
    index += objects[i].needsCells ? parametersPerObject : 0;
  return index;
}

void setFilterPlan(Module &m, const FilterPlan &plan) {
  LLVMContext &c = m.getContext();
  NamedMDNode *table = m.getOrInsertNamedMetadata(planName);
  table->clearOperands();
  auto add = [&](StringRef text) { table->addOperand(MDNode::get(c, MDString::get(c, text))); };
  add(plan.covers() ? utostr(plan.parameters) + (plan.isUncertain ? uncertainSuffix.str() : "")
                    : (obstaclePrefix + plan.obstacle).str());
  for (const FilteredObject &object : plan.objects)
    add(formatObject(object));
}

std::optional<FilterPlan> filterPlanOf(const Module &m) {
  const NamedMDNode *table = m.getNamedMetadata(planName);
  if (!table)
    return std::nullopt;
  auto line = [&](unsigned i) {
    return cast<MDString>(table->getOperand(i)->getOperand(0))->getString();
  };
  FilterPlan plan;
  StringRef first = line(0);
  if (first.consume_front(obstaclePrefix)) {
    plan.obstacle = first.str();
  } else {
    plan.isUncertain = first.consume_back(uncertainSuffix);
    to_integer(first, plan.parameters);
  }
  for (unsigned i = 1; i < table->getNumOperands(); ++i)
    plan.objects.push_back(parseObject(line(i)));
  return plan;
}

} // namespace heddle::simt
