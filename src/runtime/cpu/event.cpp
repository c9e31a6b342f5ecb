#include "runtime/cpu/event.h"

#include "runtime/cpu/queue/scheduler.h"
#include "support/diagnostic.h"

namespace heddle::cpu {

CpuEvent &requireCpuEvent(Event &event) {
  if (auto *mine = dynamic_cast<CpuEvent *>(&event))
    return *mine;
  throw CompileError(ErrorKind::Type, "this event belongs to another device, not to the CPU");
}

bool CpuEvent::done() const { return Scheduler::instance().checkDoneForHost(*state_); }

void CpuEvent::synchronize() { Scheduler::instance().synchronize(*state_); }

double CpuEvent::millisecondsSince(const Event &earlier) const {
  const CpuEvent &first = requireCpuEvent(const_cast<Event &>(earlier));
  if (!timing_ || !first.timing_)
    throw CompileError(ErrorKind::Value, "an event was created without timing");
  std::optional<int64_t> nanoseconds =
      Scheduler::instance().nanosecondsBetween(*first.state_, *state_);
  if (!nanoseconds)
    throw CompileError(
        ErrorKind::Value,
        "both events must be recorded and completed: call record() and synchronize() first");
  return double(*nanoseconds) * 1e-6;
}

} // namespace heddle::cpu
