import SegmentedDownloadCore
import Testing

struct EncodedWordsTests {
    @Test(arguments: [
        ("\"=?UTF-8?B?bmHDr3ZlLnppcA==?=\"", "naïve.zip"),
        ("=?UTF-8?B?bmHDr3ZlLnppcA==?=", "naïve.zip"),
        ("\"=?utf-8?b?bmHDr3ZlLnppcA?=\"", "naïve.zip"),
        ("\"=?UTF-8*en?Q?na=C3=AFve.zip?=\"", "naïve.zip"),
        ("\"=?ISO-8859-1?Q?na=EFve_x.zip?=\"", "naïve x.zip"),
        ("\"=?us-ascii?q?100%25.zip?=\"", "100%25.zip"),
        ("\"=?UTF-8?B?bmHD?= =?UTF-8?B?r3ZlLnppcA==?=\"", "naïve.zip"),
        ("\"=?UTF-8?B?YS8uLi9i?=\"", "a/../b"),
    ])
    func `a name of encoded words is decoded, as browsers do`(_ value: String, _ expected: String) {
        #expect(ContentDisposition("attachment; filename=\(value)").plainFileName == expected)
    }

    @Test(arguments: [
        "=?UTF-8?B?bmHDr3ZlLnppcA==?=x", "a =?UTF-8?B?YQ==?=", "=?UTF-8?B?Y!==?=", "=?UTF-8?B?YWJjZ?=",
        "=?UTF-8?X?YQ==?=", "=?UTF-7?B?YQ==?=", "=?UTF-8?B?YQ==", "=?UTF-8?Q?=ZZ?=", "=?UTF-8?Q?=FF?=",
        "=?UTF-8?B?/w==?=",
        "=?UTF-8?B?YQ==?= =?ISO-8859-1?B?YQ==?=", "=??=", "=?=", "=?UTF-8?B?YQ===?=",
    ])
    func `what only looks like encoded words stays as it is`(_ value: String) {
        #expect(ContentDisposition("attachment; filename=\"\(value)\"").plainFileName == value)
    }

    @Test func `an encoded name that is empty is none`() {
        #expect(ContentDisposition("attachment; filename=\"=?UTF-8?B??=\"").plainFileName == nil)
    }
}
