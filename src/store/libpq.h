// store/libpq.h
//
// PostgreSQL's client library, loaded on first use: whoever has no such database needs no libpq and
// pays no memory for it. The functions have libpq's own meaning; nothing else in the project calls
// libpq. Any thread; a PGconn belongs to one thread at a time.
#pragma once

#include <postgresql/libpq-fe.h>

#include <memory>

#include "base/refusal.h"

namespace helve::store {

struct Libpq {
  decltype(&PQconninfoParse) conninfo_parse = nullptr;
  decltype(&PQconninfoFree) conninfo_free = nullptr;
  decltype(&PQfreemem) freemem = nullptr;
  decltype(&PQconnectStartParams) connect_start = nullptr;
  decltype(&PQconnectPoll) connect_poll = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQsocket) socket = nullptr;
  decltype(&PQsetnonblocking) set_nonblocking = nullptr;
  decltype(&PQsetNoticeReceiver) set_notice_receiver = nullptr;
  decltype(&PQsendQuery) send_query = nullptr;
  decltype(&PQsendPrepare) send_prepare = nullptr;
  decltype(&PQsendQueryPrepared) send_prepared = nullptr;
  decltype(&PQflush) flush = nullptr;
  decltype(&PQconsumeInput) consume_input = nullptr;
  decltype(&PQisBusy) is_busy = nullptr;
  decltype(&PQgetResult) get_result = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQresultErrorField) error_field = nullptr;
  decltype(&PQntuples) row_count = nullptr;
  decltype(&PQnfields) column_count = nullptr;
  decltype(&PQftype) column_type = nullptr;
  decltype(&PQgetisnull) is_null = nullptr;
  decltype(&PQgetlength) length = nullptr;
  decltype(&PQgetvalue) value = nullptr;
  decltype(&PQcmdStatus) command_tag = nullptr;
  decltype(&PQcmdTuples) command_rows = nullptr;
  decltype(&PQnotifies) notifies = nullptr;
};

// Loads `file`; it stays loaded. Refused: store.unavailable, whose next step names the package.
Result<Libpq> load_libpq(const char* file);

// The one that is used, once it could be loaded; refused as above, and tried again the next time.
Result<const Libpq*> libpq();

struct ClearResult {
  const Libpq* pq;
  void operator()(PGresult* result) const { pq->clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ClearResult>;

}  // namespace helve::store
