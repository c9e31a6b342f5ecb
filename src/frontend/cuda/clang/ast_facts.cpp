#include "frontend/cuda/clang/ast_facts.h"

#include "frontend/cuda/clang/check_declarations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"

namespace heddle::cudacpp {

using namespace clang;

namespace {

/// NumPy's name of complex<T>, even if the program has not instantiated the class.
std::string numpyComplexName(const CXXRecordDecl &complex) {
  const auto *instance = dyn_cast<ClassTemplateSpecializationDecl>(&complex);
  if (!instance)
    return {};
  QualType part = instance->getTemplateArgs()[0].getAsType();
  return part->isSpecificBuiltinType(BuiltinType::Float)    ? "complex64"
         : part->isSpecificBuiltinType(BuiltinType::Double) ? "complex128"
                                                            : "";
}

/// NumPy's name of a numeric type; empty for other types.
std::string numpyName(const ASTContext &c, QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto *e = type->getAs<EnumType>())
    type = e->getDecl()->getIntegerType();
  if (type.isNull())
    return {};
  if (type->isBooleanType())
    return "bool";
  if (type->isIntegerType())
    return (type->isUnsignedIntegerType() ? "uint" : "int") + std::to_string(c.getTypeSize(type));
  if (type->isRealFloatingType())
    return type->isBFloat16Type() ? "bfloat16" : "float" + std::to_string(c.getTypeSize(type));
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return {};
  // Classes of Heddle's headers that correspond to NumPy scalar types.
  std::string name = record->getQualifiedNameAsString();
  if (name == "__heddle_half::__half")
    return "float16";
  if (name == "__heddle_bfloat16::__nv_bfloat16")
    return "bfloat16";
  if (name == "thrust::complex")
    return numpyComplexName(*record);
  if (name == "float2") // cuComplex is float2, as in CUDA
    return "complex64";
  if (name == "double2")
    return "complex128";
  return {};
}

/// NumPy's name of the components of a structure with equal members, such as float4 or __half2; empty for others.
std::string numpyComponentName(const ASTContext &c, QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->field_empty() || record->getNumBases())
    return {};
  std::string first;
  for (const FieldDecl *field : record->fields()) {
    std::string name = numpyName(c, field->getType());
    if (name.empty() || (!first.empty() && name != first))
      return {};
    first = name;
  }
  return first;
}

ValueType describeType(const ASTContext &c, QualType written) {
  ValueType t;
  t.spelling = written.getAsString(c.getPrintingPolicy());
  QualType type = written.getCanonicalType();
  if (type->isReferenceType() || type->isVoidType())
    return t;
  t.bytes = c.getTypeSizeInChars(type).getQuantity();
  if (type->isPointerType()) {
    QualType pointee = c.getBaseElementType(type->getPointeeType()); // float (*)[64] is a float*
    t.kind = ValueType::Pointer;
    t.isConst = pointee.isConstQualified();
    t.takesAny = pointee->isVoidType() || pointee->isCharType() || pointee->isStdByteType();
    t.element = numpyName(c, pointee);
    t.component = numpyComponentName(c, pointee);
    if (!pointee->isIncompleteType() && !pointee->isFunctionType())
      t.elementBytes = c.getTypeSizeInChars(pointee).getQuantity();
  } else if (type->isBooleanType()) {
    t.kind = ValueType::Bool;
  } else if (type->isIntegralOrEnumerationType()) {
    t.kind = ValueType::Integer;
    t.isSigned = type->isSignedIntegerOrEnumerationType();
  } else if (type->isRealFloatingType()) {
    t.kind = ValueType::Float;
  } else {
    t.kind = ValueType::Structure;
    t.element = numpyName(c, type);
  }
  if (t.kind == ValueType::Float && type->isBFloat16Type())
    t.element = "bfloat16";
  return t;
}

/// A qualified name without anonymous namespaces, as a program writes it.
std::string stripAnonymousNamespaces(std::string name) {
  constexpr llvm::StringRef unnamed = "(anonymous namespace)::";
  for (size_t at; (at = name.find(unnamed)) != std::string::npos;)
    name.erase(at, unnamed.size());
  return name;
}

bool isOnDevice(const VarDecl &v) {
  return v.hasAttr<CUDADeviceAttr>() || v.hasAttr<CUDAConstantAttr>();
}

class Finder : public DynamicRecursiveASTVisitor {
public:
  Finder(ASTContext &c, AstFacts &facts) : context_(c), facts_(facts), names_(c) {
    ShouldVisitTemplateInstantiations = true;
  }

  // Skip statements: kernels and variables are declared outside functions.
  bool TraverseStmt(Stmt *) override { return true; }

  bool VisitFunctionDecl(FunctionDecl *f) override {
    if (isCallableFromOutside(f))
      addFunction(f);
    if (!f->hasAttr<CUDAGlobalAttr>() || !f->isThisDeclarationADefinition() ||
        f->isDependentContext())
      return true;
    KernelInfo kernel;
    kernel.name = stripAnonymousNamespaces(f->getQualifiedNameAsString());
    kernel.symbol = names_.getName(f);
    // Instantiations are visited more than once.
    if (llvm::any_of(facts_.kernels,
                     [&](const KernelInfo &known) { return known.symbol == kernel.symbol; }))
      return true;
    checkKernelParameters(*f);
    for (const ParmVarDecl *p : f->parameters())
      kernel.parameters.push_back({p->getNameAsString(), describeType(context_, p->getType()), {}});
    facts_.kernels.push_back(std::move(kernel));
    return true;
  }

  bool VisitVarDecl(VarDecl *declared) override {
    // Handles the definition of a template's static member: instantiations are defined outside the class, where no
    // visitor comes.
    const VarDecl *v = declared->getDefinition();
    if (!v || v->getDeclContext()->isDependentContext() || v->isTemplated() ||
        !v->hasGlobalStorage() || !isOnDevice(*v) ||
        context_.getSourceManager().isInSystemHeader(v->getLocation()))
      return true;
    std::string symbol = names_.getName(v), name;
    if (llvm::any_of(facts_.variables,
                     [&](const VariableInfo &known) { return known.symbol == symbol; }))
      return true;
    llvm::raw_string_ostream stream(name);
    v->getNameForDiagnostic(stream, context_.getPrintingPolicy(), /*Qualified=*/true);
    facts_.variables.push_back({stripAnonymousNamespaces(name), symbol,
                                uint64_t(context_.getTypeSizeInChars(v->getType()).getQuantity()),
                                v->getType().isConstant(context_)});
    return true;
  }

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *t) override {
    if (t->getTemplatedDecl()->hasAttr<CUDADeviceAttr>() && isFromProgram(t))
      facts_.functionTemplates.push_back(t->getQualifiedNameAsString());
    return true;
  }

private:
  bool isFromProgram(const Decl *d) const {
    return !context_.getSourceManager().isInSystemHeader(d->getLocation());
  }

  bool isCallableFromOutside(const FunctionDecl *f) const {
    return f->hasAttr<CUDADeviceAttr>() && f->isThisDeclarationADefinition() &&
           !f->isDependentContext() && !isa<CXXMethodDecl>(f) && !f->isDeleted() &&
           f->isExternallyVisible() && isFromProgram(f);
  }

  void addFunction(FunctionDecl *f) {
    FunctionInfo function{f->getQualifiedNameAsString(), names_.getName(f), {}, {}, {}};
    if (llvm::any_of(facts_.functions, [&](const FunctionInfo &known) {
          return known.symbol == function.symbol; // instantiations are visited more than once
        }))
      return;
    function.result = describeType(context_, f->getReturnType());
    for (const ParmVarDecl *p : f->parameters()) {
      function.parameters.push_back(
          {p->getNameAsString(), describeType(context_, p->getType()), {}});
      const Parameter &made = function.parameters.back();
      function.head += (function.head.empty() ? "" : ", ") + made.type.spelling +
                       (llvm::StringRef(made.type.spelling).ends_with("*") ? "" : " ") + made.name;
    }
    function.head = function.result.spelling + " " + function.name + "(" + function.head + ")";
    facts_.functions.push_back(std::move(function));
  }

  ASTContext &context_;
  AstFacts &facts_;
  ASTNameGenerator names_;
};

} // namespace

AstFacts collectAstFacts(ASTContext &context, llvm::ArrayRef<Decl *> declarations) {
  AstFacts facts;
  Finder finder(context, facts);
  for (Decl *d : declarations)
    finder.TraverseDecl(d);
  return facts;
}

} // namespace heddle::cudacpp
