import Foundation

/// A certificate authority of the test's own, and a server certificate from it for `localhost` and 127.0.0.1, or for
/// another name.
package struct TestCertificates: Sendable {
    /// The authority's certificate in PEM: for `--cacert`.
    package let authorityPath: String
    /// The server's certificate in PEM.
    package let certificatePath: String
    /// The server's private key in PEM.
    package let keyPath: String

    /// Makes the certificates with the `openssl` program.
    ///
    /// - Parameters:
    ///   - folder: Where the files go.
    ///   - commonName: The only name that the server's certificate bears; `nil` for `localhost` and 127.0.0.1.
    /// - Throws: A sentence with what `openssl` wrote.
    package init(in folder: String, commonName: String? = nil) throws {
        authorityPath = "\(folder)/ca.pem"
        certificatePath = "\(folder)/server.pem"
        keyPath = "\(folder)/server.key"
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
        try Self.openssl(
            ["req", "-x509", "-subj", "/CN=segdl test CA", "-keyout", "\(folder)/ca.key", "-out", authorityPath]
                + newKey
        )
        let alternatives = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        try Self.openssl(
            [
                "req", "-x509", "-subj", "/CN=\(commonName ?? "localhost")",
                "-addext", "basicConstraints=critical,CA:FALSE", "-CA", authorityPath, "-CAkey", "\(folder)/ca.key",
                "-keyout", keyPath, "-out", certificatePath,
            ] + (commonName == nil ? alternatives : []) + newKey
        )
    }

    private static func openssl(_ arguments: [String]) throws {
        let result = try ChildProcess.run("openssl", arguments)
        if result.end != .exit(0) { throw TestSupportError("openssl \(arguments): \(result.standardError)") }
    }
}
