// store/detail/threads.h
//
// A thread that gets no signals: those are the loop's business.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace helve::store {

template <typename Run>
std::jthread quiet_thread(Run run) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::move(run));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace helve::store
