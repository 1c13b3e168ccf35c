@testable import ListStore
import Testing
import Threads

@Suite struct DurabilityTests {
    /// The catalogue is told first that a list is there, or gone. A client is answered after that, even if its answer asks
    /// while the catalogue is being told.
    @Test func whoeverAsksWhileOthersAreToldIsToldAfterThem() throws {
        let done = Durability()
        let order = Locked<[String]>([])
        done.whenDone { _ in
            let hasAsked = Locked(false)
            let client = try? Thread {
                done.whenDone { _ in order.change { $0.append("client") } }
                hasAsked.change { $0 = true }
            }
            hasAsked.wait(until: { $0 }) { _ in }
            client?.join()
            order.change { $0.append("catalogue") }
        }
        done.whenDone { _ in order.change { $0.append("second") } }
        done.settle(.success(()))
        #expect(order.withLock { $0 } == ["catalogue", "second", "client"])
        done.whenDone { _ in order.change { $0.append("late") } }
        #expect(order.withLock { $0.last } == "late")
    }

    @Test func theFirstOutcomeCounts() {
        let done = Durability()
        let told = Locked(0)
        #expect(done.isPending && done.failure == nil)
        done.whenDone { _ in told.change { $0 += 1 } }
        done.settle(.failure(.full))
        done.settle(.success(()))
        #expect(!done.isPending && done.failure == .full)
        #expect(told.withLock { $0 } == 1)
    }
}
