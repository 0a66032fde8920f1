/// Guesses what a mistyped name was to be.
package enum Suggestion {
    /// The candidate that a name was most likely to be; `nil` where none is near.
    ///
    /// - Parameters:
    ///   - name: What was typed.
    ///   - candidates: The names that exist.
    /// - Returns: One of the candidates.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        // Longer than any option and its typing errors; the distance costs the product of both lengths.
        guard (2...40).contains(name.utf8.count) else { return nil }
        if let whole = candidates.first(where: { $0.hasPrefix(name) }) { return whole }
        let measured = candidates.map { (candidate: $0, distance: distance(name, $0)) }
        guard let best = measured.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, name.utf8.count / 3) ? best.candidate : nil
    }

    /// The optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
    static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first.utf8)
        let b = Array(second.utf8)
        var rows = [Array(0...b.count)]
        for i in 1..<(a.count + 1) {
            var row = [i]
            for j in 1..<(b.count + 1) {
                let replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
