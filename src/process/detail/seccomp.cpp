#include "process/detail/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helve::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#else
#error "the filter does not know this processor"
#endif

constexpr std::uint32_t kX32 = 0x40000000;
constexpr std::uint32_t kNewTime = 0x80;  // CLONE_NEWTIME; of unshare only
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Numbers that older headers lack; the same on all processors.
constexpr std::uint32_t kNeverByNumber[] = {
    425, 426, 427,                           // io_uring_setup, _enter, _register
    428, 429, 430, 431, 432, 433, 442, 467,  // open_tree, move_mount, fsopen and what follows
    443,                                     // quotactl_fd
};
constexpr std::uint32_t kClone3 = 435, kOpenat2 = 437;

constexpr std::uint32_t kNever[] = {
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_process_vm_writev,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_acct,
    SYS_quotactl,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
#endif
};

constexpr std::uint32_t refusing(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
}

// The low half of an argument: all that the kernel looks at for flags, families and commands.
constexpr std::uint32_t argument(unsigned index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

class Program {
 public:
  explicit Program(const FilterKind& kind) {
    load(offsetof(seccomp_data, arch));
    unless_equal(kArch, EPERM);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    if_any_bit(kX32, ENOSYS);
#endif
    for (const std::uint32_t number : kNeverByNumber) if_equal(number, EPERM);
    for (const std::uint32_t number : kNever) if_equal(number, EPERM);
    if_equal(kClone3, ENOSYS);
    add_arguments(kind);
    emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program_ = {static_cast<unsigned short>(code_.size()), code_.data()};
  }

  const sock_fprog& get() const { return program_; }

 private:
  void add_arguments(const FilterKind& kind) {
    of(SYS_clone, 0, [this] { if_any_bit(kNamespaces, EPERM); });
    of(SYS_unshare, 0, [this] { if_any_bit(kNamespaces | kNewTime, EPERM); });
    // They put words into the mouth of whoever types at a terminal.
    of(SYS_ioctl, 1, [this] {
      if_equal(TIOCSTI, EPERM);
      if_equal(TIOCLINUX, EPERM);
    });
    if (!kind.network) of(SYS_socket, 0, [this] { unless_equal(AF_UNIX, EACCES); });
    if (kind.truncates_freely) return;
    if_equal(SYS_truncate, EPERM);
    if_equal(kOpenat2, ENOSYS);
    const auto reading_but_truncating = [this] {
      emit(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC);
      if_equal(O_RDONLY | O_TRUNC, EPERM);
    };
    of(SYS_openat, 2, reading_but_truncating);
#if defined(__x86_64__)
    of(SYS_open, 1, reading_but_truncating);
#endif
  }

  // What `checks` do not refuse is allowed; other calls pass them by.
  template <typename Checks>
  void of(std::uint32_t number, unsigned index, Checks checks) {
    const std::size_t jump = code_.size();
    emit(BPF_JMP | BPF_JEQ | BPF_K, number);
    load(argument(index));
    checks();
    emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code_[jump].jf = static_cast<std::uint8_t>(code_.size() - jump - 1);
  }

  void load(std::size_t offset) {
    emit(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void if_equal(std::uint32_t value, int error) { test(BPF_JEQ, value, error, 0, 1); }
  void unless_equal(std::uint32_t value, int error) { test(BPF_JEQ, value, error, 1, 0); }
  void if_any_bit(std::uint32_t bits, int error) { test(BPF_JSET, bits, error, 0, 1); }

  void test(int how, std::uint32_t value, int error, std::uint8_t yes, std::uint8_t no) {
    emit(BPF_JMP | BPF_K | how, value);
    code_.back().jt = yes;
    code_.back().jf = no;
    emit(BPF_RET | BPF_K, refusing(error));
  }

  void emit(int code, std::uint32_t value) {
    code_.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }

  std::vector<sock_filter> code_;
  sock_fprog program_{};
};

}  // namespace

const sock_fprog& filter_of(const FilterKind& kind) {
  static const std::array<Program, 4> kPrograms = {
      Program({.network = false, .truncates_freely = false}),
      Program({.network = false, .truncates_freely = true}),
      Program({.network = true, .truncates_freely = false}),
      Program({.network = true, .truncates_freely = true})};
  return kPrograms[(kind.network ? 2U : 0U) + (kind.truncates_freely ? 1U : 0U)].get();
}

}  // namespace helve::process
