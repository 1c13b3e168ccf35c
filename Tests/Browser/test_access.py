"""A server with tokens: the page asks for one, says what one may not do, and lets go of it."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from server import Client


HELD_WRITES = """
const real = window.fetch;
const held = new Promise((resolve) => { window.release_ = resolve; });
window.fetch = async (path, options = {}) => {
  if (options.method === "POST") await held;
  return real(path, options);
};
"""


# The page learns of no list that comes or goes.
HELD_LOOKS = """
const real = window.fetch;
window.fetch = (path, options = {}) => path.startsWith("/v1/lists?") ? new Promise(() => {}) : real(path, options);
"""
# Long bodies wait until the page is told to let them go.
HELD_POSTS = """
const send = XMLHttpRequest.prototype.send;
const held = new Promise((resolve) => { window.release_ = resolve; });
XMLHttpRequest.prototype.send = function (body) { held.then(() => send.call(this, body)); };
"""


class TokenTests(BrowserTestCase):
    options = ["--first-token"]

    def setUp(self):
        # A tab of its own for each test: what a tab keeps goes with it.
        before = self.browser.driver.window_handles
        self.browser.driver.switch_to.new_window("tab")
        for handle in before:
            self.browser.driver.switch_to.window(handle)
            self.browser.driver.close()
        self.browser.driver.switch_to.window(self.browser.driver.window_handles[0])
        self.client.write("PUT", "/v1/access/anonymous", {"grants": []})
        for sample in ("reorderable", "emoji-explorer"):
            self.client.write("POST", f"/v1/samples/{sample}")
        self.addCleanup(self.browser.console)

    def token(self, name, *grants):
        """The secret of a new token, and its client."""
        self.client.ask("DELETE", f"/v1/tokens/{name}")
        grants = [{"lists": [lists], "can": [right]} for lists, right in grants]
        secret = self.client.write("POST", "/v1/tokens", {"name": name, "grants": grants})["token"]
        return secret, Client(self.client.base, secret)

    def go(self, place):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/{place}")

    def wait_for_form(self):
        wait_for(lambda: self.browser.one(".sign-in input"), "a form")

    def sign_in(self, secret):
        self.wait_for_form()
        self.browser.one(".sign-in input").send_keys(secret, Keys.ENTER)

    def star(self, item):
        """By the key of a row."""
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row(item))
        self.browser.driver.switch_to.active_element.send_keys("s")

    def wait_for_text(self, selector, text):
        wait_for(lambda: self.browser.text(selector) == text, lambda: self.browser.text(selector))

    def wait_until_live(self):
        wait_for(lambda: self.browser.one(".collection[aria-busy=false]") and self.browser.state() == "live", "a list")


class AccessTests(TokenTests):
    def test_the_gallery_after_signing_in(self):
        secret, reader = self.token("reader", ("reorderable", "read"), ("wifi*", "read"))
        self.go("")
        self.wait_for_form()
        self.assertIsNone(self.browser.one(".card"))
        self.assertEqual("token", self.browser.driver.execute_script("return document.activeElement.id"))
        wrong = "This token is not known, was revoked, or has expired."
        for text, said in [("lst_" + "a" * 43, wrong),
                           ("tökens", "This cannot be a token: it has characters that no token has.")]:
            self.browser.one(".sign-in input").clear()
            self.sign_in(text)
            self.wait_for_text("#sign-in-note", said)
        self.browser.one(".sign-in input").clear()
        self.sign_in(f" {secret} ")
        wait_for(lambda: self.browser.one(".cards[data-count]"), "the gallery")
        shown = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.cards li')].map((one) => one.dataset.id)")
        self.assertEqual(sorted(reader.lists()), sorted(shown))
        self.assertLess(len(shown), len(self.client.lists()))
        # Only this tab has it, and no address does.
        places = self.browser.driver.execute_script(
            "return [location.href, JSON.stringify(localStorage), document.cookie, "
            "document.documentElement.outerHTML].join()")
        self.assertNotIn("lst_", places)
        self.assertNotIn("lst_", " ".join(self.browser.requests()))
        self.browser.driver.refresh()
        wait_for(lambda: self.browser.one(".cards[data-count]"), "the gallery again")
        self.browser.one(".bar .quiet-button").click()
        self.wait_for_form()
        self.assertEqual("", self.browser.text("#sign-in-note"))
        self.assertEqual("{}", self.browser.driver.execute_script("return JSON.stringify(sessionStorage)"))
        self.browser.driver.refresh()
        self.wait_for_form()

    def test_what_one_may_not_do_is_not_offered(self):
        secret, _ = self.token("reader", ("emoji-explorer", "read"))
        self.go("lists/emoji-explorer")
        self.sign_in(secret)
        self.wait_until_live()
        wait_for(lambda: self.browser.one(".scroller.is-read-only"), "a list to read")
        self.assertFalse(self.browser.one(".add-item").is_displayed())
        self.assertFalse(self.browser.one(".sidebar .new-list").is_displayed())
        self.star("list.fox")
        self.assertEqual("", self.browser.pending())
        # The page does not know which samples are there that it may not see.
        self.browser.one(".back").click()
        wait_for(lambda: self.browser.one(".cards[data-count]"), "the gallery")
        self.assertFalse(self.browser.one("main .new-list").is_displayed())
        self.assertFalse(self.browser.one(".missing").is_displayed())

    def test_nothing_that_one_may_see(self):
        secret, _ = self.token("poor", ("nothing-*", "read"))
        self.go("")
        self.sign_in(secret)
        self.wait_for_text("main .note", "There are no lists that you may see. "
                           "Whoever runs the server can give your token the right to.")
        self.assertFalse(self.browser.one(".missing").is_displayed())
        self.go("lists/mountains")
        self.wait_for_text(".failure", "There is no such list, or your token may not see it.")
        wait_for(lambda: "Sign in with another token" in self.browser.text(".ways"), lambda: self.browser.text(".ways"))

    def test_a_right_that_is_taken_away(self):
        secret, reader = self.token("reader", ("emoji-explorer", "read"))
        self.client.write("PUT", "/v1/access/any-token", {"grants": [{"lists": ["emoji-explorer"], "can": ["write"]}]})
        self.go("lists/emoji-explorer")
        self.sign_in(secret)
        self.wait_until_live()
        wait_for(lambda: any("transactions?dryRun" in one for one in self.browser.requests()), "the page knows")
        self.client.write("PUT", "/v1/access/any-token", {"grants": []})
        self.client.write("PUT", "/v1/lists/emoji-explorer/items/list.fox/star")
        self.browser.wait_until_equal(reader, "emoji-explorer")
        self.browser.driver.execute_script(HELD_WRITES)
        self.star("list.fox")
        starred = lambda: self.browser.one('.row[data-id="list.fox"].is-starred')
        wait_for(lambda: not starred(), "no star, before any answer")
        self.assertEqual("1 pending", self.browser.pending())
        self.browser.driver.execute_script("window.release_()")
        self.wait_for_text("#toast", "Refused: Your token lacks the right write on this list. An administrator of the "
                           "list can give it.")
        wait_for(starred, "the star again")
        self.assertEqual("", self.browser.pending())
        self.assertTrue(self.client.get("/v1/lists/emoji-explorer/items/list.fox")["starred"])
        self.browser.driver.execute_script("location.hash = '#/lists/mountains'")
        self.wait_for_text(".failure", "There is no such list, or your token may not see it.")

    def test_the_line_for_a_shell_has_no_secret(self):
        secret, _ = self.token("writer", ("reorderable", "write"))
        self.go("lists/reorderable")
        self.sign_in(secret)
        self.wait_until_live()
        line = self.browser.text(".inspector pre.wrapped")
        self.assertIn('-H "Authorization: Bearer $LISTSTATE_TOKEN"', line)
        self.assertNotIn("lst_", line)

    def test_a_token_that_is_revoked(self):
        secret, _ = self.token("brief", ("reorderable", "read"))
        self.go("lists/reorderable")
        self.sign_in(secret)
        self.wait_until_live()
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_text("#sign-in-note", "This token is not known, was revoked, or has expired.")
        self.assertIsNone(self.browser.one(".row"))
        # The list comes back with another token.
        self.sign_in(self.server.token)
        self.wait_until_live()

    def test_a_list_that_everybody_may_read(self):
        self.client.write("PUT", "/v1/access/anonymous", {"grants": [{"lists": ["emoji-explorer"], "can": ["read"]}]})
        self.go("lists/emoji-explorer")
        self.wait_until_live()
        self.star("list.fox")
        self.wait_for_text("#toast", "Sign in to save this.Sign in")
        # What everybody may see stays, and so does the edit.
        self.assertEqual("1 pending", self.browser.pending())
        self.browser.one(".toast-button").click()
        self.sign_in(self.server.token)
        self.wait_until_live()
        wait_for(lambda: self.client.get("/v1/lists/emoji-explorer/items/list.fox").get("starred"), "a star")
        self.browser.driver.execute_script("sessionStorage.clear()")
        self.go("")
        wait_for(lambda: self.browser.one(".cards[data-count='1']"), "one list")
        self.assertEqual("Sign in", self.browser.text(".bar .quiet-button"))
        self.browser.one(".bar .quiet-button").click()
        self.wait_for_form()
        self.browser.one(".sign-in .quiet-button").click()
        wait_for(lambda: self.browser.one(".cards[data-count='1']"), "the list without a token")

    def test_accessibility(self):
        self.go("")
        self.wait_for_form()
        self.browser.one(".sign-in input").send_keys("lst_x", Keys.ENTER)
        wait_for(lambda: self.browser.text("#sign-in-note"), "a note")
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.browser.show_as(scheme, reduced_motion=True)
                found = self.browser.axe()
                self.assertLessEqual({"color-contrast", "label"}, {one["id"] for one in found["passes"]})
                self.assertEqual([], [(one["id"], one["help"]) for one in found["violations"]])


class AboveTests(TokenTests):
    """A token that ends while somebody types: nothing is lost, and it goes on with another one."""

    def setUp(self):
        super().setUp()
        self.client.ask("DELETE", "/v1/tokens/brief")
        grants = [{"lists": ["*"], "can": ["read", "write", "create", "delete"]}]
        secret = self.client.write("POST", "/v1/tokens", {"name": "brief", "grants": grants})["token"]
        self.go("lists/emoji-explorer")
        self.sign_in(secret)
        self.wait_until_live()

    def wait_for_above(self):
        wait_for(lambda: self.browser.one("dialog.sign-in-above"), "a window to sign in above the other one")
        top = self.browser.driver.execute_script(
            "const box = document.querySelector('dialog.sign-in-above #token').getBoundingClientRect();"
            "return document.elementFromPoint(box.left + 9, box.top + 9)?.id")
        self.assertEqual("token", top)
        result = self.browser.axe()
        self.assertEqual([], [(one["id"], one["help"]) for one in result["violations"]])

    def sign_in_above(self, secret):
        self.browser.one("dialog.sign-in-above input").send_keys(secret, Keys.ENTER)

    def test_a_new_list(self):
        before = set(self.client.lists())
        wait_for(lambda: self.browser.one(".sidebar .new-list").is_displayed(), "a button")
        self.browser.one(".sidebar .new-list").click()
        self.browser.one("#new-title").send_keys("Typed before")
        self.client.write("DELETE", "/v1/tokens/brief")
        # Whoever notices it first: the stream, the look at the lists or the write.
        self.wait_for_above()
        self.assertEqual("Typed before", self.browser.one("#new-title").get_attribute("value"))
        self.sign_in_above("lst_" + "a" * 43)
        self.wait_for_text("dialog.sign-in-above .dialog-note", "This token is not known, was revoked, or has expired.")
        self.browser.one("dialog.sign-in-above input").clear()
        self.sign_in_above(self.server.token)
        wait_for(lambda: not self.browser.one("dialog.sign-in-above"), "the window below")
        self.browser.one("dialog .main-button").click()
        self.wait_for_text("h1", "Typed before")
        self.assertEqual(1, len(set(self.client.lists()) - before))

    def test_a_write_that_waits(self):
        """The write itself is refused, because nothing else asks meanwhile."""
        self.browser.driver.execute_script("document.querySelector('.sidebar .new-list').focus()")
        self.browser.one(".sidebar .new-list").click()
        self.browser.one("#new-title").send_keys("Sent once")
        self.browser.driver.execute_script(HELD_POSTS)
        self.browser.one("dialog .main-button").click()
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_above()
        self.browser.driver.execute_script("window.release_()")
        self.sign_in_above(self.server.token)
        self.wait_for_text("h1", "Sent once")
        self.assertIn("Sent once", [one["title"] for one in self.client.get("/v1/lists?limit=1000")["lists"]])

    def test_a_refusal_of_the_token_before(self):
        """It comes when somebody has signed in again, and does not take the new token away."""
        self.browser.one(".sidebar .new-list").click()
        self.browser.one("#new-title").send_keys("Sent late")
        self.browser.driver.execute_script(HELD_POSTS)
        self.browser.one("dialog .main-button").click()
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_above()
        self.sign_in_above(self.server.token)
        wait_for(lambda: not self.browser.one("dialog.sign-in-above"), "the window below")
        self.browser.driver.execute_script("window.release_()")
        self.wait_for_text("h1", "Sent late")
        self.assertFalse(self.browser.one("dialog.sign-in-above"))

    def test_an_item_as_json(self):
        row = self.browser.row("list.fox")
        self.browser.driver.execute_script("arguments[0].focus()", row)
        self.browser.driver.switch_to.active_element.send_keys("e")
        wait_for(lambda: self.browser.one("dialog textarea"), "a window")
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_above()
        self.sign_in_above(self.server.token)
        wait_for(lambda: not self.browser.one("dialog.sign-in-above"), "the window below")
        chain = ActionChains(self.browser.driver, duration=0)
        chain.click(self.browser.one("dialog textarea")).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL)
        chain.send_keys('{"kind":"emoji","content":{"title":"Fox"},"starred":true}').perform()
        self.browser.one("dialog .main-button").click()
        wait_for(lambda: self.client.get("/v1/lists/emoji-explorer/items/list.fox").get("starred"), "a star")
        wait_for(lambda: self.browser.one('.row[data-id="list.fox"].is-starred'), "a star that shows")

    def test_a_title_in_its_place(self):
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("list.fox"))
        self.browser.driver.switch_to.active_element.send_keys(Keys.F2)
        wait_for(lambda: self.browser.one(".title-edit"), "a field")
        ActionChains(self.browser.driver, duration=0).send_keys("Vulpes").perform()
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_above()
        self.sign_in_above(self.server.token)
        path = "/v1/lists/emoji-explorer/items/list.fox"
        wait_for(lambda: "Vulpes" in self.client.get(path)["content"].values(), lambda: self.client.get(path))
        wait_for(lambda: self.browser.pending() == "", self.browser.pending)

    def test_going_on_without_a_token(self):
        self.browser.one(".sidebar .new-list").click()
        self.browser.one("#new-title").send_keys("Kept")
        self.client.write("DELETE", "/v1/tokens/brief")
        self.wait_for_above()
        self.browser.one("dialog.sign-in-above .quiet-button").click()
        wait_for(lambda: not self.browser.one("dialog.sign-in-above"), "the window below")
        # The looks at the lists go on, and ask nobody again.
        looks = lambda: len([one for one in self.browser.requests() if one.startswith("/v1/lists?limit=")])
        before = looks()
        wait_for(lambda: looks() > before, "another look")
        self.assertIsNone(self.browser.one("dialog.sign-in-above"))
        self.assertEqual("Kept", self.browser.one("#new-title").get_attribute("value"))
        self.browser.one("dialog .quiet-button").click()
        self.wait_for_form()

    def test_a_list_that_comes_back_may_be_deleted(self):
        """A list that is not there tells nothing of a right."""
        self.client.write("PUT", "/v1/lists/brief-list", {"title": "Brief", "sections": []})
        more = '.side-item[data-id="brief-list"] .side-more'
        wait_for(lambda: self.browser.one(more), "the list")
        self.browser.driver.execute_script(HELD_LOOKS)
        self.client.write("DELETE", "/v1/lists/brief-list?purge=true")
        menu = lambda: self.browser.text(".menu")
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.one(more))
        self.browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        wait_for(lambda: "Open" in menu(), menu)
        self.assertNotIn("Delete", menu())
        self.browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.client.write("PUT", "/v1/lists/brief-list", {"title": "Brief", "sections": []})
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.one(more))
        self.browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        wait_for(lambda: "Delete" in menu(), menu)
        self.client.write("DELETE", "/v1/lists/brief-list?purge=true")


class OpenTests(BrowserTestCase):
    def test_a_server_without_tokens_offers_no_sign_in(self):
        self.browser.open_gallery()
        self.assertIsNone(self.browser.one(".bar .quiet-button"))
        self.assert_quiet()
