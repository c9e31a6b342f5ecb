#include "backend/cpu/abi/plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <tuple>

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr const char *planAttribute = "cpu.plan";
constexpr StringRef separator = "; ";

// In the order of the enumerators. The first name of each is never written.
constexpr StringRef groupedNames[] = {"", "rows", "warps", "wide rows"};
constexpr StringRef barrierNames[] = {"", "regions", "coroutines"};
constexpr StringRef runNames[] = {"", "x", "y"};

/// Writes fields that differ from the default plan's as "name=value", and true ones as "name".
class PlanWriter {
public:
  std::string text;

  void operator()(StringRef name, bool flag) {
    if (flag)
      writeField(name);
  }
  template <typename Number>
    requires std::is_integral_v<Number>
  void operator()(StringRef name, Number number, Number absent) {
    if (number != absent)
      writeField(name, std::to_string(number));
  }
  void operator()(StringRef name, char letter, char absent) {
    if (letter != absent)
      writeField(name, StringRef(&letter, 1));
  }
  template <typename Enum, size_t n>
  void operator()(StringRef name, Enum value, const StringRef (&names)[n]) {
    if (unsigned(value))
      writeField(name, names[unsigned(value)]);
  }
  void operator()(StringRef name, const std::optional<std::string> &reason) {
    if (reason)
      writeField(name, *reason);
  }
  void operator()(StringRef name, const std::optional<std::array<uint32_t, 3>> &extents) {
    if (extents)
      writeField(name,
                 join(map_range(*extents, [](uint32_t n) { return std::to_string(n); }), ","));
  }

private:
  void writeField(StringRef name, const Twine &value = {}) {
    std::string written = value.str();
    text += (Twine(text.empty() ? "" : separator) + name + (written.empty() ? "" : "=") + written)
                .str();
  }
};

class PlanReader {
public:
  explicit PlanReader(StringRef text) {
    SmallVector<StringRef> parts;
    text.split(parts, separator, -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      auto [name, value] = part.split('=');
      values_[name] = value;
    }
  }

  void operator()(StringRef name, bool &flag) { flag = values_.contains(name); }
  template <typename Number>
    requires std::is_integral_v<Number>
  void operator()(StringRef name, Number &number, Number) {
    values_.lookup(name).getAsInteger(10, number);
  }
  void operator()(StringRef name, char &letter, char absent) {
    StringRef written = values_.lookup(name);
    letter = written.empty() ? absent : written.front();
  }
  template <typename Enum, size_t n>
  void operator()(StringRef name, Enum &value, const StringRef (&names)[n]) {
    value = Enum(find(names, values_.lookup(name)) - std::begin(names));
  }
  void operator()(StringRef name, std::optional<std::string> &reason) {
    if (auto found = values_.find(name); found != values_.end())
      reason = found->second.str();
  }
  void operator()(StringRef name, std::optional<std::array<uint32_t, 3>> &extents) {
    StringRef text = values_.lookup(name), extent;
    if (text.empty())
      return;
    for (uint32_t &each : extents.emplace()) {
      std::tie(extent, text) = text.split(',');
      extent.getAsInteger(10, each);
    }
  }

private:
  StringMap<StringRef> values_;
};

/// Calls `field` with the name of each field of the plan, the field, and its default or its enumerators' names.
template <typename AnyPlan, typename Field> void visitPlanFields(AnyPlan &plan, Field &field) {
  field("grouped", plan.grouped, groupedNames);
  field("width", plan.groups.width, 1u);
  field("linear", plan.groups.linear);
  field("partial", plan.groups.partial);
  field("axis", plan.axis, 'x');
  field("walks-rows", plan.walksRows);
  field("accesses-columns", plan.accessesColumns);
  field("memory-bound", plan.isMemoryBound);
  field("single", plan.whySingle);
  field("versions.early-exits", plan.versions.earlyExits, 0u);
  field("versions.clamped", plan.versions.clampedAccesses, 0u);
  field("versions.unmasked-branches", plan.versions.unmaskedBranches, 0u);
  field("versions.unmasked-loops", plan.versions.unmaskedLoops, 0u);
  field("block", plan.block);
  field("barriers", plan.barriers, barrierNames);
  field("coroutines", plan.whyCoroutines);
  field("waits-for-warp", plan.waitsForWarp);
  field("waits-for-grid", plan.waitsForGrid);
  field("yields", plan.yields);
  field("runs", plan.runs, runNames);
  field("local-bytes", plan.localBytes, uint64_t(0));
  field("shared-bytes", plan.sharedBytes, uint64_t(0));
}

} // namespace

void Plan::disableGroups(std::string reason) {
  // Groups within one row may pay even if groups across rows do not.
  if (!groups.linear)
    grouped = Grouped::No;
  groups = {};
  walksRows = isMemoryBound = false;
  versions = {};
  whySingle = std::move(reason);
}

std::string Plan::describeGroups() const {
  if (whySingle)
    return "runs one thread at a time: " + *whySingle;
  if (groups.width == 1)
    return "runs one thread at a time: its blocks have few threads";
  std::string width = std::to_string(groups.width);
  std::string text = groups.linear
                         ? "runs " + width + " threads at a time, of one row or several, as vectors"
                         : "runs " + width + " threads along " + axis + " at a time, as vectors";
  if (groups.partial)
    text += groups.linear ? "; the last group is partial" : "; a row's last group is partial";
  return text;
}

std::string Plan::describeBarriers() const {
  return whyCoroutines ? "its threads pass barriers as coroutines: " + *whyCoroutines
                       : "its threads pass barriers together";
}

Plan planOf(const Function &f) {
  Plan plan;
  PlanReader reader(f.getFnAttribute(planAttribute).getValueAsString());
  visitPlanFields(plan, reader);
  return plan;
}

void setPlan(Function &f, const Plan &plan) {
  PlanWriter writer;
  visitPlanFields(plan, writer);
  f.removeFnAttr(planAttribute);
  if (!writer.text.empty())
    f.addFnAttr(planAttribute, writer.text);
}

} // namespace heddle::cpu
