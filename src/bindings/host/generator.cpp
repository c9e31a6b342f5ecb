#include "bindings/host/generator.h"

#include "bindings/arguments/slots.h"
#include "bindings/host/shared_containers.h"
#include "bindings/interpreter/vectorcall_type.h"
#include "frontend/python/emit/owners.h"

namespace nb = nanobind;

namespace heddle {

HostGenerator::HostGenerator(HostFunction &function, const HostVariant &variant,
                             host::Owner &generator, nb::handle positional, nb::handle named,
                             ArgumentList &arguments, HostValues &others)
    : function_(function), variant_(variant), generator_(generator),
      yielded_(variant.result->element), parts_(slotCount(yielded_)),
      owners_(python::countHostOwners(yielded_)),
      keeps_(nb::make_tuple(nb::find(&function), positional, named ? named : nb::none())) {
  arguments_.takeOver(arguments);
  others_.takeOver(others);
}

HostGenerator::~HostGenerator() { generator_.release(); }

nb::object HostGenerator::next() {
  if (isRunning_)
    throw nb::value_error("generator already executing");
  isRunning_ = true;
  simt::GeneratorStep step;
  KeptArguments kept(arguments_);
  host::Outcome outcome =
      function_.resumeGenerator(variant_, generator_, step, others_.madeByCall());
  isRunning_ = false;
  others_.copyBackLists();
  if (outcome.ending != host::Ending::Returned)
    function_.raise(variant_, outcome);
  if (step == simt::GeneratorEnded)
    return {};
  const uint64_t *values = host::frameOfGenerator(generator_).yielded;
  for (size_t i = 0; i < owners_; ++i) // references for the new object
    if (auto *owner = reinterpret_cast<host::Owner *>(values[parts_ + i]))
      owner->retain();
  return ResultReader(values, arguments_.arrays, arguments_.slots, parts_, others_.lists(),
                      others_.generators())
      .readValue(yielded_, nullptr);
}

namespace {

PyObject *nextValueOf(PyObject *self) {
  return translatePublicExceptions(
      [&] { return nb::inst_ptr<HostGenerator>(self)->next().release().ptr(); });
}

} // namespace

void bindGenerators(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
      {Py_tp_iternext, reinterpret_cast<void *>(nextValueOf)},
      {0, nullptr},
  };
  nb::class_<HostGenerator>(m, "HostGenerator", nb::type_slots(slots),
                            "The iterator returned by an njit function with yield.");
}

} // namespace heddle
