/// Bytes in a kibibyte: `4 * KiB` reads as its unit does.
package let KiB: Int64 = 1024
/// Bytes in a mebibyte.
package let MiB: Int64 = 1024 * KiB
/// Bytes in a gibibyte.
package let GiB: Int64 = 1024 * MiB
