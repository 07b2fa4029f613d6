#include <vector>

#include <rankscope.hpp>

template <class T>
class Ring {
 public:
  Ring(rankscope::Communicator& comm, std::span<T> data) : comm_(comm), data_(data) {}

  void run() {
    const int n = comm_.size();
    int out = left();
    for (int step = 0; step < 2 * (n - 1); ++step, out = (out + 1) % n)
      turn(part(out), part((out + 1) % n), step < n - 1);
  }

 private:
  int left() const { return (comm_.rank() + comm_.size() - 1) % comm_.size(); }
  int right() const { return (comm_.rank() + 1) % comm_.size(); }
  std::size_t bound(int chunk) const {
    const std::size_t n = comm_.size(), k = chunk, short_one = data_.size() / n;
    return k * short_one + std::min(k, data_.size() % n);
  }
  std::span<T> part(int chunk) const {
    return data_.subspan(bound(chunk), bound(chunk + 1) - bound(chunk));
  }
  void turn(std::span<T> out, std::span<T> in, bool add) {
    std::vector<T> box(in.size());
    auto request = comm_.irecv(right(), std::span<T>(box));
    comm_.send(left(), out);
    request.wait();
    for (std::size_t i = 0; i < box.size(); ++i) in[i] = add ? in[i] + box[i] : box[i];
  }

  rankscope::Communicator& comm_;
  std::span<T> data_;
};

template <class T>
void ring_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  if (comm.size() > 1) Ring<T>(comm, data).run();
}
