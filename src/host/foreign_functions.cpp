#include "host/foreign_functions.h"

#include <map>
#include <mutex>

namespace heddle::host {

namespace {

struct Known {
  std::mutex mutex;
  std::map<std::string, void *> addresses;
};

Known &known() {
  static auto *known = new Known;
  return *known;
}

} // namespace

void defineForeignFunction(const std::string &name, void *address) {
  std::lock_guard lock(known().mutex);
  known().addresses.emplace(name, address);
}

std::vector<cpu::HostFunction> foreignFunctions() {
  std::lock_guard lock(known().mutex);
  std::vector<cpu::HostFunction> out;
  for (auto &[name, address] : known().addresses) // map keys have stable addresses
    out.push_back({name.c_str(), address});
  return out;
}

} // namespace heddle::host
