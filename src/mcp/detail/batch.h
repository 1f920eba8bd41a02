// mcp/detail/batch.h
//
// The answers of one JSON-RPC batch, sent as one array when the last request of it lets go of the
// sink: answered or cancelled. Notifications do not wait. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "mcp/sink.h"

namespace helve::mcp {

class BatchSink : public Sink {
 public:
  explicit BatchSink(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  ~BatchSink() override {
    if (!answers_.empty()) sink_->answer("[" + answers_ + "]");
  }
  void answer(std::string message, int) override {
    if (!answers_.empty()) answers_ += ',';
    answers_ += message;
  }
  void notify(std::string message) override { sink_->notify(std::move(message)); }
  bool congested() const override { return sink_->congested(); }

 private:
  std::shared_ptr<Sink> sink_;
  std::string answers_;
};

}  // namespace helve::mcp
