#include "http/detail/listener.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/detail/address.h"
#include "os/files.h"

namespace helve::http {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsAtOnce = 64;  // then the connections have their turn
constexpr Duration kRest = std::chrono::milliseconds(100);

os::UniqueFd spare_descriptor() { return os::UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool switch_on(int fd, int level, int option) {
  const int on = 1;
  return ::setsockopt(fd, level, option, &on, sizeof on) == 0;
}

// -1 with errno, or listening.
os::UniqueFd listen_on(const Address& address) {
  const int family = address.storage.ss_family;
  os::UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fd;
  const bool ready = switch_on(fd.get(), SOL_SOCKET, SO_REUSEADDR) &&
                     // So that 0.0.0.0 and [::] can both be asked for.
                     (family != AF_INET6 || switch_on(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY)) &&
                     ::bind(fd.get(), address.get(), address.size) == 0 &&
                     ::listen(fd.get(), kBacklog) == 0;
  return ready ? std::move(fd) : os::UniqueFd();
}

}  // namespace

Listener::Listener(std::shared_ptr<Registry> registry)
    : registry_(std::move(registry)),
      watch_(registry_->loop()),
      pause_(registry_->loop().context()) {}

Result<std::string> Listener::open(const std::string& address) {
  const std::optional<Address> wanted = parse_address(address);
  if (!wanted) return refuse("http.address_invalid", {{"address", address}});
  os::UniqueFd fd = listen_on(*wanted);
  int error = fd ? 0 : errno;
  Address actual;
  if (fd && ::getsockname(fd.get(), actual.get(), &actual.size) != 0) error = errno;
  if (error == 0) error = watch_.open(std::move(fd));
  if (error != 0) {
    return refuse("http.listen_failed", {{"address", address}, {"reason", os::errno_text(error)}});
  }
  spare_ = spare_descriptor();
  arm();
  return address_text(actual);
}

void Listener::close() {
  watch_.close();
  pause_.cancel();
}

void Listener::arm() {
  watch_.readable([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->watch_.is_open()) self->accept_some();
  });
}

void Listener::accept_some() {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (accept_one()) continue;
    if (errno == ECONNABORTED || errno == EINTR) continue;
    if (errno == EAGAIN) break;
    if (errno == EMFILE || errno == ENFILE) drop_some();
    return rest();
  }
  arm();
}

bool Listener::accept_one() {
  Address remote;
  os::UniqueFd fd(
      ::accept4(watch_.get(), remote.get(), &remote.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) return false;
  switch_on(fd.get(), IPPROTO_TCP, TCP_NODELAY);
  registry_->add(std::move(fd), address_text(remote));
  return true;
}

void Listener::drop_some() {
  spare_.reset();
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    const os::UniqueFd dropped(::accept4(watch_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!dropped) break;
  }
  spare_ = spare_descriptor();
}

void Listener::rest() {
  pause_.expires_after(kRest);
  pause_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->watch_.is_open()) self->arm();
  });
}

}  // namespace helve::http
