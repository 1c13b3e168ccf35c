"""The first checker. Every answer carries a version, so it only sorts, replays and compares."""
import json

from history import Violation
from lists import Mismatch, applied, performed, revision_of, state_of
from work import positions

NEVER = 1 << 63


class Check:
    """The broken promises of a history, in `violations`."""

    def __init__(self, history):
        self._history = history
        self.violations = []
        self.states = self.unknown = self.events = 0
        by_list = {name: [] for name in history.starts}
        for write in history.writes:
            by_list[write.list].append(write)
        self._states = {}
        for name, writes in by_list.items():
            try:
                self._check_list(name, writes)
            except (Mismatch, ValueError, KeyError, TypeError) as error:
                self._violate("wrong", f"{name}: {type(error).__name__} {error}")
        for watch in history.watches:
            try:
                self._check_watch(watch)
            except (Mismatch, ValueError, KeyError, TypeError) as error:
                self._violate("unseen", f"{watch.name}: {type(error).__name__} {error}")

    def _violate(self, kind, text):
        self.violations.append(Violation(kind, text))

    # MARK: Writes

    def _check_list(self, name, writes):
        history = self._history
        begin, end = history.starts[name], history.ends.get(name)
        answers = {write: json.loads(write.acknowledged.body) for write in writes if write.acknowledged}
        if end is None:
            return self._violate("lost", f"{name} could not be read at the end")
        (epoch, first), (last_epoch, last) = revision_of(begin["version"]), revision_of(end["version"])
        if epoch != last_epoch:
            return self._violate("lost", f"{name} went from {begin['version']} to {end['version']}")
        owners = self._owners(name, answers, epoch, last)
        self._check_labels(name, writes, owners, first, last)
        missing = [revision for revision in range(first + 1, last + 1) if revision not in owners]
        unknown = [write for write in writes if write.may_be_done and write not in owners.values()]
        if len(missing) > len(unknown):
            self._violate("gap", f"{name} has versions {missing[:5]} of nobody ({len(missing)} in all)")
        for write in writes:
            self._check_tries(write)
        self._check_order(name, answers)
        self._replay(name, begin, owners, answers, first, last)
        states = self._states[name]
        for write, answer in answers.items():
            self._check_answer(write, answer, epoch, states)
        for number, shown in enumerate(history.shown[name]):
            revision = revision_of(shown["version"])[1]
            if revision in states and state_of(shown) != states[revision]:
                self._violate("unequal", f"node {number} shows {name} {shown['version']} as {state_of(shown)}, it is "
                                         f"{states[revision]}")
        for read in history.reads:
            if read.list == name:
                self._check_read(read, epoch, states)

    def _owners(self, name, answers, epoch, last):
        """The write that made each revision."""
        owners = {}
        for write, answer in answers.items():
            made, revision = revision_of(answer["version"])
            if made != epoch or revision > last:
                self._violate("lost", f"{write.label} was acknowledged as {answer['version']}, but {name} is at "
                                      f"{epoch}-{last}")
            elif not answer["changed"]:
                continue
            elif revision in owners:
                self._violate("doubled", f"{name} {revision} was given to {owners[revision].label} and {write.label}")
            else:
                owners[revision] = write
        return owners

    def _check_labels(self, name, writes, owners, first, last):
        """Compares the list's history with the answers, and finds the versions of writes whose answer was lost."""
        labels = self._history.labels.get(name, {})
        by_label, places = {write.label: write for write in writes}, {}
        for revision in range(first + 1, last + 1):
            if revision not in labels:
                continue
            label = labels[revision]
            write = by_label.get(label)
            if label in places:
                self._violate("doubled", f"{name} has {label} at {places[label]} and at {revision}")
            places[label] = revision
            if write is None:
                self._violate("gap", f"{name} has {revision} of {label}, which nobody has sent")
            elif revision in owners and owners[revision] is not write:
                self._violate("lost", f"{owners[revision].label} was acknowledged as {name} {revision}, which is "
                                      f"{label} in the history")
            elif revision not in owners and write.may_be_done:
                owners[revision] = write
            elif revision not in owners:
                self._violate("doubled", f"{name} {revision} is of {label}, which was told something else: "
                                         f"{[(one.status, (one.body or b'')[:80]) for one in write.tries]}")

    def _check_tries(self, write):
        known = None
        for number, one in enumerate(write.tries):
            if not one.is_success:
                continue
            body = json.loads(one.body)
            told = [body.get(member) for member in ("version", "changed", "operations")]
            if one.is_replay and number == 0:
                self._violate("forgotten", f"{write.label} was new, but got the answer of another try")
            if known is None:
                known = told
            elif told != known or not one.is_replay:
                self._violate("forgotten", f"{write.label} was told {known}, then {told}, replay {one.is_replay}")

    def _check_order(self, name, answers):
        """A write that began after another one had ended must have a larger version. One that changes nothing must not
        have a smaller one, and neither must a read. A read of what is in memory may be as old as it says."""
        done = [(write.tries[0].start, write.acknowledged.end, revision_of(answer["version"])[1], answer["changed"],
                 write.label) for write, answer in answers.items()]
        for read in self._history.reads:
            if read.list == name:
                version = json.loads(read.body)
                revision = revision_of(version.get("version") or version["to"])[1]
                # A read of what is in memory says nothing about what comes after it.
                end = read.end if read.age is None else NEVER
                done.append((read.shows_from, end, revision, None, "a read" if read.age is None
                             else f"a read of age {read.age}"))
        ended = sorted(done, key=lambda one: one[1])
        newest, index = (0, ""), 0
        for start, _, revision, changed, label in sorted(done):
            while index < len(ended) and ended[index][1] < start:
                newest = max(newest, (ended[index][2], ended[index][4]))
                index += 1
            if revision >= newest[0] + (1 if changed else 0):
                continue
            self._violate("stale" if changed is None else "order",
                          f"{name}: {label} got {revision}, after {newest[1]} had {newest[0]}")

    def _replay(self, name, begin, owners, answers, first, last):
        """The states of all versions: as the operations ask for, and as the change sets lead."""
        state = state_of(begin)
        states = self._states[name] = {first: state}
        for revision in range(first + 1, last + 1):
            write = owners.get(revision)
            if write is None:
                # The states after it are not known.
                self.unknown += last - revision + 1
                break
            asked = performed(state, write.operations)
            change = answers.get(write, {}).get("changes")
            if change is not None:
                span = tuple(revision_of(change[side])[1] for side in ("from", "to"))
                if span != (revision - 1, revision):
                    self._violate("gap", f"{write.label} made {revision}, but its changes are {change}")
                elif applied(state, change) != asked:
                    self._violate("wrong", f"{write.label}, {write.operations}, of {state}: {change}")
            elif write in answers and not any(one.is_replay for one in write.tries):
                self._violate("wrong", f"{write.label} was told no changes")
            if asked == state:
                self._violate("doubled", f"{write.label} made {revision}, which changes nothing: {write.operations}")
            states[revision] = state = asked
        self.states += len(states)

    def _check_answer(self, write, answer, epoch, states):
        revision = revision_of(answer["version"])[1]
        before = states.get(revision - 1 if answer["changed"] else revision)
        if not answer["changed"] and before is not None and performed(before, write.operations) != before:
            self._violate("wrong", f"{write.label} changed nothing at {revision}: {write.operations} of {before}")
        from_revision = revision - 1 if answer["changed"] else revision
        if write.match and write.match != f"{epoch}-{from_revision}":
            self._violate("wrong", f"{write.label} was meant for {write.match} only, but began at {from_revision}")
        missed = answer.get("missed")
        if write.base and missed is not None:
            self._check_change(missed, revision_of(write.base)[1], from_revision, states, f"missed of {write.label}",
                               "wrong")
        elif write.base and write.base != f"{epoch}-{from_revision}" and not write.acknowledged.is_replay:
            self._violate("wrong", f"{write.label}, for {write.base}, began at {from_revision} and was not told")

    def _check_change(self, change, start, end, states, what, kind):
        if revision_of(change["to"])[1] != end or not change.get("reset") and revision_of(change["from"])[1] != start:
            self._violate(kind, f"{what} does not lead from {start} to {end}: {change}")
        elif start in states and end in states and applied(states[start], change) != states[end]:
            self._violate(kind, f"{what} leads from {start} to another state than {end}: {change}")

    # MARK: Reads and followers

    def _check_read(self, read, epoch, states):
        answer = json.loads(read.body)
        if read.since is None:
            made, revision = revision_of(answer["version"])
            if made != epoch or revision in states and states[revision] != state_of(answer):
                self._violate("misread", f"{read.list} was read as {answer}")
            return
        made, revision = revision_of(answer["to"])
        if made != epoch:
            self._violate("misread", f"{read.list} was read as {answer}")
        if revision < revision_of(read.since)[1]:
            self._violate("misread", f"{read.list} since {read.since} went back: {answer}")
        self._check_change(answer, revision_of(read.since)[1], revision, states, f"{read.list} since {read.since}",
                           "misread")

    def _check_watch(self, watch):
        at, held = {}, {}
        for entry in watch.entries:
            if entry[0] == "connected":
                if positions(entry[1], watch.lists) != at:
                    self._violate("unseen", f"{watch.name} came back with {entry[1]}, it was at {at}")
                continue
            self.events += 1
            _, name, last_id, data = entry
            to = positions(last_id, watch.lists)
            if name is None:
                if any(revision_of(to[one])[1] < revision_of(at[one])[1] for one in at if one in to):
                    return self._violate("unseen", f"{watch.name}: an id alone went back from {at} to {to}")
                # No view is narrower than the list, so an id without an event skips nothing that shows.
                moved = [one for one in at if to.get(one) != at[one]]
                if any(self._state(one, to[one]) not in (None, held[one]) for one in moved):
                    return self._violate("unseen", f"{watch.name}: {moved} changed, and only an id came")
                at = to
                continue
            change = json.loads(data)
            one = change["list"]
            if name == "gone" or name not in ("change", "reset"):
                return self._violate("unseen", f"{watch.name}: {name} {change}")
            # A list that begins with a reset later is not in the id before.
            others = [other for other in at if other != one and to.get(other, at[other]) != at[other]]
            if to.get(one) != change["to"] or others:
                return self._violate("unseen", f"{watch.name} at {at}: the id {last_id} is not that of {change}")
            if not self._check_event(watch.name, one, name, change, at, held):
                return
            at = to
        if not watch.has_caught_up and self._history.is_whole:
            self._violate("unseen", f"{watch.name} did not see the end: it is at {at}")
        for one in watch.lists:
            if watch.has_caught_up and held[one] != state_of(self._history.ends[one]):
                self._violate("unseen", f"{watch.name} ends with {one} as {held[one]}")

    def _check_event(self, watcher, name, event, change, at, held):
        """Whether a follower can go on from an event."""
        revision = revision_of(change["to"])[1]
        before = revision_of(at[name])[1] if name in at else 0
        if event == "change" and (change["from"] != at.get(name) or revision <= before):
            self._violate("unseen", f"{watcher}, {name} at {at.get(name)}: {change}")
            return False
        if event == "reset" and revision < before:
            self._violate("unseen", f"{watcher}, {name} at {at.get(name)}, was reset to {change['to']}")
        held[name] = applied(held.get(name), change)
        wanted = self._state(name, change["to"])
        if wanted is not None and held[name] != wanted:
            self._violate("unseen", f"{watcher}, {name}: {event} to {change['to']} leads to {held[name]}, not {wanted}")
            return False
        return True

    def _state(self, name, version):
        return self._states.get(name, {}).get(revision_of(version)[1])
