import SegmentedDownloadCore
import Testing

struct NetrcTests {
    private static let text = """
        # accounts
        machine example.org login alice password one
        machine other.example
            login bob
            password #two   # its keeper
            account none
        macdef init
        machine trap login trap password trap

        machine example.org login carol password "th ree\\"\\\\\\n"
        machine bare
        default login anonymous password mail@example.org
        machine late login l password p
        """

    private func account(_ host: String, login: String? = nil, allowsDefault: Bool = false) -> Netrc.Account? {
        Netrc(Self.text).account(for: host, login: login, allowsDefault: allowsDefault)
    }

    @Test func `a host gets the first entry that names it, in any case`() {
        #expect(account("EXAMPLE.org") == .init(login: "alice", password: "one"))
        #expect(account("late") == .init(login: "l", password: "p"))
    }

    @Test func `no host gets the entry of one above or below it`() {
        for host in ["www.example.org", "org", "xexample.org", "example.or", ""] { #expect(account(host) == nil) }
    }

    @Test func `a user name chooses among the entries of a host`() {
        #expect(account("example.org", login: "carol") == .init(login: "carol", password: "th ree\"\\\n"))
        #expect(account("example.org", login: "nobody") == nil)
    }

    @Test func `a password may begin with a hash, and a comment ends with its line`() {
        #expect(account("other.example") == .init(login: "bob", password: "#two"))
    }

    @Test func `a macro's text is no entry, and ends with an empty line`() {
        #expect(account("trap") == nil)
    }

    @Test func `the default counts only where it is wanted, and after every machine`() {
        #expect(account("unknown") == nil)
        #expect(account("unknown", allowsDefault: true)?.login == "anonymous")
        #expect(account("late", allowsDefault: true)?.login == "l")
        #expect(account("bare", allowsDefault: true) == .init(login: "", password: ""))
    }

    @Test(arguments: [
        "", "machine", "login x", "default", "machine a login", "\"", "machine \"", "machine a password \"\\", "macdef",
        "macdef x", "\u{0}\u{1F600}", "#", "machine a\r\nlogin b\r\npassword c\r\n",
    ])
    func `whatever stands in the file is read without harm`(_ text: String) {
        let account = Netrc(text).account(for: "a", allowsDefault: true)
        #expect(account?.login ?? "" == "" || account == .init(login: "b", password: "c"))
    }
}
