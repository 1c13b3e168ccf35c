"""nginx and HAProxy with the files of docker/tls before a real server: what clients get by TLS, and what the server learns
of them."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import warnings

TOP = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("LISTSTATE_SERVER", str(TOP / ".build/debug/liststate"))
SECONDS = 20
"""In which something must have happened."""
PATH = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
NAME = "lists.example.org"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"after {SECONDS} s: {what}")
        time.sleep(0.02)


def replaced(text, changes):
    """The text with each key, which must be there once, replaced by its value."""
    for old, new in changes.items():
        if text.count(old) != 1:
            raise AssertionError(f"{old!r} occurs {text.count(old)} times")
        text = text.replace(old, str(new))
    return text


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--memory", "--samples", "--allow-host", NAME, *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline().decode().split("http://127.0.0.1:")[1].split(",")[0])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Proxy:
    """A program that runs a file of docker/tls in a folder with a certificate."""

    program = None
    """Its path; None if it is not there."""

    def __init__(self, port):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-tls-"))
        self.plain, self.tls = free_port(), free_port()
        self.certify()
        (self.folder / "configuration").write_text(self.configuration(port))
        self._log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(self.words(), stdout=self._log, stderr=self._log)
        wait_until(self.answers, f"no {type(self).__name__}: {(self.folder / 'log').read_text()}")

    def certify(self):
        """Makes a new certificate with its key."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", self.folder / "key.pem",
             "-out", self.folder / "certificate.pem"], check=True, capture_output=True)
        both = (self.folder / "certificate.pem").read_text() + (self.folder / "key.pem").read_text()
        (self.folder / "all.pem").write_text(both)

    def trusting(self):
        return ssl.create_default_context(cafile=str(self.folder / "certificate.pem"))

    def connect(self, context=None):
        """A connection of http.client, which has been made."""
        connection = http.client.HTTPConnection("127.0.0.1", self.tls, timeout=SECONDS)
        plain = socket.create_connection(("127.0.0.1", self.tls), timeout=SECONDS)
        connection.sock = (context or self.trusting()).wrap_socket(plain, server_hostname=NAME)
        return connection

    def answers(self):
        try:
            with contextlib.closing(self.connect()) as connection:
                return ask(connection, "GET", "/healthz")[0].status == 200
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self._log.close()
        shutil.rmtree(self.folder)


class Nginx(Proxy):
    program = shutil.which("nginx", path=PATH)
    reload_signal = signal.SIGHUP

    def configuration(self, port):
        text = (TOP / "docker/tls/nginx.conf").read_text()
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"):
            text = text.replace("    access_log off;", f"    {kind}_temp_path {self.folder}/{kind};\n    access_log off;", 1)
        return replaced(text, {
            "listen 80 default": f"listen 127.0.0.1:{self.plain} default", "listen 443": f"listen 127.0.0.1:{self.tls}",
            "/etc/liststate/tls/certificate.pem": self.folder / "certificate.pem",
            "/etc/liststate/tls/key.pem": self.folder / "key.pem", "127.0.0.1:8080": f"127.0.0.1:{port}",
            "worker_processes auto;": f"worker_processes 1;\nuser {os.environ.get('USER', 'root')};",
        })

    def words(self):
        return [self.program, "-p", self.folder, "-c", self.folder / "configuration", "-e", self.folder / "errors", "-g",
                f"daemon off; pid {self.folder}/pid;"]


class HAProxy(Proxy):
    program = shutil.which("haproxy", path=PATH)
    reload_signal = signal.SIGUSR2

    def configuration(self, port):
        return replaced((TOP / "docker/tls/haproxy.cfg").read_text(), {
            "bind :80": f"bind 127.0.0.1:{self.plain}", "bind :443": f"bind 127.0.0.1:{self.tls}",
            "/etc/liststate/tls/all.pem": self.folder / "all.pem", "127.0.0.1:8080": f"127.0.0.1:{port}",
        })

    def words(self):
        return [self.program, "-W", "-db", "-f", self.folder / "configuration"]


def ask(connection, method, path, body=None, **headers):
    """The response, whose body has been read, and the body."""
    sent = {"Host": NAME, **{name.replace("_", "-"): value for name, value in headers.items()}}
    if body is not None:
        sent["Content-Type"] = "application/json"
    connection.request(method, path, body, sent)
    response = connection.getresponse()
    return response, response.read()


class Stream:
    """A stream of events by TLS."""

    def __init__(self, proxy, path):
        self._connection = proxy.connect()
        self._connection.request("GET", path, headers={"Host": NAME, "Accept": "text/event-stream"})
        self.response = self._connection.getresponse()

    def next_event(self):
        """The name and the data of the next event."""
        lines = {}
        while True:
            line = self.response.readline().decode()
            if not line:
                raise EOFError("the stream has ended")
            line = line.rstrip("\n")
            name, _, value = line.partition(": ")
            if line:
                lines[name] = value
            elif "event" in lines:
                return lines["event"], json.loads(lines["data"])
            else:
                lines = {}

    def close(self):
        self.response.close()
        self._connection.close()


class TLSTests:
    """The tests, for each of the two programs."""

    proxy_type = Proxy
    options = ("--trusted-proxies", "127.0.0.1")

    def setUp(self):
        self.server = Server(*self.options)
        self.addCleanup(self.server.stop)
        self.proxy = self.proxy_type(self.server.port)
        self.addCleanup(self.proxy.stop)

        body = json.dumps({"title": "Groceries", "sections": [{"id": "s", "items": []}]})
        self.assertEqual(self.ask("PUT", "/v1/lists/groceries", body)[0].status, 201)

    def ask(self, method, path, body=None, **headers):
        with contextlib.closing(self.proxy.connect()) as connection:
            return ask(connection, method, path, body, **headers)

    def test_versions(self):
        for version, is_spoken in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True),
                                   (ssl.TLSVersion.TLSv1_3, True)):
            context = self.proxy.trusting()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = context.maximum_version = version
            if version < ssl.TLSVersion.TLSv1_2:
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
            with self.subTest(version.name):
                if not is_spoken:
                    with self.assertRaises(ssl.SSLError):
                        self.proxy.connect(context).close()
                    continue
                with contextlib.closing(self.proxy.connect(context)) as connection:
                    self.assertEqual(connection.sock.version(), version.name.replace("_", ".").replace("TLSv1", "TLSv1"))
                    self.assertEqual(ask(connection, "GET", "/v1/lists")[0].status, 200)

    def test_old_ciphers(self):
        context = self.proxy.trusting()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("AES128-SHA:AES256-SHA:AES128-GCM-SHA256:@SECLEVEL=0")
        with self.assertRaises(ssl.SSLError):
            self.proxy.connect(context).close()

    def test_http2_is_offered(self):
        context = self.proxy.trusting()
        context.set_alpn_protocols(["h2", "http/1.1"])
        with contextlib.closing(self.proxy.connect(context)) as connection:
            self.assertEqual(connection.sock.selected_alpn_protocol(), "h2")

    def test_sessions_are_resumed(self):
        context = self.proxy.trusting()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with contextlib.closing(self.proxy.connect(context)) as connection:
            ask(connection, "GET", "/healthz")
            session = connection.sock.session
            self.assertFalse(session.has_ticket)
        plain = socket.create_connection(("127.0.0.1", self.proxy.tls), timeout=SECONDS)
        with context.wrap_socket(plain, server_hostname=NAME, session=session) as again:
            self.assertTrue(again.session_reused)

    def test_plain_requests_are_sent_to_tls(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.plain, timeout=SECONDS)
        with contextlib.closing(connection):
            response, _ = ask(connection, "POST", "/v1/lists?a=b", "{}")
        self.assertEqual((response.status, response.headers["Location"]), (308, f"https://{NAME}/v1/lists?a=b"))

    def test_browsers_are_told_to_stay(self):
        page, _ = self.ask("GET", "/")
        self.assertEqual(page.headers["Strict-Transport-Security"], "max-age=31536000")
        for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                            ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
                            ("Cross-Origin-Resource-Policy", "same-origin")):
            self.assertEqual(page.headers[name], value)
        self.assertIn("frame-ancestors 'none'", page.headers["Content-Security-Policy"])
        direct = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        with contextlib.closing(direct):
            self.assertIsNone(ask(direct, "GET", "/")[0].headers["Strict-Transport-Security"])

    def test_a_key_is_passed_on(self):
        body = json.dumps({"items": [{"content": {"title": "Tea"}}]})
        path = "/v1/lists/groceries/items"
        first, made = self.ask("POST", path, body, Idempotency_Key='"tea"')
        again, same = self.ask("POST", path, body, Idempotency_Key='"tea"')
        self.assertEqual((first.status, again.status, made), (201, 201, same))
        self.assertIsNone(first.headers["Idempotency-Replayed"])
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")

    def test_conditions_and_codings_are_passed_on(self):
        whole, body = self.ask("GET", "/v1/lists/emoji-explorer", Accept_Encoding="gzip")
        self.assertEqual(whole.headers["Content-Encoding"], "gzip")
        self.assertEqual(body[:2], b"\x1f\x8b")
        known, _ = self.ask(
            "GET", "/v1/lists/emoji-explorer", Accept_Encoding="gzip", If_None_Match=whole.headers["ETag"])
        self.assertEqual(known.status, 304)

    def test_long_heads_and_bodies_pass(self):
        # Nobody uses tokens, so nobody looks at this one.
        self.assertEqual(self.ask("GET", "/v1/lists", Authorization="Bearer " + "x" * 8_000)[0].status, 200)
        items = [{"id": f"i{index}", "content": {"text": "x" * 1_000}} for index in range(4_000)]
        body = json.dumps({"title": "Long", "sections": [{"id": "s", "items": items}]})
        made, _ = self.ask("PUT", "/v1/lists/long", body)
        self.assertEqual(made.status, 201)

    def test_a_stream_is_not_kept_back(self):
        stream = Stream(self.proxy, "/v1/lists/groceries/changes")
        self.addCleanup(stream.close)
        self.assertEqual(stream.next_event()[0], "reset")
        for number in range(3):
            title = f"Groceries {number}"
            self.assertEqual(self.ask("PATCH", "/v1/lists/groceries", json.dumps({"title": title}))[0].status, 200)
            name, change = stream.next_event()
            self.assertEqual(name, "change")
            self.assertIn(title, json.dumps(change))

    def test_a_reload_takes_a_new_certificate(self):
        stream = Stream(self.proxy, "/v1/lists/groceries/changes")
        self.addCleanup(stream.close)
        self.assertEqual(stream.next_event()[0], "reset")
        old = (self.proxy.folder / "certificate.pem").read_text()
        self.proxy.certify()
        self.assertNotEqual((self.proxy.folder / "certificate.pem").read_text(), old)
        with self.assertRaises(ssl.SSLError):
            self.proxy.connect().close()
        self.proxy.process.send_signal(self.proxy.reload_signal)
        wait_until(self.proxy.answers, "the new certificate is not there")
        # The stream goes on, although its certificate is gone.
        self.assertEqual(self.ask("PATCH", "/v1/lists/groceries", '{"title":"Later"}')[0].status, 200)
        self.assertEqual(stream.next_event()[0], "change")

    def raw(self, text):
        """The statuses of the answers to bytes that no library would send."""
        context = self.proxy.trusting()
        plain = socket.create_connection(("127.0.0.1", self.proxy.tls), timeout=SECONDS)
        with context.wrap_socket(plain, server_hostname=NAME) as connection:
            connection.sendall(text.encode())
            received = b""
            with contextlib.suppress(OSError):
                while piece := connection.recv(65_536):
                    received += piece
        lines = received.split(b"\r\n")
        return [int(line.split()[1]) for line in lines if line.startswith(b"HTTP/1.1 ")]

    def test_hidden_requests_are_not_served(self):
        hidden = f"DELETE /v1/lists/groceries HTTP/1.1\r\nHost: {NAME}\r\n\r\n"
        for fields in (f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: chunked\r\n",
                       "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding : chunked\r\n"):
            with self.subTest(fields):
                body = "0\r\n\r\n" + hidden
                self.raw(f"POST /v1/lists/groceries/items HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n{fields}\r\n{body}")
                self.assertEqual(self.ask("GET", "/v1/lists/groceries")[0].status, 200)


class QuotaTests:
    """The clients of a proxy are told apart by what the proxy says, and not by what they say of themselves."""

    proxy_type = Proxy

    def setUp(self):
        self.server = Server("--trusted-proxies", "127.0.0.1", "--client-requests-per-minute", "2")
        self.addCleanup(self.server.stop)
        self.proxy = self.proxy_type(self.server.port)
        self.addCleanup(self.proxy.stop)

    def test_what_a_client_says_of_itself_means_nothing(self):
        spoofed = {"X_Forwarded_For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
        direct = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=SECONDS)
        with contextlib.closing(direct):
            statuses = [ask(direct, "GET", "/v1/lists", **spoofed)[0].status for _ in range(3)]
        self.assertEqual(statuses, [200, 200, 429])
        # By the proxy, the client is this machine, which has no quotas. And the other one is still refused.
        with contextlib.closing(self.proxy.connect()) as connection:
            statuses = [ask(connection, "GET", "/v1/lists", **spoofed)[0].status for _ in range(5)]
        self.assertEqual(statuses, [200] * 5)


def suite(base, proxy):
    name = f"{proxy.__name__}{base.__name__}"
    case = type(name, (base, unittest.TestCase), {"proxy_type": proxy, "__module__": __name__})
    skip = unittest.skipUnless(proxy.program, f"there is no {proxy.__name__.lower()}")
    return name, skip(case)


for base in (TLSTests, QuotaTests):
    for proxy in (Nginx, HAProxy):
        name, case = suite(base, proxy)
        globals()[name] = case
del base, proxy, case

if __name__ == "__main__":
    unittest.main()
