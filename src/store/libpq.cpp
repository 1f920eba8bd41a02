#include "store/libpq.h"

#include <dlfcn.h>

#include <mutex>
#include <optional>

#include "base/texts.h"
#include "store/detail/refusals.h"

namespace helve::store {
namespace {

// A function that is missing is one of a library that is too old: as good as no library.
class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}
  template <typename Function>
  void operator()(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    complete_ = complete_ && function != nullptr;
  }
  bool complete() const { return complete_; }

 private:
  void* library_;
  bool complete_ = true;
};

void load_connecting(Loader& load, Libpq& pq) {
  load(pq.conninfo_parse, "PQconninfoParse");
  load(pq.conninfo_free, "PQconninfoFree");
  load(pq.freemem, "PQfreemem");
  load(pq.connect_start, "PQconnectStartParams");
  load(pq.connect_poll, "PQconnectPoll");
  load(pq.status, "PQstatus");
  load(pq.finish, "PQfinish");
  load(pq.error_message, "PQerrorMessage");
  load(pq.socket, "PQsocket");
  load(pq.set_nonblocking, "PQsetnonblocking");
  load(pq.set_notice_receiver, "PQsetNoticeReceiver");
}

void load_asking(Loader& load, Libpq& pq) {
  load(pq.send_query, "PQsendQuery");
  load(pq.send_prepare, "PQsendPrepare");
  load(pq.send_prepared, "PQsendQueryPrepared");
  load(pq.flush, "PQflush");
  load(pq.consume_input, "PQconsumeInput");
  load(pq.is_busy, "PQisBusy");
  load(pq.get_result, "PQgetResult");
  load(pq.notifies, "PQnotifies");
}

void load_reading(Loader& load, Libpq& pq) {
  load(pq.clear, "PQclear");
  load(pq.result_status, "PQresultStatus");
  load(pq.error_field, "PQresultErrorField");
  load(pq.row_count, "PQntuples");
  load(pq.column_count, "PQnfields");
  load(pq.column_type, "PQftype");
  load(pq.is_null, "PQgetisnull");
  load(pq.length, "PQgetlength");
  load(pq.value, "PQgetvalue");
  load(pq.command_tag, "PQcmdStatus");
  load(pq.command_rows, "PQcmdTuples");
}

}  // namespace

Result<Libpq> load_libpq(const char* file) {
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return unavailable(text("store.no_libpq"), "store.next.libpq");
  Libpq pq;
  Loader load(library);
  load_connecting(load, pq);
  load_asking(load, pq);
  load_reading(load, pq);
  if (!load.complete()) return unavailable(text("store.no_libpq"), "store.next.libpq");
  return pq;
}

Result<const Libpq*> libpq() {
  static std::mutex mutex;
  static std::optional<Libpq> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    const Result<Libpq> found = load_libpq("libpq.so.5");
    if (!found) return std::unexpected(found.error());
    loaded = *found;
  }
  return &*loaded;
}

}  // namespace helve::store
