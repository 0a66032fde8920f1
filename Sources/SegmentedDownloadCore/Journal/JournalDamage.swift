/// What could not be read of a journal's bits.
package struct JournalDamage: Equatable, Sendable {
    /// Blocks without a valid slot: their segments are missing.
    package var lostBlockCount = 0
    /// Slots that are not valid beside one that is: what the last write of their block added may be missing.
    package var damagedSlotCount = 0

    /// No damage.
    package init() {}
}
