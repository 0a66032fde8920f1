import Foundation

/// What an ``NginxServer`` is configured with.
struct NginxConfiguration {
    let folder: String
    let root: String
    let address: String
    let workers: Int?
    let certificates: TestCertificates
    /// What follows `ssl` in the `listen` of HTTPS, such as `http2`.
    let secureParameters: String
    let serverDirectives: String
    let httpDirectives: String

    /// A request for this is answered 204 and not logged.
    static let readyPath = "/segdl-test-ready"

    /// The configuration file.
    func text(port: UInt16, securePort: UInt16) -> String {
        """
        \(userDirective)
        daemon off;
        worker_processes \(workers.map(String.init) ?? "auto");
        worker_rlimit_nofile 8192;
        pid \(folder)/nginx.pid;
        error_log \(folder)/error.log warn;
        events { worker_connections 4096; }
        http {
            log_format segdl "\(NginxLogEntry.format)";
            access_log \(folder)/access.log segdl;
            default_type application/octet-stream;
            \(temporaryPaths)
            sendfile on;
            tcp_nopush on;
            keepalive_requests 1000000;
            keepalive_timeout 75s;
            ssl_certificate \(certificates.certificatePath);
            ssl_certificate_key \(certificates.keyPath);
            ssl_protocols TLSv1.2 TLSv1.3;
            ssl_session_cache shared:segdl:1m;
            ssl_session_tickets on;
            \(httpDirectives)
            server { listen \(address):\(port); \(serverBlock) }
            server { listen \(address):\(securePort) ssl \(secureParameters); server_name localhost; \(serverBlock) }
        }

        """
    }

    private var serverBlock: String {
        """
        root \(root);
                location = \(Self.readyPath) { access_log off; return 204; }
                \(serverDirectives)
        """
    }

    /// Without this, nginx started by root serves as a user that may not read the temporary folder.
    private var userDirective: String {
        guard geteuid() == 0, let user = getpwuid(0), let group = getgrgid(user.pointee.pw_gid) else { return "" }
        return "user \(String(cString: user.pointee.pw_name)) \(String(cString: group.pointee.gr_name));"
    }

    private var temporaryPaths: String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
            .joined(separator: " ")
    }
}
