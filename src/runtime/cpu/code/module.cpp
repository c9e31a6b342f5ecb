#include "runtime/cpu/code/module.h"
#include "codegen/host_target.h"

#include "frontend/ptx/lower_inline_ptx.h"
#include "runtime/cpu/check/heap_blocks.h"
#include "runtime/disk_cache.h"
#include "runtime/packed_bytes.h"
#include "simt/check/checking.h"
#include "simt/ir/bitcode.h"
#include "simt/ir/verifier.h"
#include "simt/thresholds.h"
#include "support/compiler_run.h"
#include "support/deep_stack.h"
#include "support/diagnostic.h"
#include "support/hash.h"
#include "support/os/files.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace heddle::cpu {

namespace {

/// Leaves enough of a worker's deep stack for calls.
constexpr uint32_t maxLocalBytes = 48u << 20;
/// Stack for compiling during a launch.
constexpr size_t compilerStackBytes = size_t(3) << 20;
/// A block shape other than the first launch's gets a specialized form after this many launches.
constexpr uint64_t launchesBeforeFixedForm = 10;
/// A launch counts once more for each such period that it takes, because specialization pays off earlier.
constexpr uint64_t nanosecondsOfLaunch = 2000000;
/// Limit on the number of block shapes with launch counts. The counts restart when there are more.
constexpr size_t maxCountedShapes = 64;

/// Identifies the thread groups that code is compiled for: launches with equal numbers share code.
uint64_t threadGroupsKey(const CompileOptions &options, simt::ThreadOrder order) {
  GroupChoices groups = chooseGroupsOfEachKind(options.launch, order, makeGroupRules(options));
  return groups.rows.groupingKindIndex() * ThreadGroups::kinds + groups.warps.groupingKindIndex();
}

/// Identifies the block shape of code compiled for one shape; 0 for other code.
uint64_t blockShapeKey(const CompileOptions &options) {
  auto [x, y, z] = options.launch.block; // each at most 1024
  return options.fixedBlock ? (uint64_t(x) << 32) + (uint64_t(y) << 16) + z : 0;
}

/// Hashes everything that the object file depends on. `kernel` is the only kernel in it; empty for all kernels.
std::string cacheKey(const std::string &bitcode, const CompileOptions &options,
                     std::string_view kernel) {
  static const std::string compiler = HEDDLE_VERSION " " LLVM_VERSION_STRING " " + os::codeStamp();
  return Hash()
      .add(bitcode)
      .add(describeHostTarget())
      .add(compiler)
      .add(thresholds::describeChanges())
      .add(uint64_t(abiVersion))
      .add(uint64_t(options.debug))
      .add(uint64_t(options.optimize))
      .add(uint64_t(options.fastMath))
      .add(uint64_t(options.contract))
      .add(uint64_t(options.maxRegisters))
      .add(uint64_t(options.width))
      .add(uint64_t(options.reorder))
      .add(uint64_t(options.bounds))
      .add(uint64_t(options.fixedBlock))
      .add(blockShapeKey(options))
      .add(threadGroupsKey(options, simt::ThreadOrder::AlongX))
      .add(threadGroupsKey(options, simt::ThreadOrder::AlongY))
      .add(threadGroupsKey(options, simt::ThreadOrder::AlongZ))
      .add(kernel)
      .hex();
}

/// The kernel's launch bounds: those of cuda.jit(launch_bounds=), or those in its source.
uint32_t maxThreadsPerBlockOf(const llvm::Function &kernel, const CompileOptions &options) {
  uint64_t most = options.launchBounds[0];
  if (!most) {
    llvm::StringRef extents = kernel.getFnAttribute("nvvm.maxntid").getValueAsString(), extent;
    for (most = extents.empty() ? 0 : 1; !extents.empty();) {
      uint32_t n = 0;
      std::tie(extent, extents) = extents.split(',');
      most *= extent.trim().getAsInteger(10, n) ? 1 : n;
    }
  }
  uint64_t limit = LaunchLimits().maxThreadsPerBlock;
  return uint32_t(most ? std::min(most, limit) : limit);
}

/// $HEDDLE_WIDTH; 0 if it is not a valid width.
unsigned vectorWidthFromEnvironment() {
  unsigned width = 0;
  if (const char *text = std::getenv("HEDDLE_WIDTH"); text && *text)
    llvm::StringRef(text).getAsInteger(10, width);
  return isValidWidth(width) ? width : 0;
}

std::string packObject(const CompiledObject &object) {
  PackedWriter w;
  w.add(std::string_view(object.file->getBuffer()));
  w.add(uint64_t(object.remarks.size()));
  for (const std::string &remark : object.remarks)
    w.add(remark);
  return w.take();
}

std::optional<CompiledObject> unpackObject(std::string_view bytes, const std::string &name) {
  PackedReader r(bytes);
  CompiledObject object{llvm::MemoryBuffer::getMemBufferCopy(r.readText(), name), {}};
  for (uint64_t n = r.readNumber(); n && r.isGood(); --n)
    object.remarks.push_back(r.readText());
  if (!r.atEnd())
    return std::nullopt;
  return object;
}

simt::LaunchFacts launchFactsOfShape(const LaunchShape &shape) {
  const Dim3 &grid = shape.grid, &block = shape.block;
  auto isSmall = [](uint64_t blocks, uint64_t threads) { return blocks * threads <= INT32_MAX; };
  return {.block = {block.x, block.y, block.z},
          .gridIsFlat = {grid.x == 1, grid.y == 1, grid.z == 1},
          .hasSmallIndices =
              isSmall(grid.x, block.x) && isSmall(grid.y, block.y) && isSmall(grid.z, block.z)};
}

} // namespace

CpuKernel::CpuKernel(CpuModule &module, std::string name, uint32_t maxThreads,
                     const KernelEntry &entry)
    : module_(module), name_(std::move(name)), maxThreads_(maxThreads), entry_(entry) {
  if (entry_.blockDim[0]) {
    fixedForms_[0] = &entry_;
    return;
  }
  latestForm_ = &entry_;
  forms_[groupsForLaunch(module.options().launch, entry_.grouped).groupingKindIndex()] = &entry_;
}

ThreadGroups CpuKernel::groupsForLaunch(const LaunchExtents &launch, Grouped grouped) const {
  GroupChoices choices = chooseGroupsOfEachKind(launch, entry_.order, module_.groupRules());
  switch (grouped) {
  case Grouped::ByRows:
    return choices.rows;
  case Grouped::ByWarps:
    return choices.warps;
  case Grouped::ByWideRows:
    return choices.wideRows;
  case Grouped::No:
    break;
  }
  return {};
}

const KernelEntry &CpuKernel::findOrCompileEntry(const LaunchShape &shape) {
  LaunchExtents launch = shape.extents();
  if (const KernelEntry *own = findFormForBlockShape(launch))
    return *own;
  if (const KernelEntry *own = compileFixedFormIfFrequent(shape))
    return *own;
  const KernelEntry *any = latestForm_.load(std::memory_order_acquire), *entry = nullptr;
  if (any)
    entry = forms_[groupsForLaunch(launch, any->grouped).groupingKindIndex()].load(
        std::memory_order_acquire);
  if (!entry) {
    entry = &module_.compileForm(name_, launch, /*fixedBlock=*/false);
    forms_[groupsForLaunch(launch, entry->grouped).groupingKindIndex()].store(
        entry, std::memory_order_release);
    latestForm_.store(entry, std::memory_order_release);
  }
  return *entry;
}

const CpuKernel::ExactForm &CpuKernel::getOrCompileFullCheckForm() {
  std::lock_guard lock(checkedFormsMutex_);
  if (!exactForm_.entry)
    exactForm_ = module_.compileFormWithChecks(name_, Checks::Exact);
  return exactForm_;
}

const CpuKernel::ExactForm &CpuKernel::getOrCompileTracedForm() {
  std::lock_guard lock(checkedFormsMutex_);
  if (!tracedForm_.entry)
    tracedForm_ = module_.compileFormWithChecks(name_, Checks::Trace);
  return tracedForm_;
}

std::optional<std::vector<simt::StaticLint>>
CpuKernel::prepareLintsIfWanted(const LaunchShape &shape) {
  KernelLintCache::Wanted wanted = lints_.recordShapeAndSelectLints(simt::lintingCheck, shape);
  if (wanted == KernelLintCache::Wanted::None)
    return std::nullopt;
  try {
    getOrCompileFullCheckForm();
    if (wanted == KernelLintCache::Wanted::OfLaunch)
      return std::vector<simt::StaticLint>();
    return lints_.getOrFindStaticLints([&] { return module_.findStaticLints(name_); });
  } catch (const CompileError &) { // of code that only the checks have
    return std::nullopt;
  }
}

const CpuKernel::FilterForm *CpuKernel::findOrCompileRaceFilterForm(const LaunchShape &shape,
                                                                    uint64_t trackedArguments) {
  std::lock_guard lock(checkedFormsMutex_);
  simt::LaunchFacts facts = launchFactsOfShape(shape);
  facts.trackedArguments = trackedArguments;
  facts.allowsConditions = allowsProofConditions_;
  if (!filterForms_.empty() && !filterForms_.begin()->second.plan.covers())
    return nullptr; // obstacles do not depend on the launch
  auto found = filterForms_.find(facts);
  if (found == filterForms_.end()) // a compilation that throws leaves no form
    found = filterForms_.emplace(facts, module_.compileRaceFilterForm(name_, shape, facts)).first;
  const FilterForm &form = found->second;
  return form.plan.covers() ? &form : nullptr;
}

const KernelEntry *CpuKernel::findFormForBlockShape(const LaunchExtents &launch) const {
  std::array<uint32_t, 3> block = simt::launchExtents(launch.block, entry_.order);
  for (const auto &form : fixedForms_) {
    const KernelEntry *entry = form.load(std::memory_order_acquire);
    if (!entry)
      return nullptr;
    if (std::ranges::equal(entry->blockDim, block) &&
        entry->width == groupsForLaunch(launch, entry->grouped).width) // huge grids have no groups
      return entry;
  }
  return nullptr;
}

const KernelEntry *CpuKernel::compileFixedFormIfFrequent(const LaunchShape &shape) {
  if (!module_.compilesFixedBlocks() || fixedForms_.back().load(std::memory_order_relaxed))
    return nullptr;
  // Never wait for the lock: in a forked child its owner may not exist. The launch is then not counted.
  std::unique_lock lock(fixedFormsMutex_, std::try_to_lock);
  if (!lock)
    return nullptr;
  LaunchExtents launch = shape.extents();
  if (const KernelEntry *own = findFormForBlockShape(launch))
    return own;
  if (launches_.size() > maxCountedShapes)
    launches_.clear();
  uint64_t nanoseconds = estimatedNanoseconds(shape.grid.count() * shape.block.count()).value_or(0);
  uint64_t &launches = launches_[launch.block];
  launches += 1 + nanoseconds / nanosecondsOfLaunch;
  if (launches < launchesBeforeFixedForm)
    return nullptr;
  launches_.erase(launch.block);
  for (auto &form : fixedForms_)
    if (!form.load(std::memory_order_relaxed)) {
      const KernelEntry &entry = module_.compileForm(name_, launch, /*fixedBlock=*/true);
      form.store(&entry, std::memory_order_release);
      return &entry;
    }
  return nullptr;
}

const std::vector<simt::SiteInfo> &CpuKernel::sites() const { return module_.sites(); }

std::optional<uint64_t> CpuKernel::estimatedNanoseconds(uint64_t threads) const {
  uint64_t each = picosecondsPerThread_.load(std::memory_order_relaxed);
  if (!each)
    return std::nullopt;
  return uint64_t(double(each) * double(threads) / 1000);
}

void CpuKernel::recordRunTime(uint64_t nanoseconds, uint64_t threads) {
  uint64_t sample = uint64_t(double(nanoseconds) * 1000 / double(threads)) + 1;
  uint64_t old = picosecondsPerThread_.load(std::memory_order_relaxed);
  picosecondsPerThread_.store(old ? old / 2 + sample / 2 + 1 : sample, std::memory_order_relaxed);
}

CpuModule::Contents CpuModule::collectKernelsAndVariables(const llvm::Module &module,
                                                          const CompileOptions &options) {
  Contents contents;
  for (const llvm::Function &f : module)
    if (!f.isDeclaration() && f.hasFnAttribute(simt::kernelAttribute))
      contents.kernels.push_back({f.getName().str(), maxThreadsPerBlockOf(f, options)});
  for (const llvm::GlobalVariable &g : module.globals())
    if (simt::isModuleVariable(g))
      contents.variables.push_back(
          {g.getName().str(), module.getDataLayout().getTypeAllocSize(g.getValueType())});
  return contents;
}

std::shared_ptr<CpuModule> CpuModule::load(simt::OwnedModule code, const CompileOptions &asked) {
  std::shared_ptr<CpuModule> loaded(new CpuModule);
  loaded->options_ = asked;
  const CompileOptions &options = loaded->options_;
  if (!asked.width)
    loaded->options_.width = vectorWidthFromEnvironment();
  loaded->rules_ = cpu::makeGroupRules(options);
  Contents contents;
  std::tie(code, contents, loaded->sites_, loaded->bitcode_) =
      runCompiler("reading SIMT IR", [&options, code = std::move(code)]() mutable {
        llvm::Module &module = *code.module;
        ptx::translateInlinePtx(module); // runs first, because it adds sites
        return std::tuple(std::move(code), collectKernelsAndVariables(module, options),
                          simt::sitesOf(module), simt::bitcodeOf(module));
      });
  loaded->options_.fixedBlock =
      contents.kernels.size() == 1 && asked.launch.gridThreadsX && loaded->compilesFixedBlocks();
  loaded->fromCache_ = loaded->linkCachedOrCompile(
      options, "",
      // NOLINTNEXTLINE(bugprone-use-after-move): std::tie has assigned it again.
      [&options, code = std::move(code)] { return compileToObject(*code.module, options); },
      [&](CompiledObject object) { loaded->linkWholeModule(std::move(object), contents); });
  return loaded;
}

std::vector<std::string> CpuModule::kernelNames() const {
  std::vector<std::string> names;
  for (const auto &[name, kernel] : kernels_)
    names.push_back(name);
  return names;
}

bool CpuModule::linkCachedOrCompile(const CompileOptions &options, const std::string &kernel,
                                    llvm::unique_function<CompiledObject()> compile,
                                    llvm::function_ref<void(CompiledObject)> link) const {
  std::optional<DiskCache> cache;
  std::string key;
  if (options.cache) {
    cache = DiskCache::forKernels();
    key = cacheKey(bitcode_, options, kernel);
    std::optional<std::string> bytes = cache->read(key);
    if (std::optional<CompiledObject> object = bytes ? unpackObject(*bytes, key) : std::nullopt) {
      try {
        link(std::move(*object));
        return true;
      } catch (const CompileError &) {
        // Treat an object that does not link as a cache miss.
      }
    }
  }
  CompiledObject object = runCompiler("compiling for the CPU", std::move(compile));
  std::string packed = cache ? packObject(object) : "";
  link(std::move(object));
  if (cache)
    cache->write(key, packed, {kernel.empty() ? kernelNames() : std::vector{kernel}, "cpu"});
  return false;
}

const KernelEntry &CpuModule::compileForm(const std::string &kernel, const LaunchExtents &launch,
                                          bool fixedBlock) {
  CompileOptions options = options_;
  options.launch = launch;
  options.fixedBlock = fixedBlock;
  const KernelEntry *entry = nullptr;
  auto compile = [this, &options, &kernel] { return compileKernel(kernel, options); };
  auto link = [&](CompiledObject object) { entry = &linkForm(std::move(object), kernel); };
  runWithStack(compilerStackBytes, [&] { linkCachedOrCompile(options, kernel, compile, link); });
  return *entry;
}

CpuKernel::ExactForm CpuModule::compileFormWithChecks(const std::string &kernel, Checks checks) {
  CompileOptions options = options_;
  options.checks = checks;
  options.fixedBlock = options.cache = false; // the cache does not keep sites
  options.width = 1;
  CpuKernel::ExactForm form;
  auto compile = [&] { return compileKernel(kernel, options, &form.sites); };
  runWithStack(compilerStackBytes, [&] {
    form.entry = &linkForm(runCompiler("compiling checks for the CPU", compile), kernel);
  });
  return form;
}

std::vector<simt::StaticLint> CpuModule::findStaticLints(const std::string &kernel) const {
  std::vector<simt::StaticLint> lints;
  auto find = [&] {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parseBitcode(context);
    extractKernel(*module, kernel);
    lints = simt::findStaticLints(*module);
  };
  runWithStack(compilerStackBytes, [&] { runCompiler("looking for lints", find); });
  return lints;
}

CpuKernel::FilterForm CpuModule::compileRaceFilterForm(const std::string &kernel,
                                                       const LaunchShape &shape,
                                                       const simt::LaunchFacts &facts) {
  CompileOptions options = options_;
  options.checks = Checks::Filter;
  options.launch = shape.extents();
  options.fixedBlock = true;
  options.cache = false; // the cache does not keep plans
  CpuKernel::FilterForm form;
  auto compile = [&]() -> std::optional<CompiledObject> {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = parseBitcode(context);
    extractKernel(*module, kernel);
    form.plan = addRaceFilter(*module, facts);
    if (!form.plan.covers())
      return std::nullopt;
    return compileToObject(*module, options);
  };
  runWithStack(compilerStackBytes, [&] {
    if (auto object = runCompiler("compiling checks for the CPU", compile))
      form.entry = &linkForm(std::move(*object), kernel);
  });
  return form;
}

CompiledObject CpuModule::compileKernel(const std::string &kernel, const CompileOptions &options,
                                        std::vector<simt::SiteInfo> *sites) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parseBitcode(context);
  extractKernel(*module, kernel);
  CompiledObject object = compileToObject(*module, options);
  if (sites)
    *sites = simt::sitesOf(*module);
  return object;
}

const KernelEntry &CpuModule::linkForm(CompiledObject object, const std::string &kernel) {
  std::vector<std::string> names;
  for (const auto &[name, variable] : variables_)
    names.push_back(name + ".data");
  std::vector<HostFunction> own;
  for (size_t i = 0; const auto &[name, variable] : variables_)
    own.push_back({names[i++].c_str(), variable.address});
  Jit::Linked linked = Jit::link(std::move(object.file), {kernel + ".entry"}, own);
  addCompiledForm(linked.code, std::move(object.remarks));
  return *static_cast<const KernelEntry *>(linked.addresses.front());
}

void CpuModule::linkWholeModule(CompiledObject object, const Contents &contents) {
  unload();
  std::vector<std::string> symbols;
  for (const Contents::KernelName &kernel : contents.kernels)
    symbols.push_back(kernel.name + ".entry");
  for (const Contents::VariableName &variable : contents.variables)
    symbols.push_back(variable.name + ".data");
  Jit::Linked linked = Jit::link(std::move(object.file), symbols);
  addCompiledForm(linked.code, std::move(object.remarks));
  auto next = linked.addresses.begin();
  for (const auto &[name, maxThreads] : contents.kernels) {
    const auto &entry = *static_cast<const KernelEntry *>(*next++);
    if (entry.version != abiVersion || !entry.block == !entry.thread)
      throw CompileError(ErrorKind::Internal,
                         "kernel " + name + " was compiled for another runtime");
    if (entry.localBytes > maxLocalBytes)
      throw CompileError(ErrorKind::Lowering,
                         "kernel " + name + " takes " + std::to_string(entry.localBytes) +
                             " bytes of local memory per thread: this device has at most " +
                             std::to_string(maxLocalBytes));
    kernels_[name] = std::make_unique<CpuKernel>(*this, name, maxThreads, entry);
  }
  for (const auto &[name, bytes] : contents.variables)
    variables_[name] = {*next++, bytes};
}

void CpuModule::addCompiledForm(Jit::Code code, std::vector<std::string> remarks) {
  auto *form = new Form{code, std::move(remarks), forms_.load()};
  while (!forms_.compare_exchange_weak(form->next, form))
    ;
}

void CpuModule::unload() {
  kernels_.clear();
  for (const auto &[name, variable] : variables_)
    forgetBlocksOfHeap(reinterpret_cast<uint64_t>(variable.address));
  variables_.clear();
  for (Form *form = forms_.exchange(nullptr); form;) {
    std::unique_ptr<Form> last(form);
    form = form->next;
    last->code.unload();
  }
}

CpuModule::~CpuModule() { unload(); }

std::vector<std::string> CpuModule::remarks() const {
  std::vector<std::string> all;
  for (const Form *form = forms_; form; form = form->next)
    all.insert(all.begin(), form->remarks.begin(), form->remarks.end());
  llvm::StringSet<> told; // forms for different block shapes repeat remarks
  std::erase_if(all, [&](const std::string &remark) { return !told.insert(remark).second; });
  return all;
}

Kernel &CpuModule::kernel(std::string_view name) {
  auto found = kernels_.find(name);
  if (found == kernels_.end())
    throw CompileError(ErrorKind::Value,
                       "there is no kernel named " + std::string(name) + " in this module");
  return *found->second;
}

void *CpuModule::variableAddress(std::string_view symbol) {
  auto found = variables_.find(symbol);
  if (found == variables_.end())
    throw CompileError(ErrorKind::Value,
                       "there is no variable named " + std::string(symbol) + " in this module");
  return found->second.address;
}

const std::pair<const std::string, CpuModule::Variable> *
CpuModule::findVariableAt(uint64_t address) const {
  for (const auto &named : variables_)
    if (address - reinterpret_cast<uint64_t>(named.second.address) < named.second.bytes)
      return &named;
  return nullptr;
}

std::unique_ptr<llvm::Module> CpuModule::parseBitcode(llvm::LLVMContext &context) const {
  llvm::MemoryBufferRef buffer(bitcode_, "heddle");
  auto module = llvm::parseBitcodeFile(buffer, context);
  if (!module)
    throw CompileError(ErrorKind::Internal,
                       "reading a module back: " + llvm::toString(module.takeError()));
  return std::move(*module);
}

std::string CpuModule::assembly() {
  return runCompiler("compiling for the CPU", [this] {
    llvm::LLVMContext context;
    return compileToAssembly(*parseBitcode(context), options_);
  });
}

} // namespace heddle::cpu
