// A client of the story in JavaScript, in Node and in Chromium: README.md says what it is asked.

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Person {
  /** @param kept How many edits the store has. */
  constructor({ client, url, list: id }, connect, store, kept, say) {
    Object.assign(this, { number: client, countKept: kept, say });
    const onRefused = ({ label }, outcome) => this.tell(label, outcome);
    this.list = connect({ url, store, name: `${client}`, onRefused }).list(id);
  }

  tell(told, { status, problem }) {
    this.say({ client: this.number, told, status, code: problem?.code });
  }

  async until(fact) {
    while (!fact()) await pause(10);
  }

  edit({ edits }) {
    for (const { label, operations } of edits) {
      const { settled } = this.list.edit((e) => operations.forEach((one) => e.operation(one)), { label });
      settled.then((outcome) => ["refused", "dropped"].includes(outcome.status) || this.tell(label, outcome));
    }
    return { pending: this.list.getSnapshot().pending };
  }

  /** When the disk has all edits that wait. */
  async kept() {
    while (await this.countKept() !== this.list.getSnapshot().pending) await pause(10);
    return { pending: this.list.getSnapshot().pending };
  }

  async settled({ most = 0 }) {
    await this.until(() => this.list.status === "live" && this.list.getSnapshot().pending <= most);
    return {};
  }

  /** What is shown once it has reached a version. */
  async shown({ version }) {
    await this.until(() => this.list.getSnapshot().version === version);
    return { sections: this.list.getSnapshot().sections };
  }
}

/** Answers questions: a function that takes each. */
export function answering(people, say) {
  const all = new Map(people.map((one) => [one.number, one]));
  return ({ client, key, ask, ...question }) => Promise.resolve().then(() => all.get(client)[ask](question))
    .then((answer) => say({ answer: key, ...answer }), (error) => say({ answer: key, error: `${error.stack}` }));
}
