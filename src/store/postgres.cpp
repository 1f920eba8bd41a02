#include "store/detail/postgres.h"

#include "base/check.h"
#include "base/ids.h"
#include "store/detail/answer.h"
#include "store/detail/postgres_address.h"
#include "store/detail/postgres_listener.h"
#include "store/detail/postgres_pool.h"

namespace helve::store {
namespace {

class Postgres final : public Database, public std::enable_shared_from_this<Postgres> {
 public:
  Postgres(os::Loop& loop, Settings settings) : loop_(loop) {
    shared_.at = std::move(settings.at);
    shared_.schemas = std::move(settings.schemas);
    shared_.tag = random_hex(4);
    CloseWithLoop::add(loop_, pool_);
  }

  Dialect dialect() const override { return Dialect::kPostgres; }

  boost::asio::awaitable<Result<void>> write(Work work) override {
    return transact(shared_from_this(), std::move(work), true);
  }
  boost::asio::awaitable<Result<void>> read(Work work) override {
    return transact(shared_from_this(), std::move(work), false);
  }

  void on_change(std::function<void()> react) override {
    HELVE_CHECK(!listener_);
    listener_ = std::make_shared<PostgresListener>(loop_, shared_, std::move(react));
    CloseWithLoop::add(loop_, listener_);
    shared_.before_use = [listener = listener_.get()] { return listener->start(); };
  }

  std::string where() const override { return place_of(shared_.at); }

  boost::asio::awaitable<Result<void>> backup(std::string /*file*/) override {
    co_return refuse("store.backup_elsewhere");
  }

 private:
  static boost::asio::awaitable<Result<void>> transact(std::shared_ptr<Postgres> self, Work work,
                                                       bool writes) {
    co_return co_await answered(self->loop_, [&](Done done) {
      self->pool_->add(std::move(work), writes, std::move(done));
    });
  }

  os::Loop& loop_;
  PostgresShared shared_;
  std::shared_ptr<PostgresListener> listener_;
  // Goes first: its threads use all of the above.
  std::shared_ptr<PostgresPool> pool_ = std::make_shared<PostgresPool>(shared_);
};

}  // namespace

std::shared_ptr<Database> open_postgres(os::Loop& loop, Settings settings) {
  return std::make_shared<Postgres>(loop, std::move(settings));
}

}  // namespace helve::store
