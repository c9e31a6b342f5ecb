#include "frontend/python/emit/kept_values.h"

#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/conversions.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

class Keeping {
public:
  Keeping(Emitter &e, Parts &parts, OwnerList &owners, Span span)
      : e_(e), parts_(parts), owners_(owners), span_(span) {}

  void makeOwned(Type type) {
    if (type.isTuple()) {
      for (Type element : type->elements)
        makeOwned(element);
      return;
    }
    if (type.is(TypeKind::Optional))
      return makeOptionalOwned(type);
    if (type.isContainer())
      owners_[owner_] = parts_[part_];
    else if (type == runtimeStringType())
      copyTextIfUnowned();
    else if (type.isArray())
      addArrayOwnerIfMissing();
    else if (type.isRecord())
      copyRecordToOwnedMemory(type);
    owner_ += countHostOwners(type);
    part_ += partTypes(e_.b.getContext(), type).size();
  }

private:
  /// The owner of the value, or the result of `make` if it has none.
  template <typename Make> llvm::Value *existingOrNewOwner(Make make) {
    llvm::IRBuilder<> &b = e_.b;
    llvm::Value *owner = owners_[owner_];
    auto *nobodys = llvm::BasicBlock::Create(b.getContext(), "nobodys", &e_.llvmFunction());
    auto *kept = llvm::BasicBlock::Create(b.getContext(), "kept", &e_.llvmFunction());
    llvm::BasicBlock *before = b.GetInsertBlock();
    b.CreateCondBr(b.CreateIsNull(owner), nobodys, kept);
    b.SetInsertPoint(nobodys);
    llvm::Value *made = make();
    llvm::BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(kept);
    b.SetInsertPoint(kept);
    llvm::PHINode *out = b.CreatePHI(b.getPtrTy(), 2);
    out->addIncoming(owner, before);
    out->addIncoming(made, end);
    return out;
  }

  llvm::Value *callRuntimeFunction(const char *name, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *, 3> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *type = llvm::FunctionType::get(e_.b.getPtrTy(), types, false);
    return e_.b.CreateCall(e_.module().module().getOrInsertFunction(name, type), arguments);
  }

  /// None needs no owner.
  void makeOptionalOwned(Type type) {
    llvm::IRBuilder<> &b = e_.b;
    Parts parts = parts_;
    OwnerList owners = owners_;
    auto *some = llvm::BasicBlock::Create(b.getContext(), "some", &e_.llvmFunction());
    auto *done = llvm::BasicBlock::Create(b.getContext(), "kept", &e_.llvmFunction());
    llvm::BasicBlock *before = b.GetInsertBlock();
    b.CreateCondBr(parts_[part_++], some, done);
    b.SetInsertPoint(some);
    makeOwned(type->element);
    llvm::BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    auto merge = [&](llvm::Value *&now, llvm::Value *ofNone) {
      if (now == ofNone)
        return;
      llvm::PHINode *phi = b.CreatePHI(now->getType(), 2);
      phi->addIncoming(ofNone, before);
      phi->addIncoming(now, end);
      now = phi;
    };
    for (size_t i = 0; i < parts.size(); ++i)
      merge(parts_[i], parts[i]);
    for (size_t i = 0; i < owners.size(); ++i)
      merge(owners_[i], owners[i]);
  }

  void copyTextIfUnowned() {
    llvm::IRBuilder<> &b = e_.b;
    llvm::Value *before = owners_[owner_];
    llvm::Value *owner = existingOrNewOwner([&] {
      return callRuntimeFunction(simt::copyFunction,
                                 {parts_[part_], parts_[part_ + 1], parts_[part_ + 2]});
    });
    llvm::Value *copy = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), owner, simt::ownerBytes);
    parts_[part_] = b.CreateSelect(b.CreateIsNull(before), copy, parts_[part_]);
    owners_[owner_] = owner;
  }

  void addArrayOwnerIfMissing() {
    owners_[owner_] = existingOrNewOwner([&] {
      llvm::Value *data = e_.b.CreateAddrSpaceCast(parts_[part_], e_.b.getPtrTy());
      llvm::Value *owner = callRuntimeFunction(simt::keepArrayFunction, {data});
      e_.trapIf(e_.b.CreateIsNull(owner), span_, "TypeError",
                "a constant array of the function cannot be stored in a typed container: store a "
                "copy, a.copy()");
      return owner;
    });
  }

  /// Copies the record, because the original may be modified in place.
  void copyRecordToOwnedMemory(Type type) {
    llvm::IRBuilder<> &b = e_.b;
    llvm::Value *&place = parts_[part_];
    llvm::Value *from = b.CreateAddrSpaceCast(place, b.getPtrTy());
    llvm::Value *owner =
        callRuntimeFunction(simt::copyFunction, {from, e_.int64(type->bytes()), e_.int64(1)});
    llvm::Value *copy = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), owner, simt::ownerBytes);
    place = b.CreateAddrSpaceCast(copy, place->getType());
    owners_[owner_] = owner;
  }

  Emitter &e_;
  Parts &parts_;
  OwnerList &owners_;
  Span span_;
  unsigned part_ = 0, owner_ = 0;
};

} // namespace

Kept convertAndOwnForStorage(Emitter &e, Value &value, Type type) {
  Kept out{convert(e, e.parts(value), value.type, type), e.owners().convertedOwners(value, type)};
  Keeping(e, out.parts, out.owners, value.span).makeOwned(type);
  return out;
}

} // namespace heddle::python
