import Foundation

extension Behaviour {
    /// The ETag field.
    package enum ETag: Sendable {
        /// A strong one that changes with the content's seed or bytes.
        case ofContent
        /// No ETag.
        case none
        /// Strong, without the quotes.
        case strong(String)
        /// Weak, without the quotes.
        case weak(String)
        /// Strong ones that take turns from request to request, as from unequal machines behind one name.
        case rotating([String])
        /// The field's value as it stands.
        case literal(String)
    }

    /// What is done with a request.
    package enum Answer: Sendable {
        /// An HTTP answer.
        case http
        /// The connection is closed (FIN) without a byte.
        case close
        /// The connection is reset (RST) without a byte.
        case reset
        /// Nothing, until the client closes or ``FaultServer/release()`` is called, which closes it.
        case silence
        /// These bytes, head and body, and then the connection is closed.
        case raw([UInt8])

        /// `head`, and then `repeated` again and again, until the client closes.
        case endless(head: String, repeated: String)

        /// The UTF-8 bytes of a text, whose lines end as written: `\r\n` is needed.
        package static func raw(_ text: String) -> Answer { .raw(Array(text.utf8)) }
    }

    /// What becomes of a request too many.
    package enum Surplus: Sendable, Equatable {
        /// An answer of this status.
        case status(Int)
        /// A connection reset.
        case reset
        /// The connection's end (FIN).
        case close
        /// Nothing, until the client closes or ``FaultServer/release()`` is called, which closes it.
        case silence
        /// 200 and a web page that says that it is too much.
        case page
    }

    /// A Retry-After field.
    package enum RetryAfter: Sendable {
        /// None.
        case none
        /// The field's value as it stands.
        case literal(String)
        /// The date that is so many seconds after the answer.
        case date(after: Int)

        /// The field's value now.
        var value: String? {
            switch self {
            case .none: nil
            case .literal(let value): value
            case .date(let seconds): HTTPDate.text(unixTime: time(nil) + seconds)
            }
        }
    }

    /// So many requests in any span of this length.
    package struct Rate: Sendable {
        package let count: Int
        package let span: Duration

        package init(_ count: Int, per span: Duration) {
            self.count = count
            self.span = span
        }
    }

    /// How a Range field is answered.
    package enum RangeAnswer: Sendable {
        /// 206, or 416 where no byte of it exists.
        case partial
        /// As if it weren't there: 200 with everything.
        case ignored
        /// 206 with a `multipart/byteranges` body of one part.
        case multipart
        /// 416.
        case unsatisfiable
    }

    /// What an If-Range field does.
    package enum IfRange: Sendable {
        /// Its validator is compared strongly, and 200 given where it differs.
        case compared
        /// Nothing.
        case ignored
        /// 200 in any case, even to the server's own validator.
        case alwaysDiffers
    }

    /// Which bytes a ranged request gets. They are labelled honestly.
    package enum Window: Sendable {
        /// Those asked for.
        case asked
        /// The first so many of them.
        case first(Int64)
        /// As many from another place, so many bytes farther (or nearer, where negative).
        case shifted(Int64)
        /// These, whatever was asked.
        case exactly(Range<Int64>)
    }

    /// What the Content-Range field of a 206 says. The body is not changed by it.
    package enum ContentRange: Sendable {
        /// The truth.
        case honest
        /// Nothing: it is left out.
        case missing
        /// Start and end so many bytes too high.
        case shifted(Int64)
        /// Another total length.
        case total(Int64)
        /// `*` for the total length.
        case unknownTotal
        /// The field's value as it stands.
        case literal(String)
    }

    /// How the body's end is told.
    package enum Framing: Sendable, Equatable {
        /// By a true Content-Length.
        case length
        /// By a Content-Length that says this, whatever is sent.
        case stated(Int64)
        /// By chunks.
        case chunked
        /// By chunks whose last, empty one never comes: the connection is closed.
        case chunkedUnfinished
        /// By the end of the connection. A HEAD gets no Content-Length.
        case untilClose
    }

    /// Where and how a body is broken off.
    package struct Cut: Sendable {
        /// How the connection ends.
        package enum Kind: Sendable {
            /// FIN.
            case close
            /// RST, once the client's kernel has all bytes before it.
            case reset
        }

        /// Body bytes that are still sent.
        package let afterBytes: Int64
        /// How the connection ends.
        package let kind: Kind

        /// A cut: `$0.cut = .after(1000, by: .reset)`.
        package static func after(_ byteCount: Int64, by kind: Kind = .close) -> Cut {
            Cut(afterBytes: byteCount, kind: kind)
        }
    }

    /// A body that all but dries up.
    package struct Dribble: Sendable {
        /// Body bytes that are sent as usual.
        let afterBytes: Int64
        /// How long to wait before each further byte.
        let interval: Duration

        /// `$0.dribble = .after(1000, each: .milliseconds(100))`.
        package static func after(_ byteCount: Int64, each interval: Duration) -> Dribble {
            Dribble(afterBytes: byteCount, interval: interval)
        }
    }

    /// What becomes of the connection after a complete answer.
    package enum Afterwards: Sendable {
        /// It stays open.
        case keepAlive
        /// `Connection: close` is announced, and done.
        case announcedClose
        /// It is closed without a word.
        case close
    }
}
