"""The samples do, while somebody looks, as their descriptions say."""

import datetime
import time

from browser import BrowserTestCase, wait_for

NETWORKS = ["404NotFound", "AirSpace1", "Courage", "Evergreen", "FBI Surveillance Van", "GingerGymnist", "HamiltonVille",
            "Living Room", "MarketingDropBox", "Nacho WiFi", "Overland101", "Peacock-Swagger", "PrivateSpace", "SNAGVille",
            "Second Floor", "TheRoomWiFi", "__hidden_in_plain__sight__"]
CATEGORIES = ["Smileys", "Nature", "Food", "Activities", "Travel", "Objects", "Symbols"]


class SeedTests(BrowserTestCase):
    def texts(self, section, part=".primary"):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll(`.section[data-id=\"${arguments[0]}\"] .row ${arguments[1]}`)].map((one) => one.textContent)",
            section, part)

    def click(self, selector):
        box = self.browser.bring_to_rest(wait_for(lambda: self.browser.one(selector), selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.mouse(kind, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def steps(self):
        return [one for one in self.browser.requests() if "/step" in one]

    def test_wifi_follows_its_switch(self):
        self.client.write("POST", "/v1/samples/wifi")
        self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})
        self.browser.open("wifi")
        self.assertEqual(["Wi-Fi", "breeno-net"], self.texts("config"))
        self.assertEqual(NETWORKS, self.texts("networks"))
        self.click(".switch")
        wait_for(lambda: self.browser.rows() == [["config", [["config.wi-fi", 0, False, False]]]], self.browser.rows)
        self.assertEqual(["Wi-Fi"], self.texts("config"))
        self.browser.wait_until_equal(self.client, "wifi")
        self.click(".switch")
        wait_for(lambda: self.browser.one('.section[data-id="networks"]'), "the networks")
        # The answer to the switch is not a scan, which takes two seconds to come.
        answered, turned = [datetime.datetime.fromisoformat(one["time"]) for one in
                            self.client.get("/v1/lists/wifi/transactions?limit=2")["transactions"]]
        self.assertLess(answered - turned, datetime.timedelta(seconds=2))
        self.assertEqual(NETWORKS, self.texts("networks"))
        self.assertEqual(["Wi-Fi", "breeno-net"], self.texts("config"))
        self.assertEqual([], self.steps())
        self.assert_quiet()

    def test_wifi_scans_while_somebody_looks(self):
        self.client.write("POST", "/v1/samples/wifi")
        self.browser.open("wifi")
        seen = set()

        def differ():
            now = self.texts("networks")
            self.assertEqual(sorted(now), now)
            self.assertLessEqual(set(now), set(NETWORKS))
            seen.add(tuple(now))
            return len(seen) > 2
        wait_for(differ, "scans")
        self.assertEqual([], self.steps())
        # A switch that is off ends the scans, and nobody's look makes none.
        self.click(".switch")
        wait_for(lambda: not self.browser.one('.section[data-id="networks"]'), "no networks")
        self.click(".switch")
        wait_for(lambda: self.browser.one('.section[data-id="networks"]'), "networks")
        self.browser.driver.get("about:blank")
        version = lambda: self.client.get("/v1/lists/wifi")["version"]
        wait_for(lambda: (before := version(), time.sleep(2.5), before == version())[-1], "a list that rests")
        self.assert_quiet()

    def test_insertion_sort_has_run(self):
        self.client.write("POST", "/v1/samples/insertion-sort")
        self.browser.open("insertion-sort")
        self.assertEqual((24 * 24, 24), (self.browser.count(), len(self.browser.rows())))
        wait_for(lambda: "Run" in self.browser.text(".tools"), lambda: self.browser.text(".tools"))

    def test_categories(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.browser.open("emoji-explorer")
        self.assertEqual(CATEGORIES, self.texts("outline"))
        rows = self.client.get("/v1/lists/emoji-explorer")["sections"][2]["items"]
        self.assertEqual([name for name in CATEGORIES for _ in range(3)], [one["content"]["category"] for one in rows])
        self.browser.row("list.love")
        self.assertLessEqual(set(self.texts("list", ".secondary")), set(CATEGORIES))
        self.assertEqual("Smileys", self.browser.driver.execute_script(
            "return arguments[0].querySelector('.secondary').textContent", self.browser.row("list.happy")))
        self.assertEqual([8, 7, 21], [len(rows) for _, rows in self.browser.rows()])
        self.browser.open("emoji-explorer-list")
        self.assertEqual(["symbols", "objects", "travel", "activities", "food", "nature", "smileys", "recents"],
                         [section for section, _ in self.browser.rows()])
        self.assert_quiet()

    def test_all_emoji_of_emojis_and_numbers(self):
        self.browser.open("emojis-and-numbers")
        sections = self.client.get("/v1/lists/emojis-and-numbers")["sections"]
        self.assertEqual((17, 101), tuple(len(section["items"]) for section in sections))
        self.assertEqual(list(range(101)), [item["content"]["number"] for item in sections[1]["items"]])
        texts = [item["content"]["text"] for item in sections[0]["items"]]
        self.assertEqual(17, len(set(texts)))
        # Each is one character for a person, and drawn as a picture: as wide as any other, and in colours.
        graphemes = self.browser.driver.execute_script(
            "return arguments[0].map((text) => [...new Intl.Segmenter('en', {granularity: 'grapheme'}).segment(text)].length)", texts)
        self.assertEqual([1] * 17, graphemes)
        drawn = {}
        for item in sections[0]["items"]:
            row = self.browser.driver.execute_async_script("""
                const [id, done] = arguments;
                const rail = document.querySelector(".kind-orthogonal .rows");
                const frame = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
                (async () => {
                  for (let place = 0; place < rail.scrollWidth; place += 200) {
                    rail.scrollLeft = place;
                    await frame();
                    const row = document.querySelector(`.row[data-id="${CSS.escape(id)}"]`);
                    if (row) return done(row);
                  }
                  done(null);
                })();""", item["id"])
            drawn[item["content"]["text"]] = self.browser.driver.execute_script("""
                const range = document.createRange();
                range.selectNodeContents(arguments[0].querySelector(".primary"));
                const box = range.getBoundingClientRect();
                const canvas = Object.assign(document.createElement("canvas"), {width: 80, height: 80});
                const context = canvas.getContext("2d");
                context.font = `48px ${getComputedStyle(arguments[0]).fontFamily}`;
                context.fillText(arguments[0].textContent, 4, 60);
                const {data} = context.getImageData(0, 0, 80, 80);
                let colours = 0;
                for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && (data[at] !== data[at + 1] || data[at] !== data[at + 2])) colours += 1;
                return [arguments[0].textContent, Math.round(box.width), Math.round(box.height), colours > 100];""", row)
        self.assertEqual(texts, [one[0] for one in drawn.values()])
        self.assertEqual({True}, {one[3] for one in drawn.values()}, drawn)
        self.assertEqual(1, len({one[1] for one in drawn.values()}), drawn)
        self.assert_quiet()

    def test_leaves_of_the_menu_lead_to_their_lists(self):
        self.client.write("POST", "/v1/samples/menu")
        items = self.client.get("/v1/lists/menu")["sections"][0]["items"]
        parents = {item.get("parent") for item in items}
        leaves = [item for item in items if item["id"] not in parents]
        self.assertEqual(25, len(leaves))
        self.assertLessEqual({item["content"]["list"] for item in leaves}, set(self.client.lists()))
        self.client.edit("menu", {"op": "expandItems", "items": [one for one in parents if one]})
        for leaf in (leaves[0], leaves[-1]):
            self.browser.open("menu")
            self.browser.row(leaf["id"])
            self.click(f'.row[data-id="{leaf["id"]}"] .primary')
            address = f"#/lists/{leaf['content']['list']}"
            wait_for(lambda: self.browser.driver.execute_script("return location.hash") == address, address)
        self.assert_quiet()
