#include "bindings/kernels/launch_values.h"

namespace nb = nanobind;

namespace heddle {

const char *nameOfOperation(cpu::FoundOp op) {
  switch (op) {
  case cpu::FoundOp::Read:
    return "read";
  case cpu::FoundOp::Write:
    return "write";
  case cpu::FoundOp::Atomic:
    return "atomic";
  case cpu::FoundOp::Wait:
    return "wait";
  case cpu::FoundOp::Call:
    return "call";
  case cpu::FoundOp::Divide:
    return "divide";
  case cpu::FoundOp::Allocate:
    return "allocate";
  case cpu::FoundOp::Free:
    return "free";
  case cpu::FoundOp::Compute:
    return "compute";
  case cpu::FoundOp::Branch:
    return "branch";
  }
  return "";
}

nb::tuple tupleOf(const cpu::Index3 &index) { return nb::make_tuple(index[0], index[1], index[2]); }

nb::object tupleOf(const std::optional<cpu::Index3> &index) {
  return index ? nb::object(tupleOf(*index)) : nb::none();
}

nb::object programTextOrNone(const cpu::ProgramText &program) {
  return program.text ? nb::object(nb::str(program.text->c_str())) : nb::none();
}

} // namespace heddle
