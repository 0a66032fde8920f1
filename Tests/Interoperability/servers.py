"""The servers: how each is configured and started, on free ports, with everything it writes in one folder."""

import inspect
import os
import re
import signal
import socket
import subprocess
import time

# Ends a child that outlives this process, which may be killed.
BOUND_TO_PARENT = ["setpriv", "--pdeathsig", "TERM", "--"]
# A server that gives up root is not bound any more; what it is started by is, and passes the signal on.
BOUND_SERVER = [*BOUND_TO_PARENT, "timeout", "--kill-after=5", "1800"]


class Server:
    """A server under test. `port` speaks HTTP, `tls_port` HTTPS where it is not None."""

    has_ranges = True
    is_proxy = False  # a forward proxy, for --proxy, and no server of its own

    def __init__(self, name, version_command, command, port, tls_port=None, **traits):
        self.name, self.version_command, self.command = name, version_command, command
        self.port, self.tls_port = port, tls_port
        self.__dict__.update(traits)

    def version(self):
        done = subprocess.run(self.version_command, capture_output=True, text=True, check=False)
        first = (done.stdout + done.stderr).strip().splitlines()[0]
        found = re.search(r"\d+\.[\d.]*\d", first)
        return found[0] if found else first

    def start(self, log_path):
        """Starts it and waits until it answers. It ends with this process, however that ends."""
        log = open(log_path, "wb")
        self.process = subprocess.Popen(
            BOUND_SERVER + self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        deadline = time.monotonic() + 20
        for port in filter(None, (self.port, self.tls_port)):
            while not accepts(port):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(log_path, encoding="utf-8", errors="replace") as written:
                        raise RuntimeError(f"{self.name} does not start: {written.read()[-2000:]}")
                time.sleep(0.02)

    def stop(self):
        process = getattr(self, "process", None)
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            pass
        # Whatever it has started is in its session, and so in its process group.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def free_ports(count):
    """Ports that nobody uses now. They are held until all are known, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Place:
    """A folder that a server may write to, and what all configurations need."""

    def __init__(self, folder, root, certificate, key):
        self.folder, self.root, self.certificate, self.key = folder, root, certificate, key

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(inspect.cleandoc(text) + "\n")
        return path

    def make(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(path)
        os.chmod(path, 0o777)  # squid and Apache give up root
        return path


def nginx(place):
    port, tls_port = free_ports(2)
    folder = place.make("nginx")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    path = place.write("nginx.conf", f"""
        daemon off; worker_processes 2; pid {folder}/pid; error_log stderr warn;
        events {{ worker_connections 1024; }}
        http {{
            access_log off; {temporary} default_type application/octet-stream; sendfile on;
            ssl_certificate {place.certificate}; ssl_certificate_key {place.key};
            server {{ listen 127.0.0.1:{port}; listen 127.0.0.1:{tls_port} ssl; root {place.root}; }}
        }}
    """)
    return Server("nginx", ["nginx", "-v"], ["nginx", "-p", folder, "-e", "stderr", "-c", path], port, tls_port)


def apache(place):
    port, tls_port = free_ports(2)
    folder = place.make("apache")
    names = ["mpm_event", "authz_core", "mime", "ssl", "socache_shmcb"]
    modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in names)
    path = place.write("apache.conf", f"""
ServerRoot {folder}
ServerName localhost
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ErrorLog /dev/stderr
User www-data
Group www-data
{modules}
Mutex file:{folder}
TypesConfig /etc/mime.types
SSLSessionCache shmcb:{folder}/sessions(512000)
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{tls_port} https
DocumentRoot {place.root}
<Directory {place.root}>
    Require all granted
</Directory>
<VirtualHost 127.0.0.1:{tls_port}>
    SSLEngine on
    SSLCertificateFile {place.certificate}
    SSLCertificateKeyFile {place.key}
</VirtualHost>
    """)
    return Server("Apache", ["apache2", "-v"], ["apache2", "-DFOREGROUND", "-f", path], port, tls_port)


def caddy(place):
    port, tls_port = free_ports(2)
    folder = place.make("caddy")
    site = f"bind 127.0.0.1\n root * {place.root}\n file_server"
    path = place.write("Caddyfile", f"""
{{
    admin off
    auto_https off
}}
http://127.0.0.1:{port} {{
    {site}
}}
https://127.0.0.1:{tls_port} {{
    tls {place.certificate} {place.key}
    {site}
}}
    """)
    homes = [f"{name}={folder}" for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")]
    command = ["env", *homes, "caddy", "run", "--config", path, "--adapter", "caddyfile"]
    return Server("Caddy", ["caddy", "version"], command, port, tls_port)


def lighttpd(place, name="lighttpd", types='"" => "application/octet-stream"'):
    port, tls_port = free_ports(2)
    path = place.write(f"{name}.conf", f"""
        mimetype.assign = ( {types} )
        server.modules = ( "mod_openssl" )
        server.bind = "127.0.0.1"
        server.port = {port}
        server.document-root = "{place.root}"
        $SERVER["socket"] == "127.0.0.1:{tls_port}" {{
            ssl.engine = "enable"
            ssl.pemfile = "{place.certificate}"
            ssl.privkey = "{place.key}"
        }}
    """)
    return Server(name, ["lighttpd", "-v"], ["lighttpd", "-D", "-f", path], port, tls_port)


def python_server(place):
    (port,) = free_ports(1)
    command = ["python3", "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", place.root]
    return Server("Python's http.server", ["python3", "--version"], command, port, has_ranges=False)


def varnish(place, origin):
    (port,) = free_ports(1)
    folder = place.make("varnish")
    command = ["varnishd", "-j", "none", "-F", "-n", folder, "-a", f"127.0.0.1:{port}", "-b", f"127.0.0.1:{origin}"]
    return Server("Varnish before nginx", ["varnishd", "-V"], command + ["-s", "malloc,256m"], port)


def squid(place, origin, name, suffix, ports_line, more=""):
    (port,) = free_ports(1)
    folder = place.make(f"squid{suffix}")
    path = place.write(f"squid{suffix}.conf", f"""
http_port 127.0.0.1:{port} {ports_line}
pid_filename none
access_log none
cache_log stdio:{folder}/cache.log
coredump_dir {folder}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
cache_mem 256 MB
maximum_object_size_in_memory 128 MB
http_access allow localhost
http_access deny all
{more}
    """)
    return Server(name, ["squid", "-v"], ["squid", "-N", "-f", path], port, is_proxy=not ports_line)


def squid_accelerators(place, origin):
    peer = f"cache_peer 127.0.0.1 parent {origin} 0 no-query originserver"
    accelerate = "accel defaultsite=127.0.0.1"
    yield squid(place, origin, "Squid before nginx", "", accelerate, peer)
    # A range from a cache that has nothing yet makes it fetch the file from its start.
    whole = f"{peer}\nrange_offset_limit none"
    yield squid(place, origin, "Squid before nginx, fetching whole files", "-whole", accelerate, whole)


def squid_forward(place, origin):
    return squid(place, origin, "nginx through Squid as a forward proxy", "-forward", "")


def haproxy(place, origin, name, suffix, rule):
    port, tls_port = free_ports(2)
    with open(place.certificate, encoding="ascii") as certificate, open(place.key, encoding="ascii") as key:
        pair = place.write(f"haproxy{suffix}.pem", certificate.read() + key.read())
    path = place.write(f"haproxy{suffix}.cfg", f"""
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend in
    bind 127.0.0.1:{port}
    bind 127.0.0.1:{tls_port} ssl crt {pair}
    stick-table type ip size 1k expire 60s store conn_cur,http_req_rate(1s)
    http-request track-sc0 src
    {rule}
    default_backend origin
backend origin
    server nginx 127.0.0.1:{origin}
    """)
    return Server(name, ["haproxy", "-v"], ["haproxy", "-db", "-f", path], port, tls_port)


def haproxies(place, origin):
    surplus = "http-request deny deny_status 503 if { sc_conn_cur(0) gt 4 }"
    yield haproxy(place, origin, "HAProxy, 503 beyond 4 connections", "-connections", surplus)
    rate = "http-request return status 429 hdr Retry-After 1 if { sc_http_req_rate(0) gt 6 }"
    yield haproxy(place, origin, "HAProxy, 429 beyond 6 requests a second", "-rate", rate)


def all_servers(place):
    """Every server, nginx first: the caches and proxies stand before it."""
    first = nginx(place)
    origin = first.port
    yield from (first, apache(place), caddy(place), lighttpd(place))
    # For a file without a type it sends neither ETag nor Last-Modified.
    yield from (lighttpd(place, "lighttpd without validators", ""), python_server(place), varnish(place, origin))
    yield from squid_accelerators(place, origin)
    yield squid_forward(place, origin)
    yield from haproxies(place, origin)
