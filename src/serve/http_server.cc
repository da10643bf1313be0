#include "serve/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "serve/connection.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

// Gives httplib a head that was read before, then what follows on the socket.
class HeadFirstStream final : public httplib::Stream {
 public:
  HeadFirstStream(int socket, std::string head, int seconds)
      : socket_(socket), buffered_(std::move(head)), seconds_(seconds) {}

  bool is_readable() const override { return used_ < buffered_.size() || Wait(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* into, size_t size) override {
    if (used_ < buffered_.size()) {
      const size_t part = std::min(size, buffered_.size() - used_);
      std::memcpy(into, buffered_.data() + used_, part);
      used_ += part;
      return static_cast<ssize_t>(part);
    }
    return Wait() ? recv(socket_, into, size, 0) : -1;
  }
  ssize_t write(const char* bytes, size_t size) override {
    return SendAll(socket_, {bytes, size}, seconds_) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  socket_t socket() const override { return socket_; }

  std::string Unused() const { return buffered_.substr(used_); }

 private:
  bool Wait() const {
    pollfd descriptor{socket_, POLLIN, 0};
    return poll(&descriptor, 1, seconds_ * 1000) > 0;
  }

  const int socket_;
  const std::string buffered_;
  const int seconds_;
  size_t used_ = 0;
};

// One thread per running task; threads wait a little for the next task. A task of httplib is a
// connection.
class ElasticThreads final : public httplib::TaskQueue {
 public:
  explicit ElasticThreads(size_t most) : most_(most) {}

  void enqueue(std::function<void()> task) override {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (idle_ >= tasks_.size() || running_ >= most_) {
      wake_.notify_one();
      return;
    }
    ++running_;
    std::thread([this] { Work(); }).detach();
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    ended_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait_for(lock, std::chrono::seconds(5),
                     [this] { return stopping_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) break;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
    --running_;
    // Under the lock: whoever waits may destroy this as soon as it has it.
    if (running_ == 0) ended_.notify_all();
  }

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
  size_t running_ = 0;
  bool stopping_ = false;
};

constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view kHeadTooLarge =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: "
    "close\r\n\r\n";
constexpr std::string_view kBodyRefused =
    "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view kHeadTooSlow =
    "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

}  // namespace

Language HttpRequest::language() const {
  if (const auto asked = parameters.find("lang"); asked != parameters.end()) {
    if (const auto named = LanguageNamed(asked->second)) return *named;
  }
  // "zh-CN,zh;q=0.9,en;q=0.8": browsers name the one they like best first.
  for (std::string_view rest = languages; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view tag = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    if (const auto named = LanguageNamed(tag.substr(0, tag.find_first_of("-;")))) return *named;
  }
  return Language::kEnglish;
}

class HttpServer::Impl final : public httplib::Server {
 public:
  Impl(HttpServer::Handler handler, HttpLimits limits)
      : handler_(std::move(handler)), limits_(limits) {
    new_task_queue = [this] { return new ElasticThreads(limits_.connections + 8); };
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
      return HandlerResponse::Handled;
    });
    set_tcp_nodelay(true);
    set_keep_alive_timeout(limits_.idle_seconds);
    set_keep_alive_max_count(1'000'000);
  }

  Result<int> Bind(const std::string& host, int port) {
    const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    if (bound <= 0) {
      return Fail(ErrorCode::kUsage, Say("serve.cannot-listen", host, port), {},
                  Say("serve.choose-port"));
    }
    // The library's own backlog has room for only five connections.
    constexpr int kWaiting = 512;
    ::listen(svr_sock_, kWaiting);
    return bound;
  }

  void Cut() {
    stop();
    stopping_ = true;
    std::lock_guard lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  size_t open_connections() const { return open_; }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const bool fits = ++open_ <= limits_.connections && Enter(socket);
    if (fits) {
      Converse(socket);
      Leave(socket);
    } else {
      (void)SendAll(socket, kBusy, 1);
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    --open_;
    return true;
  }

  bool Enter(int socket) {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    sockets_.insert(socket);
    return true;
  }
  void Leave(int socket) {
    std::lock_guard lock(mutex_);
    sockets_.erase(socket);
  }

  // Serves requests one after the other until either side closes.
  void Converse(int socket) {
    std::string pending;
    while (!stopping_) {
      RequestHead head = ReadHead(socket, std::move(pending), limits_.head_bytes,
                                  limits_.idle_seconds, limits_.head_seconds);
      if (head.outcome == HeadOutcome::kTooLarge) (void)SendAll(socket, kHeadTooLarge, 1);
      if (head.outcome == HeadOutcome::kTooSlow) (void)SendAll(socket, kHeadTooSlow, 1);
      if (head.outcome == HeadOutcome::kHasBody) (void)SendAll(socket, kBodyRefused, 1);
      if (head.outcome != HeadOutcome::kComplete) return;
      HeadFirstStream stream(socket, head.text + head.rest, limits_.write_seconds);
      bool closed = false;
      bool understood = false;
      const bool fine =
          process_request(stream, false, closed, [&](httplib::Request&) { understood = true; });
      if (!fine || closed || !understood) return;
      pending = stream.Unused();
    }
  }

  void Answer(const httplib::Request& from, httplib::Response& to) {
    HttpRequest request{.method = from.method,
                        .path = from.path,
                        .parameters = {from.params.begin(), from.params.end()},
                        .host = from.get_header_value("Host"),
                        .origin = from.get_header_value("Origin"),
                        .fetch_site = from.get_header_value("Sec-Fetch-Site"),
                        .token = from.get_header_value("X-Stepscope-Token"),
                        .languages = from.get_header_value("Accept-Language"),
                        .accepts_gzip = from.has_header(kAcceptsGzip)};
    HttpAnswer answer = handler_(request);
    to.status = answer.status;
    for (const auto& [name, value] : answer.headers) to.set_header(name, value);
    if (answer.gzipped) to.set_header("Content-Encoding", "gzip");
    if (answer.stream) {
      Stream(std::move(answer), to);
    } else if (!answer.constant.empty()) {
      to.set_content(answer.constant.data(), answer.constant.size(), answer.type);
    } else {
      to.body = std::move(answer.body);
      to.set_header("Content-Type", answer.type);
    }
  }

  void Stream(HttpAnswer answer, httplib::Response& to) {
    auto next = std::make_shared<std::function<bool(std::string&)>>(std::move(answer.stream));
    to.set_chunked_content_provider(answer.type, [this, next](size_t, httplib::DataSink& sink) {
      std::string text;
      const bool more = !stopping_ && (*next)(text);
      if (!text.empty() && !sink.write(text.data(), text.size())) return false;
      if (!more) sink.done();
      return true;
    });
  }

  const HttpServer::Handler handler_;
  const HttpLimits limits_;
  std::atomic<size_t> open_ = 0;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::set<int> sockets_;
};

HttpServer::HttpServer(Handler handler, HttpLimits limits)
    : impl_(std::make_unique<Impl>(std::move(handler), limits)) {}
HttpServer::~HttpServer() = default;
Result<int> HttpServer::Bind(const std::string& host, int port) { return impl_->Bind(host, port); }
void HttpServer::Run() { impl_->listen_after_bind(); }
void HttpServer::Stop() { impl_->Cut(); }
size_t HttpServer::open_connections() const { return impl_->open_connections(); }

}  // namespace stepscope
