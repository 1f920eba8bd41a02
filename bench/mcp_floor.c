/* The floor for mcp-load.mjs: answers initialize, tools/list and tools/call with fixed
 * text and parses nothing but the id. Not a server; it shows what the pipe or socket and
 * the load generator themselves cost on the machine of the day.
 *   cc -O2 -o mcp_floor mcp_floor.c
 *   node mcp-load.mjs -- ./mcp_floor
 *   node mcp-load.mjs --url http://127.0.0.1:3931/mcp -- ./mcp_floor 3931            */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX = 1 << 20 };
typedef struct { char b[MAX]; size_t n; } Buf;

static int answer(char *out, const char *msg) {
  const char *id = strstr(msg, "\"id\":");
  if (!id) return 0;
  long n = atol(id + 5);
  if (strstr(msg, "\"initialize\""))
    return sprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"c-floor\",\"version\":\"1\"}}}", n);
  if (strstr(msg, "\"tools/list\""))
    return sprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}}", n);
  return sprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Echo: hi\"}]}}", n);
}

static int put(int fd, const char *s, size_t n) {
  while (n) { ssize_t k = write(fd, s, n); if (k < 0) return -1; s += k; n -= (size_t)k; }
  return 0;
}

static int over_stdio(void) {
  static Buf in; static char out[MAX];
  for (;;) {
    ssize_t r = read(0, in.b + in.n, MAX - 1 - in.n);
    if (r <= 0) return 0;
    in.n += (size_t)r; in.b[in.n] = 0;
    size_t o = 0; char *s = in.b, *e;
    while ((e = memchr(s, '\n', in.n - (size_t)(s - in.b)))) {
      *e = 0;
      int k = answer(out + o, s);
      if (k) { o += (size_t)k; out[o++] = '\n'; }
      s = e + 1;
      if (o > MAX - 4096) { if (put(1, out, o)) return 1; o = 0; }
    }
    in.n -= (size_t)(s - in.b);
    memmove(in.b, s, in.n);
    if (o && put(1, out, o)) return 1;
  }
}

static int over_http(int port) {
  static Buf *conn[65536];
  int s = socket(AF_INET, SOCK_STREAM, 0), one = 1, ep = epoll_create1(0);
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(s, (void *)&a, sizeof a) || listen(s, 512)) { perror("listen"); return 1; }
  struct epoll_event v = { .events = EPOLLIN, .data.fd = s }, w[256];
  epoll_ctl(ep, EPOLL_CTL_ADD, s, &v);
  for (;;) {
    int k = epoll_wait(ep, w, 256, -1);
    for (int i = 0; i < k; i++) {
      int f = w[i].data.fd;
      if (f == s) {
        int n = accept4(s, 0, 0, SOCK_NONBLOCK);
        if (n < 0) continue;
        setsockopt(n, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        conn[n] = malloc(sizeof(Buf)); conn[n]->n = 0;
        v.events = EPOLLIN; v.data.fd = n;
        epoll_ctl(ep, EPOLL_CTL_ADD, n, &v);
        continue;
      }
      Buf *c = conn[f];
      ssize_t r = read(f, c->b + c->n, MAX - 1 - c->n);
      if (r <= 0) { close(f); free(c); conn[f] = 0; continue; }
      c->n += (size_t)r; c->b[c->n] = 0;
      char *h = strstr(c->b, "\r\n\r\n");
      if (!h) continue;
      char *l = strcasestr(c->b, "content-length:");
      size_t len = l && l < h ? (size_t)atol(l + 15) : 0;
      if (c->n < (size_t)(h + 4 - c->b) + len) continue;
      char body[512], out[1024];
      int n = answer(body, h + 4);
      int m = n ? sprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%.*s", n, n, body)
                : sprintf(out, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
      put(f, out, (size_t)m);
      c->n = 0;
    }
  }
}

int main(int argc, char **argv) { return argc > 1 ? over_http(atoi(argv[1])) : over_stdio(); }
