// Events of CPU streams.
#pragma once

#include "runtime/cpu/queue/command.h"

namespace heddle::cpu {

class CpuEvent final : public Event {
public:
  explicit CpuEvent(bool timing) : timing_(timing), state_(std::make_shared<EventState>()) {}

  bool done() const override;
  /// Also throws an unreported error of the work before the event.
  void synchronize() override;
  double millisecondsSince(const Event &earlier) const override;
  uint64_t nativeHandle() const override { return reinterpret_cast<uint64_t>(state_.get()); }

  const std::shared_ptr<EventState> &state() const { return state_; }

private:
  bool timing_;
  std::shared_ptr<EventState> state_;
};

/// Throws CompileError (Type) if the event belongs to another device type.
CpuEvent &requireCpuEvent(Event &event);

} // namespace heddle::cpu
