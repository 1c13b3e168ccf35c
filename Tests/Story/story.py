#!/usr/bin/env python3
"""The story of clients who are away for long: nothing of theirs is lost, nothing is done twice.

    story.py SERVER-BINARY "CLIENT-COMMAND" [--clients 50] [--edits 200] [--others 4000] [--seed N]

Clients share some lists. Each edits rows of its own, so what its rows must be in the end is known. The command runs an
adapter (README.md). In this order

1. they edit through a wire that cuts, delays, stalls, and loses answers;
2. they are away: they edit on, their processes are killed with edits in their queues, and start again. Others write
   more than the history keeps, each with a key of its own, and delete a row of each client;
3. they come back through the faults, and the server is killed meanwhile;
4. the lists are put back to a copy. What was done since the copy is lost, as it must be; what waited meanwhile is not.

In the end each client shows what the server has; each edit of a client has been done once; and each edit about a row
that was gone was told to its client. Clients that only wait leave the processor alone.
"""
import argparse
import copy
import pathlib
import shutil
import sys
import tempfile
import time

from lists import HISTORY, Labels, Server, rows_of, write_with_keys
from people import Person, Process
from wire import Wire

CLIENTS_OF_LIST = 5
PROCESSES = 5
BATCH = 10
"""Edits that a client makes at a time."""
PENDING_MAX = 40
"""A client that reaches the server waits while it has more of them."""
REST = 4
"""Seconds in which the clients only wait, in the end."""
FAULTS = 0.01
KILLS = 3


class Story:
    def __init__(self, options):
        self.options = options
        clients = range(options.clients)
        self.names = [f"story-{number}" for number in range((options.clients + CLIENTS_OF_LIST - 1) // CLIENTS_OF_LIST)]
        self.server = Server(options.server, options.serve)
        self.wire = Wire(self.server, len(clients), options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="liststate-clients-"))
        for name in self.names:
            self.server.ask("PUT", f"/v1/lists/{name}", {"title": name, "sections": [
                {"id": "one", "items": [{"id": "other"}]}, {"id": "two"}]})
        self.people = [Person(number, f"http://127.0.0.1:{self.wire.ports[number]}",
                              self.names[number // CLIENTS_OF_LIST], options.seed) for number in clients]
        self.labels = Labels(self.server, self.names)
        processes = min(options.processes, len(clients))
        edits = options.edits * options.clients
        self.processes = [Process(options.client, self.people[number::processes], self.folder, edits, self._note)
                          for number in range(processes)]
        self.keys = 0
        self.start = time.monotonic()

    def _note(self, told):
        self.people[told["client"]].told[told["told"]] = told

    # What the clients are asked.

    def ask_all(self, ask, **question):
        """The answers of all clients, who work at the same time."""
        waiting = [(one, process.ask(one.number, ask=ask, **question)) for process in self.processes
                   for one in process.clients]
        return [(one, answer()) for one, answer in waiting]

    def edit(self, count, waits):
        """Each client makes `count` edits, and waits for answers meanwhile if it reaches the server."""
        for _ in range(0, count, BATCH):
            waiting = [process.ask(one.number, ask="edit", edits=[one.edit() for _ in range(min(BATCH, count))])
                       for process in self.processes for one in process.clients]
            for answer in waiting:
                answer()
            if waits:
                self.ask_all("settled", most=PENDING_MAX)

    def edit_gone(self, rows):
        for answer in [process.ask(one.number, ask="edit", edits=[one.edit_of_gone(rows[one])])
                       for process in self.processes for one in process.clients if one in rows]:
            answer()

    def settle(self):
        self.ask_all("settled")

    def kill_clients(self):
        self.ask_all("kept")
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.start()

    # The story.

    def tell(self):
        part = self.options.edits // 10
        self.wire.faults = FAULTS
        self.edit(4 * part, waits=True)
        self.settle()
        self.say(f"edited through faults {self.wire.seen}")

        self.wire.send_away()
        rows = self.delete_rows()
        self.edit(part, waits=False)
        self.kill_clients()
        self.edit_gone(rows)
        self.edit(2 * part, waits=False)
        self.kill_clients()
        self.labels.pass_over(self.write_as_others)
        self.say(f"away with {sum(answer['pending'] for _, answer in self.ask_all('kept')):,} edits in the queues, "
                 f"processes killed twice, {self.options.others:,} foreign keys")

        self.wire.let_back()
        for _ in range(KILLS):
            self.edit(part // KILLS, waits=False)
            self.ask_all("settled", most=part)
            self.server.kill()
            self.server.start()
        self.settle()
        self.check("back")
        self.say(f"back, {KILLS} kills of the server")

        self.restore(part)
        self.check("restored")
        self.say("lists put back to a copy")
        self.say(f"{self.rest():.2f} s of a processor in {REST} s in which nothing came")

    def delete_rows(self):
        """Somebody else deletes a row of each client, who does not hear of it."""
        rows = {}
        for one in self.people:
            row = next(iter(one.own))
            self.server.write(one.list, {"op": "deleteItems", "items": [row]})
            del one.own[row]
            rows[one] = row
        return rows

    def write_as_others(self):
        write_with_keys(self.server, self.names, self.options.others, self.keys)
        self.keys += self.options.others

    def restore(self, part):
        self.server.back_up()
        copies = {one: copy.deepcopy(one.own) for one in self.people}
        self.edit(part, waits=True)
        self.settle()
        self.wire.send_away()
        hidden, lost = {}, {}
        for one in self.people:
            new = [row for row in one.own if row not in copies[one]]
            if new:
                lost[one] = new[0]
            # Rows that have gone since are not seen now; they come back.
            hidden[one] = {row: value for row, value in copies[one].items() if row not in one.own}
            one.own = {row: value for row, value in copies[one].items() if row in one.own}
        self.edit(part, waits=False)
        self.edit_gone(lost)
        self.labels.pass_over(self.put_back)
        for one in self.people:
            one.own |= hidden[one]
        self.wire.let_back()
        self.settle()

    def put_back(self):
        self.server.kill()
        self.server.restore()
        self.server.start()

    # What must hold.

    def rest(self):
        """Clients that only wait for changes leave the processor alone. Seconds of all their processors."""
        time.sleep(1)
        before = sum(process.processor_seconds for process in self.processes)
        time.sleep(REST)
        used = sum(process.processor_seconds for process in self.processes) - before
        if used > REST / 2:
            sys.exit(f"{used} s of a processor for clients that wait {REST} s")
        return used

    def check(self, where):
        self.labels.look()
        wrong = [f"{label} was done {count} times" for label, count in self.labels.counts.items() if count > 1]
        for name in self.names:
            rows, version = self.server.rows(name)
            people = [one for one in self.people if one.list == name]
            for one, shown in self.shown(people, version):
                if shown != rows:
                    wrong.append(f"client {one.number} shows something else than the server: {difference(shown, rows)}")
                wrong.append(one.wrong(rows))
        for one in self.people:
            for label in one.gone:
                told = one.told.get(label, {})
                # A client that has not seen the list since its start sends its edit without a base.
                if told.get("status") != "dropped" and told.get("code") != "unknown_item":
                    wrong.append(f"{label} was about a row that was gone, and was told as {told}")
            wrong += [f"{label} is {told['status']} {told.get('code')}" for label, told in one.told.items()
                      if told["status"] in ("refused", "dropped") and label not in one.gone]
        wrong = [line for line in wrong if line]
        if wrong:
            sys.exit(f"{where}: {len(wrong)} things are wrong (seed {self.options.seed})\n" + "\n".join(wrong))

    def shown(self, people, version):
        waiting = [(one, process.ask(one.number, ask="shown", version=version))
                   for process in self.processes for one in process.clients if one in people]
        return [(one, rows_of(answer()["sections"])) for one, answer in waiting]

    def say(self, text):
        print(f"{time.monotonic() - self.start:6.1f} s  {text}", flush=True)

    def close(self):
        for process in self.processes:
            process.kill()
        self.labels.stop()
        self.server.close()
        shutil.rmtree(self.folder)


def difference(shown, rows):
    for (section, ours), (_, theirs) in zip(shown, rows):
        for place, (one, other) in enumerate(zip(ours, theirs)):
            if one != other:
                return f"{section}[{place}] {one}, {other}"
    return f"{[len(rows) for _, rows in shown]} rows, {[len(rows) for _, rows in rows]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("client", help="the command of an adapter")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--edits", type=int, default=200, help="of each client")
    parser.add_argument("--others", type=int, help="writes of others while the clients are away, each with a key")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--serve", action="append", default=[], help="a further option of `liststate serve`")
    options = parser.parse_args()
    lists = (options.clients + CLIENTS_OF_LIST - 1) // CLIENTS_OF_LIST
    if options.others is None:
        options.others = (HISTORY + 10) * lists
    story = Story(options)
    try:
        story.tell()
    finally:
        story.close()
    edits = sum(len(one.made) + len(one.gone) for one in story.people)
    print(f"{options.clients} clients, {edits:,} edits: 0 lost, 0 doubled, "
          f"{sum(len(one.gone) for one in story.people)} told as dropped; seed {options.seed}")


if __name__ == "__main__":
    main()
