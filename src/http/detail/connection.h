// http/detail/connection.h
//
// One client: reads requests one after the other, gives each to the handler, sends what its
// exchange says, and ends. While an exchange works, what the client sends is only looked at, to
// notice that it went away. Nothing is kept for an idle client but this object. Loop thread only.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "http/detail/reader.h"
#include "http/detail/registry.h"
#include "http/detail/writer.h"
#include "os/watch.h"

namespace helve::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Registry> registry, os::UniqueFd fd, std::string remote);

  void start(Connections::iterator place);
  void tick(Clock::time_point now);
  void close();  // at once; whoever works on a request is told
  bool is_busy() const { return stage_ >= Stage::kBody; }
  bool is_untouched() const { return stage_ == Stage::kIdle && ahead_.empty(); }

  // The side of the exchange. All but the first are for the one that is under way.
  bool serves(const Exchange* exchange) const { return current_ == exchange; }
  void respond(Response response);
  void stream(Response head);
  void write(std::string_view piece);
  void finish();
  void abandon();  // no answer will come
  size_t unsent() const { return out_.size() - sent_; }
  void on_gone(std::function<void()> react);

 private:
  enum class Stage { kIdle, kHead, kBody, kAnswering, kDraining, kClosed };

  // A request is worked on, or the ones that came behind it have their turn next.
  bool looks_ahead() const { return stage_ == Stage::kAnswering || !ahead_.empty(); }
  size_t room() const;
  void arm_read();
  void on_readable();
  void on_bytes(std::string_view bytes);
  void on_end();
  void drain(size_t bytes);

  // Reading requests: see connection_read.cpp.
  void take(std::string_view bytes);
  void take_ahead();
  void wait_for_more(Clock::time_point now);
  void on_head(bool more_is_here);
  void on_whole();
  Clock::time_point body_due(Clock::time_point now) const;
  bool charge_body();
  void discharge();
  void refuse(const Broken& broken);
  void refuse(Response response);

  void begin_answer(Response& response, Ending ending, size_t length);
  void send(std::initializer_list<std::string_view> parts);
  void arm_write();
  void flush();
  void complete_if_sent();
  void complete();
  void linger();
  void tell_gone();

  std::shared_ptr<Registry> registry_;  // none once closed
  std::unique_ptr<os::Watch> watch_;    // none once closed
  const std::string remote_;
  Connections::iterator place_;
  Clock::time_point due_, write_due_, body_began_;

  Stage stage_ = Stage::kIdle;
  bool taking_ = false;    // take() is on the stack
  bool reading_ = false;   // waits for something to read
  bool writing_ = false;   // waits for room to write
  bool ended_ = false;     // the client closed its sending half
  bool finished_ = false;  // all of the answer is in out_, or sent
  bool last_ = false;      // this answer is the last one
  bool gone_ = false;      // the client of the current exchange went away
  Ending ending_ = Ending::kLength;
  Reader reader_;
  std::uint64_t charged_ = 0;
  size_t drained_ = 0;
  std::string ahead_;  // came while an exchange worked
  std::string out_;    // `sent_` of its bytes are sent
  size_t sent_ = 0;
  const Exchange* current_ = nullptr;
  std::function<void()> react_;
};

}  // namespace helve::http
