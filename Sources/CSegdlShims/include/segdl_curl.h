// libcurl's setters and getters are variadic C functions, which Swift cannot call. One inline function an option
// gives each argument its true type: gcc's type checker (`scripts/check`) verifies every one of them against the
// option that stands inside, and Swift's compiler every call.
#ifndef SEGDL_CURL_H
#define SEGDL_CURL_H

#include <curl/curl.h>
#include <stdint.h>

#define SEGDL_EASY_OPTION(name, option, type) \
  static inline CURLcode segdl_easy_set_##name(CURL *handle, type value) { \
    return curl_easy_setopt(handle, option, value); \
  }

typedef size_t (*segdl_write_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*segdl_progress_callback)(
  void *context, curl_off_t expected, curl_off_t received, curl_off_t to_send, curl_off_t sent);
typedef int (*segdl_sockopt_callback)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*segdl_close_socket_callback)(void *context, curl_socket_t socket);
typedef curl_socket_t (*segdl_opensocket_callback)(
  void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*segdl_prereq_callback)(
  void *context, char *primary_ip, char *local_ip, int primary_port, int local_port);

SEGDL_EASY_OPTION(url, CURLOPT_URL, const char *)
SEGDL_EASY_OPTION(protocols, CURLOPT_PROTOCOLS_STR, const char *)
SEGDL_EASY_OPTION(follow_location, CURLOPT_FOLLOWLOCATION, long)
SEGDL_EASY_OPTION(no_body, CURLOPT_NOBODY, long)
SEGDL_EASY_OPTION(http_get, CURLOPT_HTTPGET, long)
SEGDL_EASY_OPTION(http_version, CURLOPT_HTTP_VERSION, long)
SEGDL_EASY_OPTION(http_headers, CURLOPT_HTTPHEADER, struct curl_slist *)
SEGDL_EASY_OPTION(range, CURLOPT_RANGE, const char *)
SEGDL_EASY_OPTION(user_agent, CURLOPT_USERAGENT, const char *)
SEGDL_EASY_OPTION(referer, CURLOPT_REFERER, const char *)
SEGDL_EASY_OPTION(user_name, CURLOPT_USERNAME, const char *)
SEGDL_EASY_OPTION(password, CURLOPT_PASSWORD, const char *)
SEGDL_EASY_OPTION(write_function, CURLOPT_WRITEFUNCTION, segdl_write_callback)
SEGDL_EASY_OPTION(write_data, CURLOPT_WRITEDATA, void *)
SEGDL_EASY_OPTION(header_function, CURLOPT_HEADERFUNCTION, segdl_write_callback)
SEGDL_EASY_OPTION(header_data, CURLOPT_HEADERDATA, void *)
SEGDL_EASY_OPTION(progress_function, CURLOPT_XFERINFOFUNCTION, segdl_progress_callback)
SEGDL_EASY_OPTION(progress_data, CURLOPT_XFERINFODATA, void *)
SEGDL_EASY_OPTION(buffer_size, CURLOPT_BUFFERSIZE, long)
SEGDL_EASY_OPTION(sockopt_function, CURLOPT_SOCKOPTFUNCTION, segdl_sockopt_callback)
SEGDL_EASY_OPTION(sockopt_data, CURLOPT_SOCKOPTDATA, void *)
SEGDL_EASY_OPTION(close_socket_function, CURLOPT_CLOSESOCKETFUNCTION, segdl_close_socket_callback)
SEGDL_EASY_OPTION(close_socket_data, CURLOPT_CLOSESOCKETDATA, void *)
SEGDL_EASY_OPTION(opensocket_function, CURLOPT_OPENSOCKETFUNCTION, segdl_opensocket_callback)
SEGDL_EASY_OPTION(opensocket_data, CURLOPT_OPENSOCKETDATA, void *)
SEGDL_EASY_OPTION(prereq_function, CURLOPT_PREREQFUNCTION, segdl_prereq_callback)
SEGDL_EASY_OPTION(prereq_data, CURLOPT_PREREQDATA, void *)
SEGDL_EASY_OPTION(no_signal, CURLOPT_NOSIGNAL, long)
SEGDL_EASY_OPTION(no_progress, CURLOPT_NOPROGRESS, long)
SEGDL_EASY_OPTION(connect_timeout_ms, CURLOPT_CONNECTTIMEOUT_MS, long)
SEGDL_EASY_OPTION(suppress_connect_headers, CURLOPT_SUPPRESS_CONNECT_HEADERS, long)
SEGDL_EASY_OPTION(fresh_connect, CURLOPT_FRESH_CONNECT, long)
SEGDL_EASY_OPTION(forbid_reuse, CURLOPT_FORBID_REUSE, long)
SEGDL_EASY_OPTION(quick_exit, CURLOPT_QUICK_EXIT, long)
SEGDL_EASY_OPTION(share, CURLOPT_SHARE, CURLSH *)
SEGDL_EASY_OPTION(error_buffer, CURLOPT_ERRORBUFFER, char *)
SEGDL_EASY_OPTION(private_data, CURLOPT_PRIVATE, void *)
SEGDL_EASY_OPTION(ssl_verify_peer, CURLOPT_SSL_VERIFYPEER, long)
SEGDL_EASY_OPTION(ssl_verify_host, CURLOPT_SSL_VERIFYHOST, long)
SEGDL_EASY_OPTION(ca_info, CURLOPT_CAINFO, const char *)
SEGDL_EASY_OPTION(ca_path, CURLOPT_CAPATH, const char *)
SEGDL_EASY_OPTION(cookie, CURLOPT_COOKIE, const char *)
SEGDL_EASY_OPTION(cookie_file, CURLOPT_COOKIEFILE, const char *)
SEGDL_EASY_OPTION(cookie_list, CURLOPT_COOKIELIST, const char *)
SEGDL_EASY_OPTION(proxy, CURLOPT_PROXY, const char *)
SEGDL_EASY_OPTION(no_proxy, CURLOPT_NOPROXY, const char *)
SEGDL_EASY_OPTION(proxy_user_name, CURLOPT_PROXYUSERNAME, const char *)
SEGDL_EASY_OPTION(proxy_password, CURLOPT_PROXYPASSWORD, const char *)
SEGDL_EASY_OPTION(proxy_auth, CURLOPT_PROXYAUTH, unsigned long)
// Swift does not import constants with a cast and a shift.
static const unsigned long segdl_auth_basic = CURLAUTH_BASIC;
static const unsigned long segdl_auth_basic_or_digest = CURLAUTH_BASIC | CURLAUTH_DIGEST;
SEGDL_EASY_OPTION(proxy_ca_info, CURLOPT_PROXY_CAINFO, const char *)
SEGDL_EASY_OPTION(proxy_ca_path, CURLOPT_PROXY_CAPATH, const char *)
SEGDL_EASY_OPTION(ip_resolve, CURLOPT_IPRESOLVE, long)
SEGDL_EASY_OPTION(interface, CURLOPT_INTERFACE, const char *)
SEGDL_EASY_OPTION(resolve, CURLOPT_RESOLVE, struct curl_slist *)
SEGDL_EASY_OPTION(ssl_cert, CURLOPT_SSLCERT, const char *)
SEGDL_EASY_OPTION(ssl_key, CURLOPT_SSLKEY, const char *)
SEGDL_EASY_OPTION(key_password, CURLOPT_KEYPASSWD, const char *)
SEGDL_EASY_OPTION(tcp_keepalive, CURLOPT_TCP_KEEPALIVE, long)
SEGDL_EASY_OPTION(http09_allowed, CURLOPT_HTTP09_ALLOWED, long)

static inline CURLcode segdl_easy_get_private(CURL *handle, void **value) {
  char *stored = NULL;
  CURLcode code = curl_easy_getinfo(handle, CURLINFO_PRIVATE, &stored);
  *value = stored;
  return code;
}
static inline CURLcode segdl_easy_get_response_code(CURL *handle, long *value) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, value);
}
static inline CURLcode segdl_easy_get_num_connects(CURL *handle, long *value) {
  return curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, value);
}
static inline CURLcode segdl_easy_get_name_lookup_time(CURL *handle, curl_off_t *microseconds) {
  return curl_easy_getinfo(handle, CURLINFO_NAMELOOKUP_TIME_T, microseconds);
}
static inline CURLcode segdl_easy_get_connect_time(CURL *handle, curl_off_t *microseconds) {
  return curl_easy_getinfo(handle, CURLINFO_CONNECT_TIME_T, microseconds);
}

static inline CURLcode segdl_easy_get_connect_code(CURL *handle, long *value) {
  return curl_easy_getinfo(handle, CURLINFO_HTTP_CONNECTCODE, value);
}
static inline CURLcode segdl_easy_get_proxy_error(CURL *handle, long *value) {
  return curl_easy_getinfo(handle, CURLINFO_PROXY_ERROR, value);
}
static inline CURLcode segdl_easy_get_cookie_list(CURL *handle, struct curl_slist **value) {
  return curl_easy_getinfo(handle, CURLINFO_COOKIELIST, value);
}

static inline CURLMcode segdl_multi_set_max_connects(CURLM *multi, long value) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, value);
}
static inline CURLMcode segdl_multi_set_pipelining(CURLM *multi, long value) {
  return curl_multi_setopt(multi, CURLMOPT_PIPELINING, value);
}

// A CURLMsg holds its result in a union, which Swift reads unsafely; these give the two fields that are used.
static inline CURLcode segdl_message_result(const CURLMsg *message) { return message->data.result; }
static inline CURL *segdl_message_handle(const CURLMsg *message) { return message->easy_handle; }

// CURLVERSION_NOW is a macro that Swift does not import.
static inline const curl_version_info_data *segdl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

typedef void (*segdl_lock_callback)(CURL *handle, curl_lock_data data, curl_lock_access access, void *context);
typedef void (*segdl_unlock_callback)(CURL *handle, curl_lock_data data, void *context);

static inline CURLSHcode segdl_share_set_lock(CURLSH *share, segdl_lock_callback callback) {
  return curl_share_setopt(share, CURLSHOPT_LOCKFUNC, callback);
}
static inline CURLSHcode segdl_share_set_unlock(CURLSH *share, segdl_unlock_callback callback) {
  return curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, callback);
}
static inline CURLSHcode segdl_share_set_context(CURLSH *share, void *context) {
  return curl_share_setopt(share, CURLSHOPT_USERDATA, context);
}
static inline CURLSHcode segdl_share_share(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

#undef SEGDL_EASY_OPTION

#endif
