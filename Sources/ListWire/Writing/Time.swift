extension JSONSplicer {
    /// Writes a time as a string of RFC 3339, in UTC.
    ///
    /// - Parameter seconds: Seconds since 1970. A time outside of the years 1970 to 9999 becomes the nearest one in
    ///   them.
    package mutating func time(_ seconds: Int) {
        let seconds = min(max(seconds, 0), Self.lastSecond)
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = Self.date(daysSince1970: days)
        let parts = [date.year, date.month, date.day, rest / 3_600, rest / 60 % 60, rest % 60]
        let texts = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
        quote("\(texts[0])-\(texts[1])-\(texts[2])T\(texts[3]):\(texts[4]):\(texts[5])Z")
    }

    /// The last second of the year 9999.
    private static let lastSecond = 253_402_300_799

    /// The date of a day. It is computed in years that begin with March, so that a leap day is the last day of its
    /// year.
    ///
    /// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let (era, day) = days.quotientAndRemainder(dividingBy: 146_097)
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isLate = month >= 10
        return (
            400 * era + year + (isLate ? 1 : 0), isLate ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
