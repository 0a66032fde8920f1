import CSegdlShims
import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

@testable import SegmentedDownload

@Suite struct ReadySocketTests {
    /// What libcurl says of an address: `struct curl_sockaddr`, whose last member only begins within it.
    private func address<Name>(_ family: Int32, _ name: Name) -> SocketAddress {
        let length = MemoryLayout<Name>.size
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<curl_sockaddr>.size + length,
            alignment: MemoryLayout<curl_sockaddr>.alignment
        )
        defer { memory.deallocate() }
        let address = memory.initializeMemory(as: curl_sockaddr.self, repeating: curl_sockaddr(), count: 1)
        address.pointee.family = family
        #if os(Linux)
            address.pointee.socktype = Int32(SOCK_STREAM.rawValue)
        #else
            address.pointee.socktype = SOCK_STREAM
        #endif
        address.pointee.addrlen = UInt32(length)
        let start = memory + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        withUnsafeBytes(of: name) {
            UnsafeMutableRawBufferPointer(start: start, count: length).copyMemory(from: $0)
        }
        return SocketAddress(address)
    }

    private func address(port: UInt16) -> SocketAddress {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        name.sin_port = port.bigEndian
        return address(AF_INET, name)
    }

    @Test("An address is told by its numbers, and differs from one with another port")
    func addresses() {
        #expect(address(port: 80).host == "127.0.0.1")
        #expect(address(port: 80) == address(port: 80))
        #expect(address(port: 80) != address(port: 81))
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_addr = in6addr_loopback
        #expect(address(AF_INET6, name).host == "::1")
    }

    @Test("A socket that is connected is given away once, and closed where it was not")
    func ownership() throws {
        try FaultServer.run([:]) { server in
            do {
                let sockets = try (0..<2).map { _ in
                    try #require(ReadySocket(to: address(port: server.port), buffer: .adapting))
                }
                try server.waitUntil { $0.connectionCount == 2 }
                let socket = try #require(sockets[0].release())
                defer { close(socket) }
                #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
                #expect(sockets[0].release() == nil)
                withExtendedLifetime(sockets) {}
            }
            try server.waitUntil { $0.openConnectionCount == 0 }
        }
    }

    @Test("A socket whose peer has closed it, or has not answered yet, or refuses, is not given away")
    func unconnected() throws {
        let closed = try FaultServer.run([:]) { server in
            let socket = try #require(ReadySocket(to: address(port: server.port), buffer: .adapting))
            try server.waitUntil { $0.connectionCount == 1 }
            return socket
        }
        #expect(closed.release() == nil)
        // Nobody listens there any more.
        #expect(ReadySocket(to: closed.address, buffer: .adapting)?.release() == nil)
        let hole = try BlackHole("127.0.0.1")
        #expect(try #require(ReadySocket(to: address(port: hole.port), buffer: .adapting)).release() == nil)
    }

    @Test("libcurl gets a socket for the address that it leads to, once, and is told that it is connected")
    func handedOver() throws {
        let url = try HTTPURL("http://127.0.0.1/file")
        let access = try SessionAccess(SessionOptions())
        let scope = OriginScope(url: url, request: DownloadRequest(url: url.text), access: access)
        let transfer = Transfer(
            connection: 0,
            request: scope.request(.get, url),
            owner: AcceptingOwner(),
            body: .none
        )
        try FaultServer.run([:]) { server in
            let here = address(port: server.port)
            transfer.sockets.ready = ReadySocket(to: here, buffer: .adapting)
            try server.waitUntil { $0.connectionCount == 1 }
            var answers: [Int32] = []
            for asked in [address(port: server.port ^ 1), here, here] {
                let socket = transfer.openSocket(to: asked)
                defer { close(socket) }
                answers.append(transfer.setUp(socket))
            }
            #expect(answers == [CURL_SOCKOPT_OK, CURL_SOCKOPT_ALREADY_CONNECTED, CURL_SOCKOPT_OK])
            try server.waitUntil { $0.openConnectionCount == 0 }
        }
    }

    @Test("A limited receive buffer is there before the socket connects")
    func buffer() throws {
        try FaultServer.run([:]) { server in
            let ready = try #require(ReadySocket(to: address(port: server.port), buffer: .limited(8192)))
            try server.waitUntil { $0.connectionCount == 1 }
            let socket = try #require(ready.release())
            defer { close(socket) }
            var size: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            #expect(getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, &length) == 0)
            // Linux doubles it, for what else it keeps there.
            #expect((8192...16384).contains(size))
        }
    }
}
