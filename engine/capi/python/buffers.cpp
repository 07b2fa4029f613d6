// Recognises arrays by their address, extents and element type; any difference causes a new description.
#include "engine/capi/python/buffers.h"

#include <algorithm>

namespace rankscope::python {
// Returns false unless the array is contiguous and usable.
bool Buffers::read(Object array, bool write, Extents& out) {
  View view{};
  if (python_.view(array, &view, kViewShape | (write ? kViewWritable : 0)) != 0) {
    python_.forget_error();
    return false;
  }
  const bool fits = view.dims <= RS_DIMS;
  if (fits) {
    out = {.data = view.data, .bytes = view.bytes, .dims = view.dims};
    std::copy_n(view.shape, view.dims, out.shape.begin());
  }
  python_.end_view(&view);
  return fits;
}

/// Returns the array that owns the memory: itself, or the one of which it is a part.
bool Buffers::read_whole(Object array, Object dtype, const Extents& part, Extents& out) {
  const Held base(python_, python_.attribute(array, base_));
  if (!base) python_.forget_error();
  if (base.get() == python_.none) {
    out = part;
    return true;
  }
  if (!base || Held(python_, python_.type_of(base.get())).get() != array_type_.get()) return false;
  return Held(python_, python_.attribute(base.get(), base_)).get() == python_.none &&
         Held(python_, python_.attribute(base.get(), dtype_)).get() == dtype &&
         read(base.get(), false, out);
}

Buffers::Known& Buffers::place_of(const void* data) {
  const auto mixed = (reinterpret_cast<std::uintptr_t>(data) >> 4) * 0x9E3779B97F4A7C15ULL;
  return known_[(mixed >> 32) % kMostKnown];
}

bool Buffers::find(Object data, bool write, rs_memory& out) {
  const Held type(python_, python_.type_of(data));
  if (type.get() == python_.bytes_type) {
    if (write) return false;
    out = {};
    out.count = static_cast<std::uint64_t>(python_.bytes_size(data));
    out.data = out.array = out.count == 0 ? nullptr : python_.bytes_data(data);
    return true;
  }
  if (!array_type_ || type.get() != array_type_.get()) return false;
  const Held dtype(python_, python_.attribute(data, dtype_));
  Extents part, whole;
  if (!read(data, write, part)) return false;
  const Known& known = place_of(part.data);
  if (known.part != part || known.dtype.get() != dtype.get() ||
      !read_whole(data, dtype.get(), part, whole) || known.whole != whole)
    return false;
  out = known.memory;
  return true;
}

void Buffers::learn(Object array, const rs_memory& memory, Object keep) {
  Held dtype(python_, python_.attribute(array, dtype_));
  if (!dtype) return python_.forget_error();
  array_type_ = Held(python_, python_.type_of(array));
  Extents part, whole;
  if (!read(array, false, part) || part.bytes == 0 || part.data != memory.data ||
      !read_whole(array, dtype.get(), part, whole))
    return;
  Known& known = place_of(part.data);
  known.dtype = std::move(dtype);
  known.keep = hold(python_, keep);
  known.part = part;
  known.whole = whole;
  known.memory = memory;
}

void Buffers::forget() {
  for (Known& known : known_) known = {};
}

}  // namespace rankscope::python
