#include "frontend/cuda/clang/check_declarations.h"

#include "frontend/cuda/clang/device_headers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include "llvm/Support/SaveAndRestore.h"

namespace heddle::cudacpp {

using namespace clang;

namespace {

// Clang walks through all nested classes for each class, in quadratic time, on threads with 8 MB of stack.
constexpr unsigned deepestClass = 500;

template <unsigned size>
void report(DiagnosticsEngine &diagnostics, SourceLocation where, const char (&text)[size]) {
  diagnostics.Report(where, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, text));
}

class Visitor : public DynamicRecursiveASTVisitor {
public:
  explicit Visitor(DiagnosticsEngine &diagnostics) : diagnostics_(diagnostics) {}

  bool VisitFileScopeAsmDecl(FileScopeAsmDecl *d) override {
    report(diagnostics_, d->getBeginLoc(), "assembly is allowed only inside functions");
    return true;
  }

  bool VisitNamedDecl(NamedDecl *d) override {
    const auto *label = d->getAttr<AsmLabelAttr>();
    llvm::StringRef name = label ? label->getLabel() : "";
    if (name.starts_with("llvm.") || name.starts_with("simt.") || name.starts_with("__heddle"))
      report(diagnostics_, d->getLocation(),
             "names that begin with 'llvm.', 'simt.' or '__heddle' are reserved for the compiler");
    return true;
  }

private:
  DiagnosticsEngine &diagnostics_;
};

} // namespace

bool DeclarationCheck::HandleTopLevelDecl(DeclGroupRef group) {
  llvm::SaveAndRestore checking(checking_, true);
  SourceManager &sources = compiler_.getSourceManager();
  for (Decl *d : group)
    if (!isDeviceHeader(sources.getFilename(sources.getFileLoc(d->getLocation()))))
      Visitor(compiler_.getDiagnostics()).TraverseDecl(d);
  return true;
}

unsigned DeclarationCheck::nestingDepth(QualType type) const {
  const TagDecl *tag = type->getBaseElementTypeUnsafe()->getAsTagDecl();
  return tag ? depths_.lookup(tag) : 0;
}

void DeclarationCheck::HandleTagDeclDefinition(TagDecl *tag) {
  llvm::SaveAndRestore checking(checking_, true);
  const auto *record = dyn_cast<CXXRecordDecl>(tag);
  if (!record || record->isDependentContext())
    return;
  unsigned depth = 0;
  for (const CXXBaseSpecifier &base : record->bases())
    depth = std::max(depth, nestingDepth(base.getType()) + 1);
  for (const FieldDecl *field : record->fields())
    if (field->getType()->getBaseElementTypeUnsafe()->isRecordType())
      depth = std::max(depth, nestingDepth(field->getType()) + 1);
  if (!depth)
    return;
  depths_[tag] = depth;
  if (depth == deepestClass) {
    report(compiler_.getDiagnostics(), tag->getLocation(),
           "the bases and members of this class are nested 500 levels deep");
    ended_ = true;
  }
}

void checkKernelParameters(const FunctionDecl &kernel) {
  DiagnosticsEngine &diagnostics = kernel.getASTContext().getDiagnostics();
  if (kernel.isVariadic())
    report(diagnostics, kernel.getLocation(),
           "a kernel must have a fixed number of parameters, without '...'");
  for (const ParmVarDecl *p : kernel.parameters())
    if (p->getType()->isReferenceType())
      report(diagnostics, p->getLocation(),
             "a kernel parameter cannot be a reference: launches pass values and pointers");
}

} // namespace heddle::cudacpp
