import Foundation

/// The time before the next attempt: longer each time, and not in step with other clients.
struct Patience {
    private static let (least, most) = (0.1, 10.0)
    /// The longest that a server may ask for.
    private static let wantedMost = 3_600.0
    private var delay = Self.least

    /// The seconds to wait now.
    ///
    /// - Parameter wanted: What the server has asked for, in seconds; 0 for nothing.
    mutating func next(wanted: Double) -> Double {
        let pause = wanted > delay ? min(wanted, Self.wantedMost) : delay
        delay = min(delay * 2, Self.most)
        return pause * Double.random(in: 0.75...1.25)
    }

    /// An attempt has gone well.
    mutating func reset() { delay = Self.least }
}
