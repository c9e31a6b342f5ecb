#include "runtime/cuda/code/driver_jit.h"

#include "runtime/cuda/code/inline_ptx_errors.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdlib>

namespace heddle::cuda {

namespace {

/// JIT options as the driver takes them: two arrays, with values cast to pointers.
class JitOptions {
public:
  JitOptions(const CompileOptions &options, bool hasAtomicLoops) {
    log_[0] = 0;
    add(jit::errorLogBuffer, log_.data());
    add(jit::errorLogBytes, encodeValue(log_.size()));
    if (options.maxRegisters)
      add(jit::maxRegisters, encodeValue(options.maxRegisters));
    if (std::optional<unsigned> level = assemblerLevelFromEnvironment())
      add(jit::optimizationLevel, encodeValue(*level));
    else if (!options.optimize || hasAtomicLoops)
      add(jit::optimizationLevel, encodeValue(options.optimize ? 1 : 0));
    // The driver's assembler accepts debug variables only without optimization.
    if (options.debug && !options.optimize)
      add(jit::generateDebugInfo, encodeValue(1));
    else if (options.lineInfo || options.debug)
      add(jit::generateLineInfo, encodeValue(1));
  }
  JitOptions(const JitOptions &) = delete;

  unsigned count() const { return count_; }
  int *names() { return names_.data(); }
  void **values() { return values_.data(); }
  std::string log() const { return log_.data(); }

private:
  static void *encodeValue(size_t n) { return reinterpret_cast<void *>(n); }
  void add(int name, void *value) {
    names_[count_] = name;
    values_[count_++] = value;
  }

  std::array<char, 8192> log_;
  std::array<int, 8> names_{};
  std::array<void *, 8> values_{};
  unsigned count_ = 0;
};

[[noreturn]] void throwAssemblerError(Context &context, CUresult code, const char *call,
                                      const std::string &ptx, const JitOptions &options) {
  const Driver &driver = context.driver();
  if (code == result::unsupportedPtxVersion || code == result::jitCompilerNotFound ||
      code == result::jitCompilationDisabled)
    throw CompileError(ErrorKind::Lowering, "the driver of " + context.label() +
                                                " cannot compile kernels: " + call + ": " +
                                                driver.nameOfErrorCode(code) + ": " +
                                                driver.descriptionOfErrorCode(code));
  if (code != result::invalidPtx && code != result::noBinaryForGpu)
    context.throwDriverError(code, call);
  std::string log = options.log();
  if (std::string message = findInlinePtxError(ptx, log); !message.empty())
    throw CompileError(ErrorKind::Unsupported, message);
  throw CompileError(ErrorKind::Internal,
                     "the driver rejects the PTX of this kernel: " + std::string(call) + ": " +
                         driver.nameOfErrorCode(code) + (log.empty() ? "" : "\n" + log));
}

/// A link in progress, destroyed with the object.
class Link {
public:
  Link(Context &context, const std::string &ptx, JitOptions &options)
      : context_(context), ptx_(ptx), options_(options) {
    check(
        context.driver().cuLinkCreate(options.count(), options.names(), options.values(), &state_),
        "cuLinkCreate");
  }
  ~Link() { context_.driver().cuLinkDestroy(state_); }
  Link(const Link &) = delete;

  void addPtx() {
    // The size includes the terminating 0.
    check(context_.driver().cuLinkAddData(state_, jit::inputPtx, const_cast<char *>(ptx_.c_str()),
                                          ptx_.size() + 1, "kernel", 0, nullptr, nullptr),
          "cuLinkAddData");
  }
  std::string completeToCubin() {
    void *cubin = nullptr;
    size_t bytes = 0;
    check(context_.driver().cuLinkComplete(state_, &cubin, &bytes), "cuLinkComplete");
    // The link owns the memory.
    return std::string(static_cast<const char *>(cubin), bytes);
  }

private:
  void check(CUresult code, const char *call) {
    if (code != result::success)
      throwAssemblerError(context_, code, call, ptx_, options_);
  }

  Context &context_;
  const std::string &ptx_;
  JitOptions &options_;
  CUlinkState state_ = nullptr;
};

/// Calls the driver's assembler in a guarded run, because it may crash on valid code: the optimizer of ptxas 13.0 does
/// on some loops with barriers and shuffles. After a crash of the linker the driver still works; it loads code under
/// locks that a crash leaves behind.
template <class Assemble> void runDriverAssemblerGuarded(bool loads, const Assemble &assemble) {
  os::Interruption why = runGuardedCompiler(assemble);
  if (!why)
    return;
  bool crashed = loads && why.cause == os::Interruption::Fault;
  if (crashed)
    recordCrashAndSkipExitHandlers();
  throwInterruption(why, "the driver assembled PTX",
                    crashed ? "; no GPU can be used in this process any more\n"
                              "  hint: restart the process, and change the kernel or set "
                              "HEDDLE_PTX_OPTIMIZATION=0"
                            : "");
}

} // namespace

std::optional<unsigned> assemblerLevelFromEnvironment() {
  const char *text = std::getenv("HEDDLE_PTX_OPTIMIZATION");
  unsigned level = 0;
  if (!text || llvm::StringRef(text).getAsInteger(10, level) || level > 4)
    return std::nullopt;
  return level;
}

std::string assembleToCubin(Context &context, const nvptx::Ptx &ptx,
                            const CompileOptions &options) {
  std::string cubin;
  runDriverAssemblerGuarded(/*loads=*/false, [&] {
    JitOptions given(options, ptx.hasAtomicLoops);
    Link link(context, ptx.text, given);
    link.addPtx();
    cubin = link.completeToCubin();
  });
  return cubin;
}

CUmodule loadPtx(Context &context, const nvptx::Ptx &ptx, const CompileOptions &options) {
  CUmodule module = nullptr;
  runDriverAssemblerGuarded(/*loads=*/true, [&] {
    JitOptions given(options, ptx.hasAtomicLoops);
    CUresult code = context.driver().cuModuleLoadDataEx(&module, ptx.text.c_str(), given.count(),
                                                        given.names(), given.values());
    if (code != result::success)
      throwAssemblerError(context, code, "cuModuleLoadDataEx", ptx.text, given);
  });
  return module;
}

CUmodule loadImage(Context &context, const std::string &image, const std::string &name) {
  JitOptions options({}, false);
  CUmodule module = nullptr;
  const Driver &driver = context.driver();
  CUresult code = result::success;
  runDriverAssemblerGuarded(/*loads=*/true, [&] {
    code = driver.cuModuleLoadDataEx(&module, image.c_str(), options.count(), options.names(),
                                     options.values());
  });
  if (code == result::outOfMemory)
    context.throwDriverError(code, "cuModuleLoadDataEx");
  if (code == result::success)
    return module;
  std::string log = options.log();
  throw CompileError(ErrorKind::Value, "the driver of " + context.label() + " does not load " +
                                           name + ": " + driver.nameOfErrorCode(code) + ": " +
                                           driver.descriptionOfErrorCode(code) +
                                           (log.empty() ? "" : "\n" + log));
}

} // namespace heddle::cuda
