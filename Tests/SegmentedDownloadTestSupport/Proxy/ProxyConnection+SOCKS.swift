import Foundation

extension ProxyConnection {
    private static let passwordMethod: UInt8 = 2
    private static let noMethod: UInt8 = 0xFF

    mutating func serveSOCKS() throws {
        let count = Int(try take(2)[1])
        let methods = try take(count)
        let credentials = try signIn(methods)
        let head = try take(4)
        let host = try host(ofType: head[3])
        let port = try take(2)
        let target = "\(host):\(Int(port[0]) << 8 | Int(port[1]))"
        log("SOCKS", target, credentials: credentials)
        try client.sendAll([5, script.socksReply, 0, 1, 127, 0, 0, 1, 0, 0])
        guard script.socksReply == 0 else { throw TestSupportError("refused by script") }
        let upstream = try Upstream(target)
        self.upstream = upstream
        try relay(upstream)
    }

    private mutating func signIn(_ methods: [UInt8]) throws -> String? {
        guard let wanted = script.credentials else {
            try client.sendAll([5, 0])
            return nil
        }
        guard methods.contains(Self.passwordMethod) else {
            try client.sendAll([5, Self.noMethod])
            throw TestSupportError("no password is offered")
        }
        try client.sendAll([5, Self.passwordMethod])
        let userLength = Int(try take(2)[1])
        let user = try take(userLength)
        let passwordLength = Int(try take(1)[0])
        let given = String(decoding: user + [UInt8(ascii: ":")] + (try take(passwordLength)), as: UTF8.self)
        try client.sendAll([1, given == wanted ? 0 : 1])
        guard given == wanted else { throw TestSupportError("another password") }
        return given
    }

    private mutating func host(ofType type: UInt8) throws -> String {
        switch type {
        case 1: return try take(4).map(String.init).joined(separator: ".")
        case 3:
            let length = Int(try take(1)[0])
            return String(decoding: try take(length), as: UTF8.self)
        default:
            _ = try take(16)
            return "IPv6"
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        while received.count < count { try client.receive(into: &received) }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }
}
