// The inner loop of a ufunc: `void loop(char **data, const intptr_t *dimensions, const intptr_t *steps, void *self)`.
// NumPy calls it, often without the GIL.
//
// Each combination of operand forms in a call has a kernel, compiled on first use. The key is a string: first how the
// operands share memory, then one letter per operand:
//
//     d  no result shares memory with another operand     c  contiguous, in C order
//     e  shared memory holds the same elements            s  the same element in every iteration
//     q  iterations must run in order, on one thread      a  any steps

#include "bindings/kernels/ufunc_loop.h"
#include "bindings/arrays/byte_span.h"
#include "bindings/interpreter/gil.h"
#include "bindings/kernels/kernels.h"
#include "bindings/runtime.h"
#include "runtime/cpu/run_on_calling_thread.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <numeric>

namespace nb = nanobind;

namespace heddle {

namespace {

constexpr uint32_t threadsPerBlock = 1024;
constexpr intptr_t maxIterations = intptr_t(1)
                                   << 30; // iterations per launch: kernels count in 32 bits
constexpr intptr_t minParallelIterations = 1 << 15; // for an elementwise loop

/// An operand of a loop: its element size, and the loop's dimensions that an element extends over.
struct Operand {
  uint32_t bytes;
  std::vector<uint32_t> core;
};

/// The memory of one operand in a call.
struct Place {
  char *data;
  intptr_t step; ///< bytes between iterations
  llvm::SmallVector<intptr_t, 4> extents, strides;
  ByteSpan span; ///< from `data`

  bool sharesMemory(const Place &other) const {
    return data + span.low < other.data + other.span.high &&
           other.data + other.span.low < data + span.high;
  }
};

class UfuncLoop {
public:
  UfuncLoop(std::vector<std::pair<uint32_t, std::vector<uint32_t>>> operands, size_t results,
            bool parallel, nb::callable compile)
      : firstResult_(operands.size() - results), parallel_(parallel), compile_(std::move(compile)) {
    for (auto &[bytes, core] : operands)
      operands_.push_back({bytes, std::move(core)});
  }

  static void runFromNumPy(char **data, const intptr_t *dimensions, const intptr_t *steps,
                           void *self) {
    auto &loop = *static_cast<UfuncLoop *>(self);
    try {
      loop.selectVariantAndLaunch(data, dimensions, steps);
    } catch (const KernelError &error) {
      if (WithGil gil; gil)
        setPythonErrorOfUfunc(error);
    } catch (...) {
      if (WithGil gil; gil)
        setPythonError(std::current_exception());
    }
  }

  /// Finds or compiles the kernel for a form. Does not need the GIL.
  const Variant *findOrCompileVariant(const std::string &form) {
    {
      std::lock_guard lock(mutex_);
      for (const auto &[known, variant] : forms_)
        if (known == form)
          return variant;
    }
    WithGil gil;
    if (!gil)
      return nullptr;
    nb::object made = compile_(form);
    const auto *variant = nb::cast<const Variant *>(made);
    std::lock_guard lock(mutex_);
    held_.push_back(std::move(made));
    forms_.emplace_back(form, variant);
    return variant;
  }

  int visitReferences(visitproc visit, void *arg) const {
    Py_VISIT(compile_.ptr());
    for (const nb::object &held : held_)
      Py_VISIT(held.ptr());
    return 0;
  }

private:
  void selectVariantAndLaunch(char **data, const intptr_t *dimensions, const intptr_t *steps) {
    llvm::SmallVector<Place, 4> places = makeOperandPlaces(data, dimensions, steps);
    const Variant *variant = findOrCompileVariant(encodeLoopForm(places, dimensions[0]));
    if (!variant)
      return;
    bool inOrder = classifyOperandSharing(places, dimensions[0]) == 'q';
    for (intptr_t first = 0; first < dimensions[0]; first += maxIterations) {
      intptr_t iterations = std::min(dimensions[0] - first, maxIterations);
      launch(*variant, places, iterations, inOrder);
      for (Place &place : places)
        place.data += iterations * place.step;
    }
  }

  llvm::SmallVector<Place, 4> makeOperandPlaces(char **data, const intptr_t *dimensions,
                                                const intptr_t *steps) const {
    llvm::SmallVector<Place, 4> places;
    const intptr_t *coreStrides = steps + operands_.size();
    for (size_t i = 0; i < operands_.size(); ++i) {
      Place place{data[i], steps[i], {}, {}, {0, operands_[i].bytes}};
      place.span.addAxis(dimensions[0], steps[i]);
      for (uint32_t dimension : operands_[i].core) {
        place.extents.push_back(dimensions[1 + dimension]);
        place.strides.push_back(*coreStrides++);
        place.span.addAxis(place.extents.back(), place.strides.back());
      }
      places.push_back(std::move(place));
    }
    return places;
  }

  /// The first letter of the form: how the operands share memory.
  char classifyOperandSharing(llvm::ArrayRef<Place> places, intptr_t iterations) const {
    char found = 'd';
    for (size_t result = firstResult_; result < places.size(); ++result) {
      if (iterations > 1 && !places[result].step)
        return 'q';
      for (size_t other = 0; other < places.size(); ++other) {
        if (other == result || !places[result].sharesMemory(places[other]))
          continue;
        bool same = places[result].data == places[other].data &&
                    places[result].step == places[other].step && places[other].extents.empty() &&
                    places[result].extents.empty();
        if (!same && iterations > 1)
          return 'q';
        found = 'e';
      }
    }
    return found;
  }

  std::string encodeLoopForm(llvm::ArrayRef<Place> places, intptr_t iterations) const {
    char shared = classifyOperandSharing(places, iterations);
    std::string form(1, shared);
    for (size_t i = 0; i < places.size(); ++i) {
      if (shared == 'q')
        form += 'a';
      else if (isContiguous(places[i], operands_[i].bytes, iterations))
        form += 'c';
      else
        form += places[i].extents.empty() && !places[i].step && i < firstResult_ ? 's' : 'a';
    }
    return form;
  }

  static bool isContiguous(const Place &place, intptr_t bytes, intptr_t iterations) {
    for (size_t axis = place.extents.size(); axis-- > 0;) {
      if (place.strides[axis] != bytes && place.extents[axis] > 1)
        return false;
      bytes *= place.extents[axis];
    }
    return place.step == bytes || iterations == 1;
  }

  void launch(const Variant &variant, llvm::ArrayRef<Place> places, intptr_t iterations,
              bool inOrder) {
    llvm::SmallVector<uint64_t, 16> slots;
    for (const Place &place : places) {
      slots.push_back(reinterpret_cast<uint64_t>(place.data));
      slots.push_back(iterations);
      slots.append(place.extents.begin(), place.extents.end());
      slots.push_back(place.step);
      slots.append(place.strides.begin(), place.strides.end());
    }
    LaunchShape shape;
    bool spread = !inOrder && shouldRunInParallel(places, iterations);
    if (!inOrder) {
      shape.block.x =
          std::clamp<uint64_t>(spread ? iterations / 64 : iterations, 1, threadsPerBlock);
      shape.grid.x = (iterations + shape.block.x - 1) / shape.block.x;
    }
    if (!spread && cpu::runOnCallingThread(*variant.kernel, shape, slots.data()))
      return;
    Stream &stream = getOrCreateThreadStream(*variant.device);
    stream.launch(*variant.kernel, shape, slots, nullptr);
    stream.synchronize();
  }

  /// True if a call is large enough for the device's threads.
  bool shouldRunInParallel(llvm::ArrayRef<Place> places, intptr_t iterations) const {
    uint64_t work = 1;
    for (const Place &place : places)
      work = std::max(work, std::accumulate(place.extents.begin(), place.extents.end(), uint64_t(1),
                                            std::multiplies<>()));
    return parallel_ && iterations > 1 && work * iterations >= uint64_t(minParallelIterations);
  }

  /// A stream per calling thread, whose work does not wait for that of other threads.
  static Stream &getOrCreateThreadStream(Device &device) {
    thread_local std::shared_ptr<Stream> stream = device.createStream(StreamKind::NonBlocking);
    return *stream;
  }

  std::vector<Operand> operands_;
  size_t firstResult_;
  bool parallel_;
  nb::callable compile_;
  std::mutex mutex_; ///< guards the members below
  std::deque<std::pair<std::string, const Variant *>> forms_;
  std::vector<nb::object> held_;
};

int traverseUfunc(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<UfuncLoop>(self)->visitReferences(visit, arg) : 0;
}

} // namespace

void bindUfuncLoops(nb::module_ &m) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseUfunc)},
                                {0, nullptr}};
  nb::class_<UfuncLoop>(m, "UfuncLoop", nb::type_slots(slots), "The inner loop of a NumPy ufunc.")
      .def(nb::init<std::vector<std::pair<uint32_t, std::vector<uint32_t>>>, size_t, bool,
                    nb::callable>(),
           nb::arg("operands"), nb::arg("results"), nb::arg("parallel"), nb::arg("compile"),
           "operands: for each operand its element size in bytes and its dimensions. compile: "
           "returns the Variant for a form.")
      .def(
          "prepare",
          [](UfuncLoop &loop, const std::string &form) { loop.findOrCompileVariant(form); },
          nb::arg("form"))
      .def_prop_ro_static(
          "function",
          [](nb::handle) { return reinterpret_cast<uintptr_t>(&UfuncLoop::runFromNumPy); })
      .def_prop_ro("data", [](UfuncLoop &loop) { return reinterpret_cast<uintptr_t>(&loop); });
}

} // namespace heddle
