// Targets that test_ffi.py compiles: what a user writes against the headers of `treadle.ffi.include_dir()`.

#include <atomic>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Floats = ffi::Buffer<ffi::F32>;
using FloatsOut = ffi::ResultBuffer<ffi::F32>;

// Divides each row, along the last axis, by the root of the mean of its squares.
static ffi::Error RmsNorm(float eps, Floats x, FloatsOut y) {
  auto dims = x.dimensions();
  if (dims.size() == 0) return ffi::Error::InvalidArgument("rms_norm needs an axis");
  int64_t size = dims.back(), rows = x.element_count() / (size ? size : 1);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x.typed_data() + row * size;
    float total = 0;
    for (int64_t i = 0; i < size; ++i) total += from[i] * from[i];
    float scale = 1 / std::sqrt(total / size + eps);
    for (int64_t i = 0; i < size; ++i) y->typed_data()[row * size + i] = from[i] * scale;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    rms_norm, RmsNorm, ffi::Ffi::Bind().Attr<float>("eps").Arg<Floats>().Ret<Floats>());

// The elements as they lie in memory, and how many there are.
static ffi::Error InMemory(Floats x, FloatsOut elements, ffi::ResultBuffer<ffi::S32> count) {
  for (size_t i = 0; i < x.element_count(); ++i) elements->typed_data()[i] = x.typed_data()[i];
  count->typed_data()[0] = static_cast<int32_t>(x.element_count());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    in_memory, InMemory,
    ffi::Ffi::Bind().Arg<Floats>().Ret<Floats>().Ret<ffi::Buffer<ffi::S32>>());

// Attributes of each kind, as one number.
static ffi::Error Attributes(bool flag, int64_t whole, double real, std::string_view text,
                             ffi::Span<const int32_t> numbers, ffi::Dictionary nested, FloatsOut y) {
  auto inner = nested.get<int64_t>("inner");
  if (inner.has_error()) return inner.error();
  int64_t total = 0;
  for (int32_t each : numbers) total += each;
  float* out = y->typed_data();
  out[0] = flag, out[1] = whole, out[2] = real, out[3] = text.size(), out[4] = total, out[5] = *inner;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(attributes, Attributes,
                              ffi::Ffi::Bind()
                                  .Attr<bool>("flag")
                                  .Attr<int64_t>("whole")
                                  .Attr<double>("real")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int32_t>>("numbers")
                                  .Attr<ffi::Dictionary>("nested")
                                  .Ret<Floats>());

// Counts its calls; `calls` reads the count.
static std::atomic<int64_t> count{0};
static ffi::Error Counted(Floats x, FloatsOut y) {
  ++count;
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = x.typed_data()[i] + 1;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(counted, Counted, ffi::Ffi::Bind().Arg<Floats>().Ret<Floats>());
extern "C" int64_t calls() { return count; }
