#include "workspace/locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <deque>
#include <map>

#include "base/hash.h"
#include "os/fd.h"
#include "os/files.h"
#include "os/replace.h"

namespace helve::workspace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr Duration kLongest = 5s;  // WS-90
constexpr Duration kFirstPause = 1ms, kLongestPause = 100ms;

// Waits in a queue; whoever leaves cancels the timer of the next.
struct Waiter {
  Waiter(os::Loop& loop, Clock::time_point latest) : timer(loop.executor(), latest) {}
  asio::steady_timer timer;
  bool has_turn = false;
};

}  // namespace

struct Locks::State {
  os::Loop& loop;
  std::filesystem::path folder;
  bool folder_made = false;
  std::map<std::string, std::deque<std::shared_ptr<Waiter>>>
      queues;  // there: somebody has the turn

  asio::awaitable<bool> wait_for_turn(std::string key, Clock::time_point latest) {
    const auto [queue, is_free] = queues.try_emplace(key);
    if (is_free) co_return true;
    const auto waiter = std::make_shared<Waiter>(loop, latest);
    queue->second.push_back(waiter);
    boost::system::error_code error;
    co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!waiter->has_turn) std::erase(queues.at(key), waiter);
    co_return waiter->has_turn;
  }

  void leave(const std::string& key) {
    const auto queue = queues.find(key);
    if (queue->second.empty()) {
      queues.erase(queue);
      return;
    }
    const auto next = std::move(queue->second.front());
    queue->second.pop_front();
    next->has_turn = true;
    next->timer.cancel();
  }

  Result<void> make_folder() {
    if (folder_made) return {};
    auto made = os::make_private_folder(folder);
    folder_made = made.has_value();
    return made;
  }

  std::filesystem::path file_of(const std::string& key) const {
    return folder / (sha256_hex(key).substr(0, 32) + ".lock");
  }
};

class Locks::Held {
 public:
  Held(std::shared_ptr<State> state, std::string key)
      : state_(std::move(state)), key_(std::move(key)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    // Still locked: whoever opened it meanwhile finds it without a name, and opens a new one.
    if (fd_) ::unlink(file_.c_str());
    state_->leave(key_);
  }

  // False: another process has it.
  Result<bool> try_file() {
    file_ = state_->file_of(key_);
    os::UniqueFd fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return std::unexpected(os::errno_refusal(errno, file_.string()));
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (::fcntl(fd.get(), F_OFD_SETLK, &lock) != 0) {
      if (errno == EAGAIN || errno == EACCES) return false;
      return std::unexpected(os::errno_refusal(errno, file_.string()));
    }
    struct stat status{};
    if (::fstat(fd.get(), &status) != 0 || status.st_nlink == 0) return false;
    fd_ = std::move(fd);
    return true;
  }

 private:
  std::shared_ptr<State> state_;
  std::string key_;
  std::filesystem::path file_;
  os::UniqueFd fd_;
};

Locks::Locks(os::Loop& loop, std::filesystem::path folder)
    : state_(new State{.loop = loop, .folder = std::move(folder)}) {}
Locks::~Locks() = default;

asio::awaitable<Result<Locks::Lock>> Locks::turn(const std::string& session,
                                                 const std::filesystem::path& path,
                                                 std::string_view shown) {
  const auto state = state_;
  const std::string key = "turn " + session + ' ' + path.native(), name(shown);
  if (!co_await state->wait_for_turn(key, Clock::now() + kLongest)) {
    co_return refuse("file.busy", {{"path", name}});
  }
  co_return std::make_shared<Held>(state, key);
}

asio::awaitable<Result<Locks::Lock>> Locks::lock(const std::filesystem::path& real_path,
                                                 std::string_view shown) {
  const auto state = state_;
  const std::string key = real_path.native(), name(shown);
  const Clock::time_point latest = Clock::now() + kLongest;
  if (auto made = state->make_folder(); !made) co_return std::unexpected(made.error());
  if (!co_await state->wait_for_turn(key, latest)) {
    co_return refuse("file.busy", {{"path", name}});
  }
  auto held = std::make_shared<Held>(state, key);
  for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const auto locked = held->try_file();
    if (!locked) co_return std::unexpected(locked.error());
    if (*locked) co_return held;
    if (Clock::now() >= latest) co_return refuse("file.busy", {{"path", name}});
    co_await os::Loop::sleep(pause);
  }
}

}  // namespace helve::workspace
