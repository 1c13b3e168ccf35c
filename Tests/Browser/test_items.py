"""Items as an administrator has them: added, edited in place and as JSON, several at once."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for
from hand import tap


class ItemTests(AdminTests):
    def title(self, item):
        return self.client.get(f"/v1/lists/shopping/items/{item}")["content"]["title"]

    def order(self):
        return [row[0] for _, rows in self.client.visible("shopping") for row in rows]

    def selected(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.row.is-selected')].map((one) => one.dataset.id)")

    def revision(self):
        return int(self.client.get("/v1/lists/shopping")["version"].split("-")[1])

    def test_adding_by_keys(self):
        self.browser.open("shopping")
        self.keys("n")
        self.wait_for(".title-edit")
        self.keys("Buns", Keys.ENTER)
        wait_for(lambda: any(item["content"].get("title") == "Buns" for section in self.client.get("/v1/lists/shopping")["sections"]
                             for item in section.get("items", [])), "an item more")
        self.browser.wait_until_equal(self.client, "shopping")
        self.assert_quiet()

    def test_the_first_item_of_an_empty_list(self):
        self.create("shopping", {"title": "Empty", "sections": []})
        self.browser.open("shopping")
        self.wait_for_text(".empty", "Add the first item")
        self.keys("n")
        self.wait_for(".title-edit")
        self.keys("One", Keys.ENTER)
        wait_for(lambda: len(self.order()) == 1, self.order)
        self.browser.wait_until_equal(self.client, "shopping")
        self.assertFalse(self.browser.one(".empty").is_displayed())

    def test_a_title_in_its_place(self):
        self.browser.open("shopping")
        box = self.browser.bring_to_rest(self.browser.one('.row[data-id="pear"] .primary'))
        ActionChains(self.browser.driver, duration=0).move_to_element(self.browser.one('.row[data-id="pear"] .primary')).double_click().perform()
        field = self.wait_for(".title-edit")
        self.assertLess(abs(self.browser.box(field)["left"] - box["left"]), 12)
        self.keys("Quince", Keys.ENTER)
        wait_for(lambda: self.title("pear") == "Quince", lambda: self.title("pear"))
        self.assertEqual("pear", self.browser.focused())
        self.on("plum", Keys.F2)
        self.wait_for(".title-edit")
        self.keys("Never", Keys.ESCAPE)
        wait_for(lambda: not self.browser.one(".title-edit"), "no field")
        self.on("apple", Keys.F2)
        self.wait_for(".title-edit")
        # What others do meanwhile does not take the field away.
        self.client.edit("shopping", {"op": "moveItem", "item": "apple", "section": "bread"})
        wait_for(lambda: self.browser.rows() == self.client.visible("shopping"), self.browser.rows)
        self.keys("Melon", Keys.ENTER)
        wait_for(lambda: self.title("apple") == "Melon", lambda: self.title("apple"))
        self.assertEqual("Plum", self.title("plum"))
        self.assert_quiet()

    def test_all_of_an_item_as_json(self):
        self.browser.open("shopping")
        self.on("pear", "e")
        self.wait_for("dialog[open] textarea")
        chosen = "const field = document.getElementById('json'); return field.value.slice(field.selectionStart, field.selectionEnd)"
        for text, said, place in [
            ('{"content":{"title":"Pear"', "missing in line 1", ""),
            ('{"content":{"title":"Pear"},"kind":"no kind"}', "/kind", '"no kind"'),
            ('{"content":[1]}', "/content", "[1]"),
            ('{"content":{},"colour":"red"}', "/colour", '"red"'),
        ]:
            with self.subTest(text):
                self.keys("a", held=[Keys.CONTROL])
                self.keys(text)
                self.browser.one("dialog .main-button").send_keys(Keys.ENTER)
                self.wait_for_text("dialog", said)
                wait_for(lambda: self.browser.driver.execute_script(chosen) == place, lambda: self.browser.driver.execute_script(chosen))
        self.assertEqual("Pear", self.title("pear"))
        self.keys("a", held=[Keys.CONTROL])
        self.keys('{"kind":"fruit","content":{"title":"Conference","kilos":2},"starred":true}')
        self.tab_to("dialog .main-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.title("pear") == "Conference", lambda: self.title("pear"))
        item = self.client.get("/v1/lists/shopping/items/pear")
        self.assertEqual(("fruit", 2, True), (item["kind"], item["content"]["kilos"], item["starred"]))
        self.browser.console()

    def test_the_menu_of_a_row(self):
        self.browser.open("shopping")
        ActionChains(self.browser.driver, duration=0).context_click(self.browser.row("pear")).perform()
        self.choose("Star")
        wait_for(lambda: self.client.get("/v1/lists/shopping/items/pear").get("starred"), "a star")
        self.on("plum", Keys.F10, held=[Keys.SHIFT])
        self.choose("Delete")
        wait_for(lambda: "plum" not in self.order(), self.order)
        self.tab_to_toast()
        self.keys(Keys.ENTER)
        wait_for(lambda: "plum" in self.order(), self.order)
        self.assert_quiet()

    def test_several_by_the_mouse(self):
        self.browser.open("shopping")
        row = self.browser.row
        chain = ActionChains(self.browser.driver, duration=0)
        chain.click(row("apple")).key_down(Keys.SHIFT).click(row("plum")).key_up(Keys.SHIFT).perform()
        self.assertEqual(["apple", "pear", "plum"], self.selected())
        shadow = "return getComputedStyle(arguments[0].querySelector('.cell')).boxShadow"
        self.assertIn("inset", self.browser.driver.execute_script(shadow, row("pear")))
        chain = ActionChains(self.browser.driver, duration=0)
        chain.key_down(Keys.CONTROL).click(row("pear")).click(row("rye")).key_up(Keys.CONTROL).perform()
        self.assertEqual(["apple", "plum", "rye"], self.selected())
        self.assertEqual("3 selected", self.browser.text(".selection-count"))
        before = self.revision()
        self.browser.one(".selection-bar .quiet-button").click()
        wait_for(lambda: [row[2] for _, rows in self.client.visible("shopping") for row in rows] == [True, False, True, True], "three stars")
        self.assertEqual(before + 1, self.revision())
        ActionChains(self.browser.driver, duration=0).click(row("pear")).perform()
        self.assertEqual([], self.selected())
        self.assert_quiet()

    def test_several_by_keys(self):
        self.browser.open("shopping")
        self.on("apple", Keys.SPACE, held=[Keys.CONTROL])
        self.keys(Keys.ARROW_DOWN, held=[Keys.SHIFT])
        self.assertEqual(["apple", "pear"], self.selected())
        before = self.revision()
        self.keys("m")
        self.wait_for("dialog[open] #move-section")
        self.keys("B")
        self.keys(Keys.ENTER)
        self.tab_to("dialog .main-button")
        self.keys(Keys.ENTER)
        wait_for(lambda: self.order() == ["plum", "rye", "apple", "pear"], self.order)
        self.browser.wait_until_equal(self.client, "shopping")
        self.assertEqual(before + 1, self.revision())
        self.on("apple", Keys.DELETE)
        wait_for(lambda: self.order() == ["plum", "rye"], self.order)
        self.assertEqual(before + 2, self.revision())
        self.keys("z", held=[Keys.CONTROL])
        wait_for(lambda: self.order() == ["plum", "rye", "apple", "pear"], self.order)
        self.browser.wait_until_equal(self.client, "shopping")
        self.on("plum", "a", held=[Keys.CONTROL])
        self.assertEqual(4, len(self.selected()))
        self.keys(Keys.ESCAPE)
        self.assertEqual([], self.selected())
        self.assert_quiet()

    def test_a_search_hides_nothing_that_is_selected(self):
        self.browser.open("shopping")
        self.on("plum", "a", held=[Keys.CONTROL])
        self.keys("/", *"pear")
        wait_for(lambda: self.browser.text(".selection-count") == "1 selected", lambda: self.browser.text(".selection-count"))
        self.on("pear", Keys.DELETE)
        wait_for(lambda: self.order() == ["apple", "plum", "rye"], self.order)
        self.assert_quiet()

    def test_a_window_closes_with_its_list(self):
        self.browser.open("shopping")
        self.on("apple", "e")
        self.wait_for("dialog[open]")
        self.browser.driver.back()
        wait_for(lambda: not self.browser.one("dialog"), "no window")
        self.assert_quiet()

    def test_several_by_a_long_press(self):
        narrow = self.window(size="narrow")
        narrow.open("shopping")
        box = narrow.bring_to_rest(narrow.one('.row[data-id="pear"] .primary'))
        place = box["x"] + 5, box["y"] + 5
        narrow.touch("touchStart", *place)
        wait_for(lambda: narrow.text(".selection-count") == "1 selected", "one selected while the finger rests")
        narrow.touch("touchEnd")
        box = narrow.box(narrow.one('.row[data-id="plum"] .primary'))
        tap(narrow, box["x"] + 5, box["y"] + 5)
        wait_for(lambda: narrow.text(".selection-count") == "2 selected", lambda: narrow.text(".selection-count"))
        tap(narrow, box["x"] + 5, box["y"] + 5)
        wait_for(lambda: narrow.text(".selection-count") == "1 selected", lambda: narrow.text(".selection-count"))
        more = narrow.box(narrow.one(".selection-bar [aria-haspopup]"))
        tap(narrow, more["x"] + 5, more["y"] + 5)
        wait_for(lambda: "Edit title" in narrow.text(".menu"), lambda: narrow.text(".menu"))
        self.assertEqual(["apple", "pear", "plum", "rye"], self.order())
        self.assert_quiet(narrow)
