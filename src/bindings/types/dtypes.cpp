#include "bindings/types/dtypes.h"

#include "bindings/interpreter/serialized_scope.h"
#include "frontend/python/types/records.h"
#include "frontend/python/types/small_floats.h"

#include <algorithm>
#include <mutex>

#include "llvm/ADT/DenseMap.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

std::string formatObject(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// Limit on the nesting of dtypes, because record types are walked recursively.
constexpr unsigned maxRecordDepth = 32;

Type typeOfDtypeAtDepth(nb::handle dtype, unsigned depth);

Type recordTypeOfDtype(nb::handle dtype, unsigned depth) {
  std::vector<python::Field> fields;
  if (depth > maxRecordDepth)
    return {};
  nb::object table = dtype.attr("fields");
  for (nb::handle name : dtype.attr("names")) {
    nb::object entry = table[name];
    nb::object type = entry[0];
    python::Field field{.name = nb::cast<std::string>(name)};
    field.offset = nb::cast<unsigned>(entry[1]);
    if (nb::object subarray = type.attr("subdtype"); !subarray.is_none()) {
      for (nb::handle extent : nb::object(subarray[1]))
        field.shape.push_back(nb::cast<int64_t>(extent));
      type = subarray[0];
    }
    field.type = typeOfDtypeAtDepth(type, depth + 1);
    if (!field.type)
      return {};
    fields.push_back(std::move(field));
  }
  unsigned bytes = nb::cast<unsigned>(dtype.attr("itemsize"));
  if (fields.empty() || bytes == 0)
    return {};
  auto alignment = nb::cast<unsigned>(dtype.attr("alignment"));
  if (nb::cast<bool>(
          dtype.attr("isalignedstruct"))) // for np.recarray NumPy reports an alignment of 1
    for (const python::Field &field : fields)
      alignment = std::max(alignment, field.type->alignment());
  return recordType(std::move(fields), bytes, alignment);
}

/// A cache of record types for recent dtypes: building one takes microseconds, and each launch needs it.
struct KnownRecords {
  struct Entry {
    nb::object dtype, names; ///< changing a dtype's names replaces the tuple
    Type type;
  };
  std::vector<Entry> entries;
  size_t next = 0;

  static KnownRecords &instance() {
    static auto *known = new KnownRecords;
    return *known;
  }

  Type getOrMakeRecordType(nb::handle dtype, nb::object names, unsigned depth) {
    SerializedScope scope;
    for (const Entry &e : entries)
      if (e.dtype.is(dtype) && e.names.is(names))
        return e.type;
    constexpr size_t most = 32;
    Entry entry{nb::borrow(dtype), std::move(names), recordTypeOfDtype(dtype, depth)};
    Type type = entry.type;
    if (depth) // the type may be unknown only because of its depth
      return type;
    if (entries.size() < most)
      entries.push_back(std::move(entry));
    else
      std::swap(entries[next++ % most], entry);
    return type;
  }
};

Type timeTypeOfDtype(nb::handle dtype, char kind) {
  nb::object data = nb::module_::import_("numpy").attr("datetime_data")(dtype);
  if (nb::cast<int64_t>(nb::object(data[1])) !=
      1) // multiples of a unit are unsupported, as in numba
    return {};
  std::string unit = nb::cast<std::string>(nb::object(data[0]));
  auto found = python::timeUnitNamed(unit == "generic" ? "" : unit);
  if (!found || !nb::cast<bool>(dtype.attr("isnative")))
    return {};
  return timeType(kind == 'M' ? python::TypeKind::DateTime : python::TypeKind::TimeDelta, *found);
}

Type typeOfDtypeAtDepth(nb::handle dtype, unsigned depth) {
  if (nb::object names = dtype.attr("names"); !names.is_none())
    return KnownRecords::instance().getOrMakeRecordType(dtype, std::move(names), depth);
  std::string kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind == "M" || kind == "m")
    return timeTypeOfDtype(dtype, kind[0]);
  std::string typestr = nb::cast<std::string>(dtype.attr("str"));
  if (kind == "V" || typestr == "<f1") { // possibly from ml_dtypes; these dtypes differ by name
    std::string name = formatObject(dtype);
    if (name == "bfloat16")
      return python::bfloat16Type();
    if (Type small = python::smallFloatNamed(name))
      return small;
  }
  return python::scalarTypeOfTypestr(typestr);
}

} // namespace

Type typeOfDtype(nb::handle dtype) { return typeOfDtypeAtDepth(dtype, 0); }

std::string unsupportedDtypeMessage(nb::handle dtype) {
  std::string name = formatObject(dtype);
  std::string reason = "kernels have no type for elements of dtype " + name;
  if (nb::object names = dtype.attr("names"); !names.is_none()) {
    for (nb::handle field : names) {
      nb::object type = nb::object(dtype[field]).attr("base");
      if (!typeOfDtype(type)) {
        std::string why = unsupportedDtypeMessage(type);
        size_t end = std::min(why.find('\n'), why.size()); // drops a hint
        return why.insert(end, " (field '" + nb::cast<std::string>(field) + "')");
      }
    }
    return reason + ": it has no fields, or records in records more than " +
           std::to_string(maxRecordDepth) + " deep";
  }
  if (!nb::cast<bool>(dtype.attr("isnative")))
    reason += "\n  hint: bring them into this machine's byte order with "
              "a.astype(a.dtype.newbyteorder('='))";
  else if (nb::cast<bool>(dtype.attr("hasobject")))
    reason += ": they are Python objects, which a kernel cannot reach\n  hint: convert them with "
              "a.astype(np.float64)";
  else if (std::string kind = nb::cast<std::string>(dtype.attr("kind")); kind == "M" || kind == "m")
    reason += ": a unit of time is counted by ones, as in " + kind + "8[s]";
  else if (kind == "f")
    reason += "\n  hint: convert them with a.astype(np.float64)";
  return reason;
}

std::string describeUnsupportedArray(nb::handle array) {
  if (!nb::hasattr(array, "dtype"))
    return {};
  nb::object dtype = array.attr("dtype");
  return nb::hasattr(dtype, "isnative") ? unsupportedDtypeMessage(dtype)
                                        : "kernels have no type for elements of dtype " +
                                              nb::cast<std::string>(nb::str(dtype));
}

nb::object dtypeOf(Type element) {
  nb::object dtype = nb::module_::import_("numpy").attr("dtype");
  if (element.isTime()) {
    std::string unit = nameOfTimeUnit(element->unit);
    return dtype((element.is(python::TypeKind::DateTime) ? "M8" : "m8") +
                 (unit.empty() ? "" : "[" + unit + "]"));
  }
  if (element.isFloat() && element->small)
    return dtype(nb::module_::import_("ml_dtypes").attr(element.name().c_str()));
  if (element.isStructure())
    throw nb::type_error(("NumPy has no dtype for " + element.name()).c_str());
  if (!element.isRecord())
    return dtype(typestrOf(element));
  nb::list names, formats, offsets;
  for (const python::Field &f : element->fields) {
    nb::list shape;
    for (int64_t extent : f.shape)
      shape.append(extent);
    names.append(f.name);
    offsets.append(f.offset);
    formats.append(f.shape.empty() ? dtypeOf(f.type)
                                   : dtype(nb::make_tuple(dtypeOf(f.type), nb::tuple(shape))));
  }
  nb::dict description;
  description["names"] = names;
  description["formats"] = formats;
  description["offsets"] = offsets;
  description["itemsize"] = element->recordBytes;
  if (element->recordAlignment > 1)
    try {
      return dtype(description, nb::arg("align") = true);
    } catch (const nb::python_error &) { // the record's alignment exceeds that of its fields
    }
  return dtype(description);
}

nb::handle cachedDtype(Type element) {
  static auto *known = new llvm::DenseMap<const void *, PyObject *>;
  static TableLock mutex;
  {
    std::lock_guard lock(mutex);
    if (PyObject *found = known->lookup(element.operator->()))
      return found;
  }
  nb::object made = dtypeOf(element);
  std::lock_guard lock(mutex);
  auto [found, isNew] = known->try_emplace(element.operator->(), made.ptr());
  if (isNew)
    made.release();
  return found->second;
}

} // namespace heddle
