// The main job with the client that typescript-fetch of openapi-generator makes: `node job.js http://127.0.0.1:8080`.
import {
    ChangeSet, ChangesApi, Configuration, ItemsApi, ListReset, ListsApi, SectionOrder, TransactionsApi, WriteResult,
} from './client';

declare const process: { argv: string[]; exit(code: number): never };

const list = 'typescript-fetch';
const configuration = new Configuration({ basePath: process.argv[2] });
const lists = new ListsApi(configuration);
const items = new ItemsApi(configuration);
const changes = new ChangesApi(configuration);
const transactions = new TransactionsApi(configuration);

function expect(actual: unknown, wanted: unknown): void {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(wanted)];
    if (left !== right) throw new Error(`${left} is not ${right}`);
}

async function reorder(order: SectionOrder, base?: string): Promise<WriteResult> {
    return (await transactions.postReorder({ list, reorder: { sections: { fruit: order }, base } }))!;
}

async function fruit(): Promise<string[]> {
    return (await lists.getList({ list })).sections![0].items!.map((item) => item.id);
}

async function job(): Promise<void> {
    const fruits = ['Apple', 'Pear', 'Plum'].map((name) => ({ id: name.toLowerCase(), kind: 'product', content: { name } }));
    const sections = [{ id: 'fruit', title: 'Fruit', items: fruits }, { id: 'bread' }];
    const first = (await lists.putList({ list, wantedSnapshot: { title: 'Groceries', sections } }))!.version!;

    const snapshot = await lists.getList({ list });
    expect([snapshot.title, snapshot.version, snapshot.counts.items], ['Groceries', first, 3]);
    expect(snapshot.sections![0].items![1].content, { name: 'Pear' });

    expect((await items.starItem({ list, item: 'apple' }))!.operations![0].status, 'applied');
    expect((await items.getItem({ list, item: 'apple' })).starred, true);

    const ordered = await reorder({ _final: ['plum', 'apple', 'pear'] });
    expect(await fruit(), ['plum', 'apple', 'pear']);
    const insertions = [{ offset: 2, element: 'plum', associatedOffset: 0 }];
    const removals = [{ offset: 0, element: 'plum', associatedOffset: 2 }];
    expect((await reorder({ difference: { insertions, removals } }, ordered.version)).changed, true);
    expect(await fruit(), ['apple', 'pear', 'plum']);

    const result = (await transactions.postTransaction({
        list,
        listTransaction: {
            label: 'phone',
            operations: [
                { op: 'moveItem', item: 'pear', before: 'apple' },
                { op: 'appendItems', section: 'bread', items: [{ id: 'roll', content: { name: 'Roll' } }] },
                { op: 'starItems', items: ['roll'] },
            ],
        },
    }))!;
    expect(result.operations!.map((outcome) => outcome.status), ['applied', 'applied', 'applied']);

    const caughtUp = (await changes.getChanges({ list, since: first })) as ChangeSet;
    expect([caughtUp.from, caughtUp.to], [first, result.version]);
    expect(caughtUp.items!.inserted![0].item.content, { name: 'Roll' });

    for (const since of [undefined, 'other-7']) {
        const reset = (await changes.getChanges({ list, since })) as ListReset;
        expect([reset.reset, reset.snapshot.version], [true, result.version]);
    }

    const waiting = changes.getChanges({ list, since: result.version, wait: 20 });
    const unstarred = (await items.unstarItem({ list, item: 'apple' }))!;
    const later = (await waiting) as ChangeSet;
    expect([later.to, later.items!.reconfigured![0].item.id], [unstarred.version, 'apple']);
    console.log('openapi-generator, typescript-fetch: done');
}

job().catch((error) => {
    console.error(error);
    process.exit(1);
});
