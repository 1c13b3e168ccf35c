import ArgumentParser
import Logging
import Microhttpd
import SQLiteJournal

/// `SQLiteJournal.Durability` as an option.
enum DurabilityOption: String, CaseIterable, ExpressibleByArgument {
    case sync, async

    var journal: SQLiteJournal.Durability {
        switch self {
        case .sync: .sync
        case .async: .async
        }
    }
}

/// `Logger.Level` as an option. A type of our own, because both the protocol and `Logger.Level` belong to others.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    /// The level of the same name.
    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

/// `TrustedProxies.Field` as an option.
enum ProxyField: String, CaseIterable, ExpressibleByArgument {
    case forwarded
    case xForwardedFor = "x-forwarded-for"

    var field: TrustedProxies.Field {
        switch self {
        case .forwarded: .forwarded
        case .xForwardedFor: .xForwardedFor
        }
    }
}
