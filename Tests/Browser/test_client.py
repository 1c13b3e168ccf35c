"""/client.js in a browser: all tabs share one stream, and edits survive the end of a tab."""

import signal

from browser import BrowserTestCase, wait_for
from server import Server, Wire

LIST = "tabs"


class ClientTests(BrowserTestCase):
    def setUp(self):
        self.create(LIST, {"title": "Tabs", "sections": [{"id": "s", "items": [{"id": one} for one in "abc"]}]})
        self.wire = Wire(self.server)
        self.addCleanup(self.wire.close)
        self.driver = self.window(port=self.wire.port).driver
        self.base = f"http://127.0.0.1:{self.wire.port}"

    def open(self):
        """A new tab in which `list` is live."""
        self.driver.switch_to.new_window("tab")
        # A page of the server that asks for nothing itself.
        self.driver.get(f"{self.base}/problems")
        self.run_script("""
            const { connect } = await import("/client.js");
            window.told = [];
            window.client = connect({ url: "", store: "indexeddb" });
            window.list = client.list("tabs");
            list.subscribe((changes) => told.push(changes));""")
        self.wait_for_status("live", 0)
        return self.driver.current_window_handle

    def run_script(self, script, *arguments):
        """The value of a script. An error in it is one of the test."""
        value = self.driver.execute_async_script(
            "const given = [...arguments], done = given.pop();"
            f"(async () => {{ {script} }})().then((value) => done([value]), (error) => done(`${{error.stack}}`));", *arguments)
        self.assertIsInstance(value, list, value)
        return value[0]

    def shown(self):
        return self.run_script("return list.getSnapshot().sections.flatMap(({ items }) => items.map(({ id }) => id)).join('')")

    def wait_for_status(self, status, pending):
        def held():
            return self.run_script("const { status, pending } = list.getSnapshot(); return [status, pending];")
        wait_for(lambda: held() == [status, pending], lambda: f"{status}, {pending} pending; now {held()}")

    def served(self):
        return "".join(item["id"] for item in self.client.get(f"/v1/lists/{LIST}")["sections"][0]["items"])

    def wait_until_shown(self, tab, rows):
        self.driver.switch_to.window(tab)
        wait_for(lambda: self.shown() == rows, lambda: f"{rows}; now {self.shown()}")

    def streams(self):
        return [line for line in self.wire.asked if line.startswith("GET /v1/changes?")]

    def test_tabs_share_a_stream(self):
        tabs = [self.open() for _ in range(4)]
        self.assertEqual(1, len(self.streams()))
        self.client.edit(LIST, {"op": "moveItem", "item": "c", "before": "a"})
        for tab in tabs:
            self.wait_until_shown(tab, "cab")
        self.run_script("await list.edit((e) => e.add({ id: 'd' }, { section: 's' })).settled;")
        for tab in tabs:
            self.wait_until_shown(tab, "cabd")
        # A tab that comes late gets what it missed from the server, and goes on with the stream of the others.
        tabs.append(self.open())
        self.wait_until_shown(tabs[-1], "cabd")
        self.assertEqual(1, len(self.streams()))
        # The tab with the stream goes; another one leads.
        self.driver.switch_to.window(tabs[0])
        self.driver.close()
        wait_for(lambda: len(self.streams()) == 2, "the stream of the next leader")
        self.client.edit(LIST, {"op": "deleteItems", "items": ["d"]})
        for tab in tabs[1:]:
            self.wait_until_shown(tab, "cab")
        self.assertEqual(2, len(self.streams()))

    def test_edits_survive_their_tab(self):
        first, second = self.open(), self.open()
        self.server.end(signal.SIGKILL)
        self.run_script("for (const id of ['x', 'y', 'z']) list.edit((e) => e.add({ id }, { section: 's' }));")
        self.wait_for_status("offline", 3)
        self.assertEqual("abcxyz", self.shown())
        wait_for(lambda: self.kept() == 3, "three edits in IndexedDB")
        self.driver.close()
        self.driver.switch_to.window(first)
        self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])
        self.server.start()
        third = self.open()
        self.wait_until_shown(third, "abcxyz")
        wait_for(lambda: self.served() == "abcxyz", lambda: f"the edits; served is {self.served()}")
        wait_for(lambda: self.kept() == 0, "an empty IndexedDB")
        self.assertEqual(1, len([key for key in set(self.wire.keys) if key]) // 3)
        self.assertNotEqual(second, third)

    def test_edits_of_a_page_come_before_those_of_the_page_that_it_becomes(self):
        self.open()
        self.open()
        self.run_script("""
            const { fetch } = window;
            window.fetch = (path, options) => (options.method === "POST" ? Promise.reject(new TypeError("away")) : fetch(path, options));
            list.edit((e) => e.add({ id: "x" }, { section: "s" }));""")
        wait_for(lambda: self.kept() == 1, "an edit in IndexedDB")
        self.driver.get(f"{self.base}/problems")
        # The first tab holds its own lock and that of the leader.
        held = lambda: self.run_script("return (await navigator.locks.query()).held.length;")
        wait_for(lambda: held() == 2, held)
        self.run_script("""
            const { connect } = await import("/client.js");
            window.list = connect({ url: "", store: "indexeddb" }).list("tabs");
            await list.edit((e) => e.add({ id: "y" }, { section: "s" })).settled;""")
        self.assertEqual("abcxy", self.served())

    def make_edits_offline(self, count):
        """Edits that add rows, none of which reaches the server before `window.isOnline`."""
        self.run_script("""
            const { fetch } = window;
            window.fetch = (path, options) => (options?.method === "POST" && !window.isOnline
                ? Promise.reject(new TypeError("away")) : fetch(path, options));
            for (let n = 0; n < given[0]; n += 1) list.edit((e) => e.add({ id: `${n}.` }, { section: "s" }));
            """, count)
        wait_for(lambda: self.kept() == count, "the edits in IndexedDB")

    def test_a_queue_goes_together_also_after_its_tab(self):
        self.open()
        self.open()
        self.make_edits_offline(100)
        self.assertEqual([], self.wire.keys)
        self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[-1])
        wanted = "abc" + "".join(f"{n}." for n in range(100))
        wait_for(lambda: self.served() == wanted, lambda: f"the edits; served is {self.served()}")
        wait_for(lambda: self.kept() == 0, "an empty IndexedDB")
        # What was on its way when the tab closed, the others but 32, and those one by one.
        self.assertLessEqual(len(self.wire.keys), 34)
        self.assertEqual(len(set(self.wire.keys)), len(self.wire.keys))

    def test_without_locks_each_edit_goes_alone(self):
        """Then all tabs send what is kept, and the server knows from its key what it has done."""
        self.open()
        self.run_script("""
            client.close();
            Object.defineProperty(navigator, "locks", { value: undefined });
            const { connect } = await import("/client.js");
            window.client = connect({ url: "", store: "indexeddb" });
            window.list = client.list("tabs");""")
        self.wait_for_status("live", 0)
        self.make_edits_offline(40)
        self.run_script("window.isOnline = true; dispatchEvent(new Event('online'));")
        wait_for(lambda: self.kept() == 0, "an empty IndexedDB")
        self.assertEqual("abc" + "".join(f"{n}." for n in range(40)), self.served())
        self.assertEqual(40, len(set(self.wire.keys)))

    def kept(self):
        return self.run_script("""
            const [database] = await indexedDB.databases();
            if (!database) return 0;
            const opening = indexedDB.open(database.name);
            await new Promise((resolve) => (opening.onsuccess = resolve));
            const asking = opening.result.transaction("edits").objectStore("edits").count();
            await new Promise((resolve) => (asking.onsuccess = resolve));
            opening.result.close();
            return asking.result;""")
