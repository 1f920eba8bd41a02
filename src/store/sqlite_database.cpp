// What the loop sees of an SQLite database.
#include <boost/asio/post.hpp>
#include <filesystem>
#include <utility>

#include "os/folder_watch.h"
#include "store/detail/answer.h"
#include "store/detail/sqlite.h"
#include "store/detail/sqlite_file.h"
#include "store/detail/sqlite_readers.h"
#include "store/detail/sqlite_writer.h"

namespace helve::store {
namespace {

// Other processes write often, and each time is only a hint.
constexpr Duration kSettle = std::chrono::milliseconds(20);

class SqliteDatabase : public Database,
                       public Closable,
                       public std::enable_shared_from_this<SqliteDatabase> {
 public:
  SqliteDatabase(os::Loop& loop, Settings settings, SqliteOptions options)
      : loop_(loop),
        remark_(std::move(settings.remark)),
        file_(std::make_shared<SqliteFile>(std::move(settings), std::move(options), events())),
        writer_(file_, [this] { on_loop(&SqliteDatabase::tell); }),
        readers_(file_, [this] { on_loop(&SqliteDatabase::tell); }) {}
  ~SqliteDatabase() override { shut(); }

  Dialect dialect() const override { return Dialect::kSqlite; }
  std::string where() const override { return "SQLite, " + file_->path(); }
  void on_change(std::function<void()> react) override { react_ = std::move(react); }

  // The coroutines keep the database as long as they run.
  boost::asio::awaitable<Result<void>> write(Work work) override {
    const auto self = begin();
    co_return co_await answered(loop_, [self, work = std::move(work)](Done done) mutable {
      self->writer_.push(std::move(work), std::move(done));
    });
  }
  boost::asio::awaitable<Result<void>> read(Work work) override {
    const auto self = begin();
    co_return co_await answered(loop_, [self, work = std::move(work)](Done done) mutable {
      self->readers_.read(std::move(work), std::move(done));
    });
  }
  boost::asio::awaitable<Result<void>> backup(std::string file) override {
    const auto self = begin();
    co_return co_await answered(loop_, [self, file = std::move(file)](Done done) mutable {
      self->readers_.copy(std::move(file), std::move(done));
    });
  }

  void close() override { shut(); }

 private:
  void shut() {
    watch_.reset();
    readers_.close();
    writer_.close();
  }

  std::shared_ptr<SqliteDatabase> begin() {
    if (!begun_ && react_) watch();
    begun_ = true;
    return shared_from_this();
  }

  void watch() {
    const std::filesystem::path file = file_->path();
    const std::string name = file.filename().string();
    watch_ = std::make_unique<os::FolderWatch>(
        loop_,
        std::vector<os::WatchSpot>{{file.parent_path(), name}, {file.parent_path(), name + "-wal"}},
        [this] { readers_.look_for_changes(); }, [](const Refusal&) {},
        os::WatchSettings{.settle = kSettle});
    readers_.look_for_changes();
  }

  // From any of the threads.
  template <typename... Values>
  void on_loop(void (SqliteDatabase::*act)(Values...), Values... values) {
    boost::asio::post(loop_.executor(), [weak = weak_from_this(), act, values...] {
      if (const auto self = weak.lock()) ((*self).*act)(values...);
    });
  }
  SqliteFile::Events events() {
    return {.remark = [this](const Refusal& refusal) { on_loop(&SqliteDatabase::remark, refusal); },
            .unclean = [this] { on_loop(&SqliteDatabase::check); }};
  }

  void tell() {
    if (react_) react_();
  }
  void remark(Refusal refusal) {
    if (remark_) remark_(refusal);
  }
  void check() { readers_.check(); }

  os::Loop& loop_;
  const std::function<void(const Refusal&)> remark_;
  const std::shared_ptr<SqliteFile> file_;
  std::function<void()> react_;
  std::unique_ptr<os::FolderWatch> watch_;
  bool begun_ = false;
  SqliteWriter writer_;
  SqliteReaders readers_;
};

}  // namespace

std::shared_ptr<Database> open_sqlite(os::Loop& loop, Settings settings, SqliteOptions options) {
  auto made = std::make_shared<SqliteDatabase>(loop, std::move(settings), std::move(options));
  CloseWithLoop::add(loop, made);
  return made;
}

}  // namespace helve::store
