extension Store {
    /// Runs `body`. The writes that it submits share one sync.
    ///
    /// They need not be durable before `body` returns, so `body` must not wait for that.
    public func gather(_ body: () -> Void) {
        guard let queue = shared.queue else { return body() }
        queue.gather(body)
    }

    /// Writes the pending entries, if the store is stepped. Returns whether there were any.
    @discardableResult
    func step() -> Bool { shared.queue?.step() ?? false }

    /// Waits until the compactor has nothing to do.
    func waitForCompaction() { shared.compactor?.waitUntilIdle() }
}
