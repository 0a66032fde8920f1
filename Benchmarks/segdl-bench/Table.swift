/// Rows under headings, to be shown in columns or written as CSV.
struct Table {
    private(set) var headings: [String]
    private(set) var rows: [[String]] = []

    init(_ headings: [String]) {
        self.headings = headings
    }

    /// - Parameter row: As many cells as there are headings.
    mutating func append(_ row: [String]) {
        precondition(row.count == headings.count)
        rows.append(row)
    }

    /// Columns, padded; those that hold numbers stand right.
    var text: String {
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let isNumeric = headings.indices.map { column in
            rows.allSatisfy { ($0[column].first?.isNumber ?? true) || $0[column].hasPrefix("-") }
        }
        return all.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return isNumeric[column] ? padding + row[column] : row[column] + padding
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// Comma-separated values (RFC 4180), the headings first. Cells hold no quotation marks.
    var csv: String {
        ([headings] + rows).map { row in
            row.map { $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: ",") + "\n"
        }.joined()
    }
}
