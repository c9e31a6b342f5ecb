// Objects may refer only to symbols that the runtime defines when it loads them.

#include "backend/cpu/abi/runtime_symbols.h"
#include "backend/cpu/compile.h"
#include "runtime/cpu/code/host_functions.h"
#include "runtime/cpu/code/jit.h"
#include "runtime/cpu/code/vector_library.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"
#include "support/diagnostic.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ObjectFile.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::cpu {
namespace {

using namespace llvm;

std::set<std::string> defined() {
  std::set<std::string> names;
  for (const RuntimeSymbol &s : runtimeSymbols)
    names.insert(s.name);
  for (const HostFunction *f = hostFunctions; f->name; ++f)
    names.insert(f->name);
  return names;
}

/// The undefined symbols of an object that the loader does not know.
std::set<std::string> unknownNames(llvm::Module &module, const CompileOptions &options) {
  std::unique_ptr<MemoryBuffer> bytes = compileToObject(module, options).file;
  std::unique_ptr<object::ObjectFile> file =
      cantFail(object::ObjectFile::createObjectFile(bytes->getMemBufferRef()));
  std::set<std::string> unknown;
  std::set<std::string> known = defined();
  for (const object::SymbolRef &s : file->symbols()) {
    StringRef name = cantFail(s.getName());
    bool undefined = cantFail(s.getFlags()) & object::SymbolRef::SF_Undefined;
    if (undefined && !name.empty() && name != "_GLOBAL_OFFSET_TABLE_" &&
        !known.contains(name.str()) && !cantFail(findVectorFunction(name)))
      unknown.insert(name.str());
  }
  return unknown;
}

/// A kernel (ptr f32, ptr f64, ptr i32, ptr i64) under construction. Results are stored, so that none is optimized
/// away.
struct KernelText {
  LLVMContext context;
  llvm::Module module{"test", context};
  IRBuilder<> b{context};
  Function *f;

  KernelText() {
    Type *global = PointerType::get(context, simt::Global);
    f = Function::Create(FunctionType::get(b.getVoidTy(), {global, global, global, global}, false),
                         GlobalValue::ExternalLinkage, "k", module);
    f->addFnAttr(simt::kernelAttribute);
    b.SetInsertPoint(BasicBlock::Create(context, "", f));
  }

  Type *type(unsigned parameter) {
    Type *types[] = {b.getFloatTy(), b.getDoubleTy(), b.getInt32Ty(), b.getInt64Ty()};
    return types[parameter];
  }
  Value *input(Type *t) {
    for (unsigned i = 0; i < 4; ++i)
      if (type(i) == t)
        return b.CreateLoad(t, b.CreateConstGEP1_32(t, f->getArg(i), 1), /*isVolatile=*/true);
    return nullptr;
  }
  void output(Value *v) {
    for (unsigned i = 0; i < 4; ++i)
      if (type(i) == v->getType())
        b.CreateStore(v, f->getArg(i), /*isVolatile=*/true);
  }
};

void addEveryMathOperation(KernelText &k) {
  for (const simt::OpInfo &row : simt::allOps()) {
    if (!row.name.starts_with("simt.math."))
      continue;
    for (unsigned t : {0, 1}) {
      SmallVector<StringRef, 2> words;
      row.operands.split(words, ' ');
      SmallVector<Value *, 2> operands;
      for (StringRef word : words)
        operands.push_back(k.input(word == "T" ? k.type(t) : k.type(2)));
      k.output(simt::call(k.b, row.op, operands));
    }
  }
}

void addEveryAtomicOperation(KernelText &k) {
  for (const simt::OpInfo &row : simt::allOps()) {
    if (!row.has(simt::ArgMemory))
      continue;
    const char *names[] = {"f32", "f64", "i32", "i64"};
    for (unsigned t = 0; t < 4; ++t) {
      if (!row.overloads.contains(names[t]))
        continue;
      SmallVector<Value *, 4> operands{k.f->getArg(t), k.input(k.type(t))};
      if (row.op == simt::Op::AtomicCas)
        operands.push_back(k.input(k.type(t)));
      operands.push_back(k.b.getInt32(1));
      k.output(simt::call(k.b, row.op, operands));
    }
  }
}

void addFloatIntrinsics(KernelText &k) {
  const Intrinsic::ID unary[] = {Intrinsic::sqrt,        Intrinsic::fabs,  Intrinsic::floor,
                                 Intrinsic::ceil,        Intrinsic::trunc, Intrinsic::rint,
                                 Intrinsic::nearbyint,   Intrinsic::round, Intrinsic::roundeven,
                                 Intrinsic::canonicalize};
  const Intrinsic::ID binary[] = {Intrinsic::copysign,  Intrinsic::minnum,  Intrinsic::maxnum,
                                  Intrinsic::minimum,   Intrinsic::maximum, Intrinsic::minimumnum,
                                  Intrinsic::maximumnum};
  const Intrinsic::ID ternary[] = {Intrinsic::fma, Intrinsic::fmuladd};
  for (unsigned t : {0, 1}) {
    auto in = [&] { return k.input(k.type(t)); };
    for (Intrinsic::ID id : unary)
      k.output(k.b.CreateIntrinsic(id, {k.type(t)}, {in()}));
    for (Intrinsic::ID id : binary)
      k.output(k.b.CreateIntrinsic(id, {k.type(t)}, {in(), in()}));
    for (Intrinsic::ID id : ternary)
      k.output(k.b.CreateIntrinsic(id, {k.type(t)}, {in(), in(), in()}));
    for (unsigned i : {2, 3}) {
      k.output(k.b.CreateIntrinsic(Intrinsic::fptosi_sat, {k.type(i), k.type(t)}, {in()}));
      k.output(k.b.CreateIntrinsic(Intrinsic::fptoui_sat, {k.type(i), k.type(t)}, {in()}));
      k.output(k.b.CreateUIToFP(k.input(k.type(i)), k.type(t)));
    }
    k.output(k.b.CreateFRem(in(), in()));
  }
}

void addIntegerOperations(KernelText &k) {
  for (unsigned t : {2, 3}) {
    auto in = [&] { return k.input(k.type(t)); };
    for (Intrinsic::ID id : {Intrinsic::ctpop, Intrinsic::bitreverse, Intrinsic::bswap})
      k.output(k.b.CreateIntrinsic(id, {k.type(t)}, {in()}));
    Value *wide = k.b.CreateMul(k.b.CreateSExt(in(), k.b.getInt128Ty()),
                                k.b.CreateSExt(in(), k.b.getInt128Ty()));
    k.output(k.b.CreateTrunc(k.b.CreateLShr(wide, k.type(t)->getIntegerBitWidth()), k.type(t)));
    Value *product = k.b.CreateIntrinsic(Intrinsic::smul_with_overflow, {k.type(t)}, {in(), in()});
    k.output(k.b.CreateExtractValue(product, 0));
    k.output(k.b.CreateUDiv(in(), k.b.CreateOr(in(), 1)));
  }
}

struct CpuSymbols : testing::TestWithParam<bool> {};

TEST_P(CpuSymbols, EveryNameThatGeneratedCodeRefersToIsDefined) {
  KernelText k;
  addEveryMathOperation(k);
  addEveryAtomicOperation(k);
  addFloatIntrinsics(k);
  addIntegerOperations(k);
  k.b.CreateRetVoid();
  CompileOptions options;
  options.optimize = GetParam();
  options.fastMath = GetParam() ? FastMath::All : FastMath::None;
  EXPECT_EQ(unknownNames(k.module, options), std::set<std::string>());
}

TEST(CpuJit, AnObjectThatDoesNotLinkIsRejectedWithTheReason) {
  KernelText k;
  k.output(k.b.CreateFRem(k.input(k.type(1)), k.input(k.type(1))));
  k.b.CreateRetVoid();
  std::string object = compileToObject(k.module, {}).file->getBuffer().str();
  size_t name = object.find("fmod");
  ASSERT_NE(name, std::string::npos);
  object.replace(name, 4, "mofd"); // an undefined symbol
  try {
    Jit::link(MemoryBuffer::getMemBufferCopy(object), {"k.entry"});
    FAIL() << "it was linked";
  } catch (const CompileError &e) {
    EXPECT_NE(std::string(e.what()).find("mofd"), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Optimized, CpuSymbols, testing::Bool());

} // namespace
} // namespace heddle::cpu
