#include "serve/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "serve/client_limits.h"
#include "serve/connection.h"
#include "serve/elastic_threads.h"
#include "serve/guard.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int operator*() const { return number_; }
  void Reset(int number) {
    Close();
    number_ = number;
  }

 private:
  void Close() const {
    if (number_ >= 0) ::close(number_);
  }
  int number_;
};

// Listens on the first address of the host that can be bound; -1 when there is none.
int ListenOn(const std::string& host, int port) {
  constexpr int kWaiting = 512;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  errno = 0;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  int listening = -1;
  int reason = 0;
  for (const addrinfo* at = found; at != nullptr && listening < 0; at = at->ai_next) {
    const int made = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) continue;
    const int yes = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool fine =
        ::bind(made, at->ai_addr, at->ai_addrlen) == 0 && ::listen(made, kWaiting) == 0;
    if (fine) listening = made;
    if (!fine) reason = errno;
    if (!fine) ::close(made);
  }
  freeaddrinfo(found);
  errno = reason;
  return listening;
}

int PortOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  return address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// "127.0.0.1", "::1"; an IPv4 address that came in over IPv6 as itself.
std::string AddressOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      address.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (inet_ntop(address.ss_family, bytes, text.data(), text.size()) == nullptr) return {};
  const std::string name = text.data();
  constexpr std::string_view kMapped = "::ffff:";
  return name.starts_with(kMapped) ? name.substr(kMapped.size()) : name;
}

// The last of "client, proxy, proxy": what the proxy next to us has seen itself.
std::string LastOf(std::string_view list, const std::string& otherwise) {
  const size_t comma = list.rfind(',');
  if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
  while (list.starts_with(' ')) list.remove_prefix(1);
  return list.empty() ? otherwise : std::string(list);
}

// What a head that cannot be served is answered with; 0: nothing.
int RefusalFor(HeadOutcome outcome) {
  switch (outcome) {
    case HeadOutcome::kTooLarge:
      return 431;
    case HeadOutcome::kTooSlow:
      return 408;
    case HeadOutcome::kComplete:
    case HeadOutcome::kClosed:
      return 0;
  }
  std::unreachable();
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServer::Handler handler, HttpLimits limits)
      : handler_(std::move(handler)),
        limits_(std::move(limits)),
        clients_(limits_.client_connections, limits_.client_requests),
        stop_(eventfd(0, EFD_CLOEXEC)) {}

  Result<int> Bind(const std::string& host, int port) {
    listening_.Reset(ListenOn(host, port));
    const int bound = *listening_ < 0 ? -1 : PortOf(*listening_);
    if (bound > 0) return bound;
    return Fail(ErrorCode::kUsage,
                errno == EADDRINUSE ? Say("serve.port-taken", host, port)
                                    : Say("serve.cannot-listen", host, port),
                {}, Say("serve.choose-port"));
  }

  void Run() {
    ElasticThreads threads(limits_.connections + 8);
    while (!stopping_) {
      std::array<pollfd, 2> waiting{pollfd{*listening_, POLLIN, 0}, pollfd{*stop_, POLLIN, 0}};
      if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
      if (stopping_) break;
      sockaddr_storage address{};
      socklen_t size = sizeof address;
      const int socket =
          accept4(*listening_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC);
      if (socket >= 0) {
        threads.Run([this, socket, peer = AddressOf(address)] { Serve(socket, peer); });
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // Until a connection ends: the one that waits would wake us again at once.
        constexpr int kPauseMs = 50;
        (void)poll(&waiting[1], 1, kPauseMs);
      }
    }
    listening_.Reset(-1);
  }

  void Stop() {
    stopping_ = true;
    const uint64_t one = 1;
    (void)!::write(*stop_, &one, sizeof one);
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  size_t open_connections() const { return open_; }

 private:
  void Serve(int socket, const std::string& peer) {
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const bool proxy = !limits_.trusted_proxy.empty() && peer == limits_.trusted_proxy;
    const bool limited = !proxy && Limited(peer);
    const bool counted = limited && clients_.Enter(peer);
    if (++open_ <= limits_.connections && (!limited || counted) && Enter(socket)) {
      try {
        Converse(socket, peer, proxy);
      } catch (const std::bad_alloc&) {
        (void)SendAll(socket, BareAnswer(503), 1);
      }
      Leave(socket);
    } else {
      Refuse(socket, 503, peer);
    }
    if (counted) clients_.Leave(peer);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    --open_;
  }

  bool Limited(const std::string& client) const {
    return limits_.limits_this_machine || !IsLoopback(client);
  }

  bool Enter(int socket) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    sockets_.insert(socket);
    return true;
  }
  void Leave(int socket) {
    const std::lock_guard lock(mutex_);
    sockets_.erase(socket);
  }

  void Refuse(int socket, int status, const std::string& client) const {
    (void)SendAll(socket, BareAnswer(status), 1);
    if (limits_.log) limits_.log({client, "", "", status, 0, {}});
  }

  // Serves requests one after the other until either side closes.
  void Converse(int socket, const std::string& peer, bool proxy) {
    std::string pending;
    while (!stopping_) {
      RequestHead head = ReadHead(socket, std::move(pending), limits_.head_bytes,
                                  limits_.idle_seconds, limits_.head_seconds);
      if (const int status = RefusalFor(head.outcome); status != 0) {
        Refuse(socket, status, peer);
      }
      if (head.outcome != HeadOutcome::kComplete) return;
      ParsedHead parsed = ParseHead(head.text, limits_.bodies);
      if (parsed.status != 200) return Refuse(socket, parsed.status, peer);
      parsed.request.from_proxy = proxy;
      parsed.request.client = proxy ? LastOf(parsed.request.forwarded_for, peer) : peer;
      const auto began = std::chrono::steady_clock::now();
      if (Limited(parsed.request.client) && !clients_.MayAsk(parsed.request.client, began)) {
        return Refuse(socket, 429, parsed.request.client);
      }
      pending = std::move(head.rest);
      uint64_t unread = parsed.request.body_bytes;
      parsed.request.read_body = [&] { return NextOfBody(socket, pending, unread); };
      const HttpAnswer answer = handler_(parsed.request);
      // What nobody read of a body would look like the next request.
      parsed.keep_open = parsed.keep_open && unread == 0;
      const bool stays = Reply(socket, answer, parsed);
      if (limits_.log) {
        limits_.log({parsed.request.client, parsed.request.method, parsed.request.path,
                     answer.status, answer.content().size(),
                     std::chrono::duration_cast<std::chrono::microseconds>(
                         std::chrono::steady_clock::now() - began)});
      }
      if (!stays) return;
    }
  }

  // Bytes that came with the head first, then from the socket.
  std::string NextOfBody(int socket, std::string& pending, uint64_t& unread) const {
    constexpr size_t kPart = 256 << 10;
    if (unread == 0 || stopping_) return {};
    const auto most = static_cast<size_t>(std::min<uint64_t>(unread, kPart));
    std::string part = pending.substr(0, most);
    pending.erase(0, part.size());
    if (part.empty()) part = ReceiveSome(socket, most, limits_.body_seconds);
    unread -= part.size();
    return part;
  }

  // Whether the connection stays open.
  bool Reply(int socket, const HttpAnswer& answer, const ParsedHead& asked) const {
    if (!SendAll(socket, HeadOf(answer, asked), limits_.write_seconds)) return false;
    if (asked.request.method == "HEAD") return asked.keep_open;
    const bool sent = answer.stream ? Stream(socket, answer, asked.chunks)
                                    : SendAll(socket, answer.content(), limits_.write_seconds);
    return sent && asked.keep_open;
  }

  // In chunks, each text is one and the empty one ends the answer; else the end of the connection
  // does.
  bool Stream(int socket, const HttpAnswer& answer, bool chunks) const {
    for (bool more = true; more && !stopping_;) {
      std::string text;
      more = answer.stream(text);
      if (text.empty()) continue;
      if (chunks) text = fmt::format("{:x}\r\n{}\r\n", text.size(), text);
      if (!SendAll(socket, text, limits_.write_seconds)) return false;
    }
    return chunks && SendAll(socket, "0\r\n\r\n", limits_.write_seconds);
  }

  const HttpServer::Handler handler_;
  const HttpLimits limits_;
  ClientLimits clients_;
  Descriptor listening_;
  const Descriptor stop_;  // readable once Stop was called
  std::atomic<size_t> open_ = 0;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::set<int> sockets_;
};

HttpServer::HttpServer(Handler handler, HttpLimits limits)
    : impl_(std::make_unique<Impl>(std::move(handler), std::move(limits))) {}
HttpServer::~HttpServer() = default;
Result<int> HttpServer::Bind(const std::string& host, int port) { return impl_->Bind(host, port); }
void HttpServer::Run() { impl_->Run(); }
void HttpServer::Stop() { impl_->Stop(); }
size_t HttpServer::open_connections() const { return impl_->open_connections(); }

}  // namespace stepscope
