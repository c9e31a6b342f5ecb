#include "host/foreign_functions.h"

#include <map>
#include <mutex>

namespace heddle::host {

namespace {

struct ForeignTable {
  std::mutex mutex;
  std::map<std::string, void *> addresses;
};

ForeignTable &foreignTable() {
  static auto *known = new ForeignTable;
  return *known;
}

} // namespace

void defineForeignFunction(const std::string &name, void *address) {
  std::lock_guard lock(foreignTable().mutex);
  foreignTable().addresses.emplace(name, address);
}

std::vector<cpu::HostFunction> foreignFunctions() {
  std::lock_guard lock(foreignTable().mutex);
  std::vector<cpu::HostFunction> out;
  for (auto &[name, address] : foreignTable().addresses) // map keys have stable addresses
    out.push_back({name.c_str(), address});
  return out;
}

} // namespace heddle::host
