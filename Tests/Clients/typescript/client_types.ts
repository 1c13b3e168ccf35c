// What TypeScript must take, and must refuse, of the types of /client.js. It is compiled, and never run.

import { Changes, Client, Outcome, Row, Snapshot, connect } from "./client";

type Grocery = { name: string; done?: boolean };

const client: Client = connect({ url: "https://lists.example", token: async () => "lst_a", store: "indexeddb", name: "ada" });
const list = client.list<Grocery>("groceries", { where: ["content.done:false"], view: "items" });

const stop: () => void = list.subscribe((changes: Changes<Grocery>) => {
  for (const { item, section, index } of changes.items?.inserted ?? []) console.log(item.content.name, section, index);
});
const snapshot: Snapshot<Grocery> = list.getSnapshot();
const names: string[] = snapshot.sections.flatMap((section) => section.items.map((row: Row<Grocery>) => row.content.name));

async function edit(): Promise<string> {
  const { settled } = list.edit((e) => {
    const milk: string = e.add({ content: { name: "Milk" } }, { section: "dairy", at: "first" });
    const others: string[] = e.add([{ content: { name: "Eggs" } }, "tea"], { after: milk });
    e.move(milk, { before: others[0] });
    e.update(milk, { content: { done: true } });
    e.operation({ op: "moveSection", section: "dairy", before: "fruit" });
    // @ts-expect-error An index is no place.
    e.move(milk, { index: 3 });
  }, { label: "Milk" });
  const outcome: Outcome = await settled;
  // @ts-expect-error Only a refused edit has a problem.
  outcome.problem;
  return outcome.status === "refused" ? outcome.problem.code : outcome.operations.map(({ status }) => status).join();
}

// @ts-expect-error A snapshot does not change.
snapshot.sections[0].items[0].content.name = "Other";
// @ts-expect-error There is no such store.
connect({ store: "cookies" });
// @ts-expect-error There is no such option.
client.list("groceries", { filtre: "milk" });

connect({ store: { folder: "queue" } });
connect({ store: { all: async () => [], put: async () => {}, remove: async () => {} } });
export { edit, names, stop };
