#include "simt_interpreter/interpret.h"

#include "simt/ir/checks.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/verifier.h"
#include "simt_interpreter/grid.h"

#include "llvm/IR/InstIterator.h"

#include <algorithm>

namespace heddle::interpreter {

using namespace llvm;

namespace {

constexpr uint64_t maxThreads = 1 << 16;
/// The data layout if the module has none; the back ends agree on it.
constexpr const char *usualLayout = "e-i64:64-i128:128-n8:16:32:64";

const Function &requireKernel(const Module &module, const std::string &name) {
  const Function *found = nullptr;
  for (const Function &f : module) {
    if (!f.hasFnAttribute(simt::kernelAttribute) || (!name.empty() && f.getName() != name))
      continue;
    if (found)
      throw Failure{FailureKind::Unsupported, "the module has several kernels: name one"};
    found = &f;
  }
  if (!found)
    throw Failure{FailureKind::Unsupported, "the module has no kernel '" + name + "'"};
  return *found;
}

/// The number of parameters that a launch passes: all except the bounds of pointers.
size_t countParameters(const Function &kernel) {
  auto hasBounds = [](const llvm::Argument &a) { return simt::boundsParameterOf(a).has_value(); };
  return kernel.arg_size() - 2 * size_t(count_if(kernel.args(), hasBounds));
}

void checkLaunch(const Launch &launch, const Function &kernel, size_t buffers) {
  uint64_t threads = 1;
  for (const Extents &extents : {launch.grid, launch.block})
    for (uint32_t extent : extents)
      threads = std::min(threads * extent, maxThreads + 1);
  if (threads == 0 || threads > maxThreads)
    throw Failure{FailureKind::Unsupported, "the interpreter runs launches of 1 to " +
                                                std::to_string(maxThreads) + " threads"};
  if (any_of(kernel.args(), [](const llvm::Argument &a) { return simt::structureBytesOf(a) != 0; }))
    throw Failure{FailureKind::Unsupported, "the interpreter passes no structures"};
  size_t parameters = countParameters(kernel);
  if (launch.arguments.size() != parameters)
    throw Failure{FailureKind::Unsupported, "the kernel has " + std::to_string(parameters) +
                                                " parameters, not " +
                                                std::to_string(launch.arguments.size())};
  for (const Argument &argument : launch.arguments)
    if (argument.buffer && *argument.buffer >= buffers)
      throw Failure{FailureKind::Unsupported, "an argument names a buffer that there is not"};
}

/// Fills global and constant memory. Returns the addresses of the buffers; stores those of globals in the state.
std::vector<uint64_t> initializeMemory(LaunchState &state, const Module &module,
                                       const std::vector<Buffer> &buffers,
                                       const std::map<std::string, Buffer> &variables) {
  std::vector<uint64_t> addresses;
  for (const Buffer &buffer : buffers) {
    uint64_t address = state.memory.allocate(state.memory.addRegion(simt::Global), buffer.size());
    state.memory.allocationBytesAt(address) = buffer;
    addresses.push_back(address);
  }
  for (const GlobalVariable &g : module.globals())
    if (g.getAddressSpace() != simt::Shared)
      state.globals[&g] = state.memory.allocate(state.memory.addRegion(g.getAddressSpace()),
                                                state.layout.getTypeAllocSize(g.getValueType()));
  for (auto [global, address] :
       state.globals) { // after all have addresses: initializers may refer to them
    state.memory.initialize(global->getValueType(),
                            evaluateConstant(*global->getInitializer(), state, nullptr), address);
    if (auto given = variables.find(global->getName().str()); given != variables.end()) {
      Buffer &bytes = state.memory.allocationBytesAt(address);
      std::copy_n(given->second.begin(), std::min(bytes.size(), given->second.size()),
                  bytes.begin());
    }
  }
  return addresses;
}

std::vector<Datum> parameterValues(const Launch &launch, const Function &kernel,
                                   const std::vector<uint64_t> &buffers, LaunchState &state) {
  std::vector<Datum> values(kernel.arg_size());
  for (unsigned number = 0; number < launch.arguments.size(); ++number) {
    const llvm::Argument &a = *kernel.getArg(number);
    const Argument &given = launch.arguments[number];
    uint64_t bits = given.value + (given.buffer ? buffers[*given.buffer] : 0);
    values[number] = {APInt(64, bits).trunc(unsigned(state.layout.getTypeSizeInBits(a.getType())))};
    if (std::optional<unsigned> bounds = simt::boundsParameterOf(a)) {
      bool isKnown = given.buffer.has_value();
      uint64_t size = isKnown ? state.memory.allocationBytesAt(buffers[*given.buffer]).size() : 0;
      values[*bounds] = {isKnown ? APInt(64, -given.value) : APInt::getSignedMinValue(64)};
      values[*bounds + 1] = {isKnown ? APInt(64, size - given.value)
                                     : APInt::getSignedMaxValue(64)};
    }
  }
  return values;
}

} // namespace

LaunchState::LaunchState(const Module &module, const Launch &launch)
    : launch(launch),
      layout(module.getDataLayoutStr().empty() ? DataLayout(usualLayout) : module.getDataLayout()),
      random(launch.seed), memory(layout, random), sites(simt::sitesOf(module)) {
  for (const Function &f : module) {
    unsigned count = 0;
    for (const llvm::Argument &a : f.args())
      numbers[&a] = count++;
    for (const Instruction &i : instructions(f))
      if (!i.getType()->isVoidTy())
        numbers[&i] = count++;
    valueCounts[&f] = count;
  }
}

Outcome interpret(const Module &module, const Launch &launch, std::vector<Buffer> &buffers,
                  std::map<std::string, Buffer> &variables) {
  try {
    const Function &kernel = requireKernel(module, launch.kernel);
    checkLaunch(launch, kernel, buffers.size());
    LaunchState state(module, launch);
    std::vector<uint64_t> addresses = initializeMemory(state, module, buffers, variables);
    Grid grid(state, module, kernel, parameterValues(launch, kernel, addresses, state));
    state.outcome.error = grid.run();
    for (size_t i = 0; i < buffers.size(); ++i)
      buffers[i] = state.memory.allocationBytesAt(addresses[i]);
    for (auto [global, address] : state.globals)
      if (simt::isModuleVariable(*global))
        variables[global->getName().str()] = state.memory.allocationBytesAt(address);
    return std::move(state.outcome);
  } catch (const Failure &failure) {
    Outcome refused;
    refused.error = Error{failure};
    return refused;
  }
}

} // namespace heddle::interpreter
