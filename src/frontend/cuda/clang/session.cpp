#include "frontend/cuda/clang/session.h"

#include "frontend/cuda/clang/check_declarations.h"
#include "frontend/cuda/clang/device_headers.h"
#include "frontend/cuda/clang/explain.h"
#include "frontend/cuda/libraries.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace heddle::cudacpp {

using namespace clang;

namespace {

constexpr const char *prelude = "/heddle/include/heddle/prelude.h";
constexpr const char *readAhead = "/heddle/include/heddle/read_ahead.h";
constexpr const char *macrosFile = "/heddle/include/heddle/macros.h";
constexpr const char *parsedPreludeFile = "/heddle/prelude.pch";

/// The language standard for Clang. C++11 programs are read as C++14, apart from __cplusplus, and have no precompiled
/// prelude.
std::string clangStandard(const Options &options) {
  return options.standard == "c++11" ? "c++14" : options.standard;
}

/// The macros from the options as a file. It is included after the prelude, whose names they would otherwise change.
std::string makeMacroFile(const Options &options) {
  std::string text;
  if (options.standard == "c++11")
    text = "#pragma clang diagnostic ignored \"-Wbuiltin-macro-redefined\"\n"
           "#undef __cplusplus\n#define __cplusplus 201103L\n";
  for (llvm::StringRef macro : options.macros) {
    auto [name, value] = macro.drop_front(2).split('=');
    text += "#undef " + name.take_until([](char c) { return c == '('; }).str() + "\n";
    if (macro.starts_with("-D"))
      text += "#define " + name.str() + " " +
              (macro.contains('=') ? value.take_until([](char c) { return c == '\n'; }).str()
                                   : std::string("1")) +
              "\n";
  }
  return text;
}

/// A standard header that includes libcu++'s version.
std::string makeLibcuHeader(llvm::StringRef name) {
  std::string theirs = "<cuda/std/" + name.str() + ">";
  return "#pragma once\n#if __has_include(" + theirs + ")\n#include " + theirs +
         "\n#endif\nnamespace std { using namespace ::cuda::std; }\n";
}

/// A replacement for <cub/cub.cuh> with the headers that kernels can use. The others are host-only.
std::string makeCubHeader() {
  std::string text = "#pragma once\n";
  for (const char *name : {"thread/thread_load",
                           "thread/thread_operators",
                           "thread/thread_reduce",
                           "thread/thread_scan",
                           "thread/thread_search",
                           "thread/thread_store",
                           "warp/warp_exchange",
                           "warp/warp_load",
                           "warp/warp_merge_sort",
                           "warp/warp_reduce",
                           "warp/warp_scan",
                           "warp/warp_store",
                           "block/block_adjacent_difference",
                           "block/block_discontinuity",
                           "block/block_exchange",
                           "block/block_histogram",
                           "block/block_load",
                           "block/block_merge_sort",
                           "block/block_radix_rank",
                           "block/block_radix_sort",
                           "block/block_reduce",
                           "block/block_run_length_decode",
                           "block/block_scan",
                           "block/block_shuffle",
                           "block/block_store"}) {
    std::string header = std::string("<cub/") + name + ".cuh>";
    text += "#if __has_include(" + header + ")\n#include " + header + "\n#endif\n";
  }
  return text;
}

/// libcu++'s barriers and pipelines consist of GPU instructions, and have constructors that cannot run for shared
/// memory; its annotated pointers need builtins of nvcc. Programs get Heddle's versions instead.
constexpr llvm::StringRef insteadOfLibraries[] = {"cuda/annotated_ptr", "cuda/barrier",
                                                  "cuda/pipeline", "cuda/std/barrier"};

/// The embedded headers, and also the disk if the options name folders.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
makeFileSystem(const std::string &source, const std::string &file, const Options &options) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  bool usesDisk = !options.includeFolders.empty() || !options.includeFiles.empty() ||
                  !options.librariesFolder.empty();
  auto disk = usesDisk ? llvm::vfs::createPhysicalFileSystem() : nullptr;
  // Make relative paths mean the same in both file systems.
  if (usesDisk)
    if (llvm::ErrorOr<std::string> folder = disk->getCurrentWorkingDirectory())
      memory->setCurrentWorkingDirectory(*folder);
  if (!options.librariesFolder.empty()) {
    for (llvm::StringRef name : libcuHeaderNames())
      memory->addFile(headerFolder + name.str(), 0,
                      llvm::MemoryBuffer::getMemBufferCopy(makeLibcuHeader(name), name));
    memory->addFile(options.librariesFolder + "/cub/cub.cuh", 0,
                    llvm::MemoryBuffer::getMemBufferCopy(makeCubHeader(), "cub/cub.cuh"));
  }
  for (const Header &header : embeddedHeaders())
    if (!options.librariesFolder.empty() && llvm::is_contained(insteadOfLibraries, header.path))
      memory->addFile(options.librariesFolder + "/" + header.path.str(), 0,
                      llvm::MemoryBuffer::getMemBuffer(header.text, header.path));
  for (const Header &header : embeddedHeaders()) // an existing file is not replaced
    memory->addFile(headerFolder + header.path.str(), 0,
                    llvm::MemoryBuffer::getMemBuffer(header.text, header.path));
  if (llvm::StringRef parsed = parsedPrelude(clangStandard(options)); !parsed.empty())
    memory->addFile(parsedPreludeFile, 0,
                    llvm::MemoryBuffer::getMemBuffer(parsed, parsedPreludeFile,
                                                     /*RequiresNullTerminator=*/false));
  memory->addFile(macrosFile, 0,
                  llvm::MemoryBuffer::getMemBufferCopy(makeMacroFile(options), macrosFile));
  memory->addFile(file, 0, llvm::MemoryBuffer::getMemBufferCopy(source, file));
  if (!usesDisk)
    return memory;
  auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(disk));
  both->pushOverlay(memory);
  return both;
}

/// Arguments that the precompiled prelude and its users must share.
std::vector<std::string> commonClangArguments(const std::string &standard) {
  return {
      "-triple",
      "nvptx64-nvidia-cuda",
      "-aux-triple",
      "x86_64-unknown-linux-gnu",
      "-target-cpu",
      "sm_75",
      "-x",
      "cuda",
      "-std=" + standard,
      "-fcuda-is-device",
      "-fdeclspec",
      "-Wno-c++11-narrowing", // an error that NVRTC does not make
      "-fno-builtin",
      "-fno-strict-float-cast-overflow", // saturates, as GPUs do; see widenConversions
      "-nostdsysteminc",
      "-nobuiltininc",
      // These two affect only code generation: loops and functions are not marked as unoptimized.
      "-O1",
      "-funroll-loops",
      "-ffp-contract=off", // the back ends contract; see TotalOperations
      "-fdeprecated-macro",
      "-fcaret-diagnostics-max-lines=1",
      "-ferror-limit",
      "20",
      "-internal-isystem",
      headerFolder,
  };
}

/// True if the program mentions texture or surface objects. As with nvcc, it then gets their functions without an
/// include.
bool mentionsTextures(StringRef source) {
  return source.contains("cudaTextureObject_t") || source.contains("cudaSurfaceObject_t");
}

/// True if the program has an `extern __shared__` array with a size. nvcc treats it as a definition. Clang accepts it
/// only with separate compilation, in which another file defines it. lowerModuleVariables adds the definition.
bool hasSizedExternShared(StringRef source) {
  constexpr StringRef keyword = "__shared__";
  static const llvm::Regex sized(
      "^__shared__[^][;{}()=]*(\\([^][;{}]*\\)[^][;{}()=]*)?\\[[ \t]*[^] \t]");
  for (size_t at = source.find(keyword); at != StringRef::npos; at = source.find(keyword, at + 1)) {
    StringRef before = source.take_front(at).rtrim();
    if (before.size() < at && before.ends_with("extern") &&
        sized.match(source.slice(at, source.find(';', at))))
      return true;
  }
  return false;
}

std::vector<std::string> clangArguments(StringRef source, const std::string &file,
                                        const Options &options, Architecture architecture) {
  std::vector<std::string> arguments;
  // Before the embedded headers, which replace some of the libraries'.
  if (!options.librariesFolder.empty())
    arguments = {"-internal-isystem", options.librariesFolder,
                 "-Wno-reserved-user-defined-literal"};
  llvm::append_range(arguments, commonClangArguments(clangStandard(options)));
  bool parsed = !parsedPrelude(clangStandard(options)).empty();
  arguments.push_back(parsed ? "-include-pch" : "-include");
  arguments.push_back(parsed ? parsedPreludeFile : prelude);
  arguments.insert(
      arguments.end(),
      {"-include", macrosFile, "-include", "heddle/program.h",
       "-D__HEDDLE_ARCHITECTURE__=" + std::to_string(architecture.number * 10),
       "-D__HEDDLE_GPU__=" + std::to_string(architecture.isGpu ? architecture.number * 10 : 0)});
  if (!options.librariesFolder.empty())
    arguments.insert(arguments.end(), {"-include", "heddle/cuda_libraries.h"});
  if (mentionsTextures(source))
    arguments.insert(arguments.end(), {"-include", "heddle/textures.h"});
  if (hasSizedExternShared(source))
    arguments.push_back("-fgpu-rdc");
  if (options.defaultIsDevice)
    arguments.push_back("-D__HEDDLE_DEFAULT_IS_DEVICE__");
  if (options.backEnd.debug) // PlaceSites turns their traps into errors
    arguments.insert(arguments.end(), {"-fsanitize=array-bounds", "-fsanitize-trap=array-bounds"});
  arguments.push_back(options.warnings ? "-Wunused-variable" : "-w");
  // With finite loops, LLVM considers the code after an endless loop unreachable, and emits nothing there.
  arguments.push_back("-fno-finite-loops");
  arguments.push_back("-Wno-error=register");
  arguments.insert(arguments.end(), {"-Werror=infinite-recursion", "-fbracket-depth", "256"});
  for (const std::string &folder : options.includeFolders)
    arguments.insert(arguments.end(), {"-I", folder});
  for (const std::string &header : options.includeFiles)
    arguments.insert(arguments.end(), {"-include", header});
  arguments.push_back(file);
  return arguments;
}

/// Collects the program's declarations. Reading the whole translation unit instead would load unused declarations of
/// the prelude.
class DeclarationKeeper : public ASTConsumer {
public:
  explicit DeclarationKeeper(std::vector<Decl *> &kept) : kept_(kept) {}
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    kept_.insert(kept_.end(), group.begin(), group.end());
    return true;
  }
  void HandleInterestingDecl(DeclGroupRef) override {} // of the prelude

private:
  std::vector<Decl *> &kept_;
};

/// Writes the precompiled prelude.
class ParsePreludeAction : public GeneratePCHAction {
protected:
  /// Drops the list of functions that each program would check again for mistakes in calls. Heddle's functions have
  /// none, and checking would load all of them.
  class Forget : public ASTConsumer {
  public:
    explicit Forget(CompilerInstance &compiler) : compiler_(compiler) {}
    void HandleTranslationUnit(ASTContext &) override {
      compiler_.getSema().DeclsToCheckForDeferredDiags.clear();
    }

  private:
    CompilerInstance &compiler_;
  };

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                 llvm::StringRef file) override {
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<Forget>(compiler));
    consumers.push_back(GeneratePCHAction::CreateASTConsumer(compiler, file));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }
};

/// Stops reading a program whose syntax tree would be too deep for the compiler's stack. Clang limits brackets; this
/// limits the operators of one expression or #if, and the arms of one `if`.
class DepthLimit {
public:
  /// `ended` is set here and by others that stop reading.
  DepthLimit(Preprocessor &p, bool &ended) : preprocessor_(p), ended_(ended) {}

  void checkNestingOfToken(const Token &token) {
    // The preprocessor does not count tokens of directives and macro arguments.
    bool inside = preprocessor_.getTokenCount() == seen_;
    seen_ = preprocessor_.getTokenCount();
    if (inside && !preprocessor_.isParsingIfOrElifDirective())
      return;
    if (ended_)
      return endInput(token);
    bool isElse = token.is(tok::kw_else);
    if (const char *problem = inside ? trackConditionAndFindProblem(token)
                                     : trackNestingAndFindProblem(token, isElse)) {
      DiagnosticsEngine &diagnostics = preprocessor_.getDiagnostics();
      unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Fatal, problem);
      diagnostics.Report(token.getLocation(), id);
      ended_ = true;
      endInput(token);
    }
  }

private:
  static constexpr unsigned longestName = 4096, longestExpression = 10000, mostArms = 1000;

  /// A token that results from a #pragma has no name, and uses the length field for something else.
  static bool isIdentifier(const Token &token) {
    return !token.isAnnotation() && token.getIdentifierInfo();
  }

  const char *trackNestingAndFindProblem(const Token &token, bool isElse) {
    if (token.isOneOf(tok::semi, tok::comma, tok::l_brace, tok::r_brace))
      tokens_ = 0;
    if (token.is(tok::l_brace))
      arms_.push_back(0);
    else if (token.is(tok::r_brace) && arms_.size() > 1)
      arms_.pop_back();
    else if (endsStatement_ && !isElse)
      arms_.back() = 0;
    endsStatement_ = token.isOneOf(tok::semi, tok::r_brace);
    if (isElse && ++arms_.back() > mostArms)
      return "this 'if' has more than 1000 'else' branches";
    if (isIdentifier(token) && token.getLength() > longestName)
      return "this name has more than 4096 characters";
    return ++tokens_ > longestExpression
               ? "this expression is too long: it has more than 10000 names and operators"
               : nullptr;
  }

  const char *trackConditionAndFindProblem(const Token &token) {
    conditionTokens_ = token.is(tok::eod) ? 0 : conditionTokens_ + 1;
    return conditionTokens_ > longestExpression
               ? "this condition is too long: it has more than 10000 names and operators"
               : nullptr;
  }

  /// Makes the parser see the end of the file, so that it returns from any nesting level.
  void endInput(const Token &token) const {
    auto &changed = const_cast<Token &>(token);
    SourceLocation where = token.getLocation();
    changed.startToken();
    changed.setKind(preprocessor_.isParsingIfOrElifDirective() ? tok::eod : tok::eof);
    changed.setLocation(where);
  }

  Preprocessor &preprocessor_;
  std::vector<unsigned> arms_ = {0}; ///< number of `else` in the current statement, per open brace
  unsigned tokens_ = 0;              ///< since the last token that separates expressions
  unsigned conditionTokens_ = 0;     ///< of the current #if
  unsigned seen_ = 0;                ///< token count of the preprocessor
  bool endsStatement_ = false;
  bool &ended_;
};

/// Generates LLVM IR.
class GenerateAction : public ASTFrontendAction {
public:
  explicit GenerateAction(llvm::LLVMContext &context) : context_(context) {}

  /// The generated module; null after an error.
  std::unique_ptr<llvm::Module> takeModule() { return std::move(module_); }

  /// The program's declarations; valid while its file is being read.
  llvm::ArrayRef<Decl *> declarations() const { return declarations_; }

  /// The last token that was read.
  const SourceLocation &lastLocation() const { return reached_; }

  /// True while Heddle's checks, not Clang, read the tree.
  bool isCheckingDeclarations() const { return check_ && check_->isChecking(); }

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                 llvm::StringRef file) override {
    auto generator = CreateLLVMCodeGen(compiler, "cuda", context_);
    auto check = std::make_unique<DeclarationCheck>(compiler, ended_);
    generator_ = generator.get();
    check_ = check.get();
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::move(check));
    consumers.push_back(std::move(generator));
    consumers.push_back(std::make_unique<DeclarationKeeper>(declarations_));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }
  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    Preprocessor &preprocessor = compiler.getPreprocessor();
    preprocessor.setPreprocessToken(true); // including those of #if
    preprocessor.setTokenWatcher(
        [this, limit = DepthLimit(preprocessor, ended_)](const Token &token) mutable {
          reached_ = token.getLocation();
          limit.checkNestingOfToken(token);
        });
    return true;
  }
  void EndSourceFileAction() override {
    module_ = generator_->ReleaseModule();
    check_ = nullptr;
  }

private:
  llvm::LLVMContext &context_;
  bool ended_ = false; ///< the rest of the program is not read
  SourceLocation reached_;
  std::vector<Decl *> declarations_;
  // Owned by the compiler while the file is being read.
  CodeGenerator *generator_ = nullptr;
  DeclarationCheck *check_ = nullptr;
  std::unique_ptr<llvm::Module> module_;
};

[[noreturn]] void fail(const std::string &text) { throw CompileError(ErrorKind::Typing, text); }

/// Runs Clang on one source and collects its messages. Clang crashes on some invalid programs, so it runs in guarded
/// runs. After a crash, all objects passed to it must be leaked.
class Session {
public:
  Session(const std::vector<std::string> &arguments,
          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
    std::vector<const char *> pointers;
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    auto invocation = std::make_shared<CompilerInvocation>();
    DiagnosticOptions diagnosticOptions;
    DiagnosticsEngine early(DiagnosticIDs::create(), diagnosticOptions, &collector_,
                            /*ShouldOwnClient=*/false);
    if (!CompilerInvocation::CreateFromArgs(*invocation, pointers, early))
      fail(collector_.errors());
    // nvcc accepts qualifiers in array parameters, as in C99: `float v[__restrict__ 4]`.
    invocation->getLangOpts().C99 = true;
    invocation->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
    invocation->getFrontendOpts().DisableFree = false;
    // Skip validation: the precompiled prelude always matches the embedded headers.
    invocation->getPreprocessorOpts().DisablePCHOrModuleValidation =
        DisableValidationForModuleKind::PCH;
    compiler_ = std::make_unique<CompilerInstance>(std::move(invocation));
    compiler_->setVerboseOutputStream(llvm::nulls());
    compiler_->setVirtualFileSystem(std::move(files));
    compiler_->createDiagnostics(&collector_, /*ShouldOwnClient=*/false);
  }

  CompilerInstance &compiler() { return *compiler_; }
  /// Empty if Clang succeeded.
  const std::string &errors() const { return collector_.errors(); }
  const std::string &warnings() const { return collector_.warnings(); }
  const std::string &missingHeader() const { return collector_.missingHeader(); }

  /// Reads the source and runs `action`, whose tree stays available until endSourceFile(). Returns the interruption, if
  /// any. (CompilerInstance::ExecuteAction() would free the tree.)
  os::Interruption parseAndRun(FrontendAction &action) {
    return runGuardedCompiler([&] {
      noteBottomOfStack();
      if (!action.PrepareToExecute(*compiler_) || !compiler_->createTarget())
        return;
      reading_ = action.BeginSourceFile(*compiler_, compiler_->getFrontendOpts().Inputs.front());
      if (reading_)
        llvm::consumeError(action.Execute()); // already reported
    });
  }

  os::Interruption endSourceFile(FrontendAction &action) {
    return runGuardedCompiler([&] {
      if (reading_)
        action.EndSourceFile();
    });
  }

  /// Adds an error about Clang's crash, if its state allows that.
  void reportCrash(SourceLocation where) {
    runGuardedCompiler([&] {
      DiagnosticsEngine &diagnostics = compiler_->getDiagnostics();
      diagnostics.Report(where,
                         diagnostics.getDiagnosticIDs()->getCustomDiagID(
                             DiagnosticIDs::Error, "Clang crashed at or shortly before this line"));
    });
  }

private:
  DiagnosticCollector collector_;
  std::unique_ptr<CompilerInstance> compiler_;
  bool reading_ = false;
};

/// The compilation of one program with Clang.
struct Compilation {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  LlvmErrorScope llvmErrors{*context};
  GenerateAction action{*context};
  Session session;
  AstFacts facts;

  Compilation(const std::vector<std::string> &arguments,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files)
      : session(arguments, std::move(files)) {}

  os::Interruption run() {
    if (os::Interruption why = session.parseAndRun(action))
      return why;
    if (session.errors().empty() && session.compiler().hasASTContext())
      facts = collectAstFacts(session.compiler().getASTContext(), action.declarations());
    return session.endSourceFile(action);
  }

  /// Throws the error for an interruption.
  [[noreturn]] void throwInterrupted(const os::Interruption &why) {
    if (action.isCheckingDeclarations())
      throwInterruption(why, "checking a program's declarations");
    if (why.cause != os::Interruption::Fault)
      throwInterruption(why, "parsing a CUDA C++ program");
    session.reportCrash(action.lastLocation());
    fail(session.errors().empty() ? "Clang crashed" : session.errors());
  }
};

} // namespace

Translation translate(const std::string &source, const std::string &file, const Options &options,
                      Architecture architecture) {
  auto compilation = std::make_unique<Compilation>(
      clangArguments(source, file, options, architecture), makeFileSystem(source, file, options));
  if (os::Interruption why = compilation->run())
    compilation.release()->throwInterrupted(why);
  const Session &session = compilation->session;
  if (options.librariesFolder.empty() && isLibraryHeader(session.missingHeader()))
    throw LibrariesMissing(ErrorKind::Typing, session.errors());
  if (!session.errors().empty())
    fail(session.errors());
  compilation->llvmErrors.throwIfErrors();
  std::unique_ptr<llvm::Module> module = compilation->action.takeModule();
  if (!module)
    fail("Clang generated no code for " + file);
  return {{std::move(compilation->context), std::move(module)},
          std::move(compilation->facts),
          session.warnings()};
}

void writeParsedPrelude(const std::string &standard, const std::string &file) {
  std::vector<std::string> arguments = commonClangArguments(standard);
  arguments.insert(arguments.end(), {"-emit-pch", "-fno-pch-timestamp",
                                     "-fpch-instantiate-templates", "-o", file, readAhead});
  ParsePreludeAction action;
  Session session(arguments, makeFileSystem("", "/heddle/none.cu", {}));
  os::Interruption why = session.parseAndRun(action);
  if (!why)
    why = session.endSourceFile(action);
  if (why)
    throwInterruption(why, "parsing the prelude");
  if (!session.errors().empty())
    fail(session.errors());
}

} // namespace heddle::cudacpp
