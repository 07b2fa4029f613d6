#include "engine/training/transformer/products.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::training {

template <class T>
void add_product(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor) {
  out.noalias() += factor * (a * b);
}
template <class T>
void add_product_bt(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor) {
  out.noalias() += factor * (a * b.transpose());
}
template <class T>
void add_product_at(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor) {
  out.noalias() += factor * (a.transpose() * b);
}

template <class T>
void take_exponentials(std::span<T> row, T less) {
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> values(row.data(),
                                                        static_cast<Eigen::Index>(row.size()));
  values = (values - less).exp();
}

template <class T>
T softmax(std::span<T> row) {
  const T largest = std::ranges::max(row);
  take_exponentials(row, largest);
  const T sum = std::accumulate(row.begin(), row.end(), T(0));
  for (T& value : row) value /= sum;
  return largest + std::log(sum);
}

template <class T>
void softmax_backward(Rows<T> d, const ConstRows<T>& p, const ConstRows<T>& a,
                      const ConstRows<T>& b, T scale) {
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    const T along = a.row(i).dot(b.row(i));
    d.row(i) = ((d.row(i).array() - along) * p.row(i).array() * scale).matrix();
  }
}

#define RANKSCOPE_PRODUCTS(T)                                                         \
  template void add_product(Rows<T>, const ConstRows<T>&, const ConstRows<T>&, T);    \
  template void add_product_bt(Rows<T>, const ConstRows<T>&, const ConstRows<T>&, T); \
  template void add_product_at(Rows<T>, const ConstRows<T>&, const ConstRows<T>&, T); \
  template void take_exponentials(std::span<T>, T);                                   \
  template T softmax(std::span<T>);                                                   \
  template void softmax_backward(Rows<T>, const ConstRows<T>&, const ConstRows<T>&,   \
                                 const ConstRows<T>&, T);
RANKSCOPE_PRODUCTS(float)
RANKSCOPE_PRODUCTS(double)
#undef RANKSCOPE_PRODUCTS

}  // namespace rankscope::training
