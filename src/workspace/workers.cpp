#include "workspace/workers.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "os/files.h"
#include "os/replace.h"
#include "os/waiting.h"
#include "workspace/detail/fence.h"

namespace helve::workspace {
namespace {

// Threads are made as they are needed. So many, that sessions whose work hangs (eight pieces each,
// on a dead network disk) leave some for the others.
constexpr std::size_t kMostThreads = 64;

// One piece of work, shared by who waits for it and the thread that does it.
class Piece {
 public:
  explicit Piece(std::function<void()> work) : work_(std::move(work)) {}

  void run() {
    std::exception_ptr thrown;
    try {
      work_();
    } catch (...) {
      thrown = std::current_exception();
    }
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex_);
      work_ = nullptr;  // before somebody is told: it refers to what is theirs
      thrown_ = thrown;
      done_ = true;
      tell = std::move(tell_);
      ended_.notify_all();
    }
    if (tell) tell();
  }

  // Calls `tell` once it is done, or at once if it is.
  void when_done(std::function<void()> tell) {
    {
      const std::lock_guard lock(mutex_);
      if (!done_) {
        tell_ = std::move(tell);
        return;
      }
    }
    tell();
  }

  bool done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return done_; });
  }

  std::exception_ptr thrown() const { return thrown_; }

 private:
  std::function<void()> work_, tell_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr thrown_;
};

// Of one session: what is under way, and who waits for a turn. Loop thread only.
struct Waiter {
  bool granted = false;
  std::function<void()> happened;
};
struct Turns {
  std::size_t at_work = 0;
  std::deque<std::shared_ptr<Waiter>> waiting;
};

// A turn that ends goes straight to the first who waits, so that the order is kept.
class Turn {
 public:
  explicit Turn(tool::Session& session) : session_(session.shared_from_this()) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (taken_ || (waiter_ && waiter_->granted)) {
      give_up(session_->record<Turns>());
    } else if (waiter_) {
      std::erase(session_->record<Turns>().waiting, waiter_);
    }
  }

  boost::asio::awaitable<void> take() {
    Turns& turns = session_->record<Turns>();
    if (turns.at_work < Workers::kMostOfSession) {
      ++turns.at_work;
      taken_ = true;
      co_return;
    }
    waiter_ = std::make_shared<Waiter>();
    turns.waiting.push_back(waiter_);
    while (!waiter_->granted) {
      co_await os::wait_until(
          [&](std::function<void()> happened) { waiter_->happened = std::move(happened); },
          Clock::time_point::max());
    }
  }

 private:
  static void give_up(Turns& turns) {
    if (turns.waiting.empty()) {
      --turns.at_work;
      return;
    }
    const std::shared_ptr<Waiter> next = std::move(turns.waiting.front());
    turns.waiting.pop_front();
    next->granted = true;
    next->happened();
  }

  std::shared_ptr<tool::Session> session_;
  std::shared_ptr<Waiter> waiter_;
  bool taken_ = false;
};

// What the work refers to lives in the coroutine that waits; this goes first when that is dropped.
class Ended {
 public:
  explicit Ended(Piece& piece) : piece_(piece) {}
  Ended(const Ended&) = delete;
  Ended& operator=(const Ended&) = delete;
  ~Ended() {
    piece_.when_done([] {});
    piece_.wait();
  }

 private:
  Piece& piece_;
};

std::vector<std::filesystem::path> folders_for(const Settings& settings) {
  std::vector<std::filesystem::path> folders = settings.roots;
  folders.push_back(settings.root);
  folders.push_back(settings.state);
  if (settings.environment) folders.push_back(settings.environment->folder);
  return folders;
}

}  // namespace

struct Workers::State {
  State(os::Loop& on, const Settings& settings) : loop(on) {
    os::prepare_replacing();  // reads what the fence hides
    // A project's first start makes it only later; what is not there is not within the fence.
    if (!settings.state.empty()) (void)os::make_private_folder(settings.state);
    if (settings.reach == Reach::kRoots) fence = detail::Fence::around(folders_for(settings));
  }

  void add(std::shared_ptr<Piece> piece) {
    const std::lock_guard lock(mutex);
    queue.push_back(std::move(piece));
    if (queue.size() <= idle || threads.size() >= kMostThreads) {
      wake.notify_one();
      return;
    }
    try {
      threads.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      if (threads.empty()) throw;  // else those that there are do it later
    }
  }

  void serve() {
    if (fence && !fence->enter()) unfenced = true;
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      wake.wait(lock, [&] { return stopping || !queue.empty(); });
      --idle;
      if (queue.empty()) return;
      const std::shared_ptr<Piece> piece = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      piece->run();
      lock.lock();
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      wake.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }

  os::Loop& loop;
  std::optional<detail::Fence> fence;
  std::atomic<bool> unfenced = false;

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::shared_ptr<Piece>> queue;  // this and what follows by mutex
  std::vector<std::thread> threads;          // made by the loop thread only
  std::size_t idle = 0;
  bool stopping = false;
};

Workers::Workers(os::Loop& loop, const Settings& settings)
    : state_(std::make_shared<State>(loop, settings)) {}

Workers::~Workers() { state_->stop(); }

bool Workers::fenced() const { return state_->fence.has_value() && !state_->unfenced; }

boost::asio::awaitable<void> Workers::run(tool::Session& session, std::function<void()> work) {
  const std::shared_ptr<State> state = state_;
  Turn turn(session);
  co_await turn.take();
  const auto piece = std::make_shared<Piece>(std::move(work));
  state->add(piece);
  const Ended ended(*piece);
  while (!piece->done()) {
    co_await os::wait_until(
        [&](const std::function<void()>& happened) {
          piece->when_done([executor = state->loop.executor(), happened] {
            boost::asio::post(executor, happened);
          });
        },
        Clock::time_point::max());
  }
  if (piece->thrown()) std::rethrow_exception(piece->thrown());
}

}  // namespace helve::workspace
