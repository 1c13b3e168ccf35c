// The types of /client.js. docs/javascript.md of ListState shows how to use it.

/** JSON as `content` may hold it. */
export type JSONValue = null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue };
export type Content = { [name: string]: JSONValue };

export interface Row<C = Content> {
  readonly id: string;
  /** The name of the cell that shows it; `item` if nobody has said another. */
  readonly kind: string;
  readonly content: Readonly<C>;
  readonly parent?: string;
  readonly starred?: true;
  readonly expanded?: true;
  readonly reorderable?: false;
  /** 0 for a row without a parent. Only in the view `visible`. */
  readonly level?: number;
  /** How many rows are directly below it. Only in the view `visible`, and only if there are some. */
  readonly childCount?: number;
}

export interface Section<C = Content> {
  readonly id: string;
  readonly title?: string;
  readonly layout?: { readonly [name: string]: JSONValue };
  readonly header?: string | { readonly [name: string]: JSONValue };
  readonly footer?: string | { readonly [name: string]: JSONValue };
  readonly reorderable?: false;
  readonly items: readonly Row<C>[];
}

export interface Counts {
  readonly sections: number;
  readonly items: number;
  readonly visibleItems: number;
}

/**
 * `connecting` until the rows are here; `offline` while requests fail; `gone` if there is no such list; `unauthorized`
 * until there is another token; `refused` if the server takes the options of the list for wrong, which the console
 * says, too.
 */
export type Status = "connecting" | "live" | "offline" | "unauthorized" | "refused" | "gone" | "closed";

/** A list as it is shown: the server's state, with the edits on top that it has not answered yet. It never changes. */
export interface Snapshot<C = Content> {
  readonly id: string;
  readonly title?: string;
  readonly layout?: { readonly [name: string]: JSONValue };
  /** Of the server's state; empty before the first answer. */
  readonly version: string;
  readonly counts: Counts;
  /** Only of a window: how many rows there are above it, and in all. */
  readonly start?: number;
  readonly total?: number;
  /** The same object as before if nothing in it has changed. So is each row. */
  readonly sections: readonly Section<C>[];
  readonly status: Status;
  /** How many edits have no answer yet. */
  readonly pending: number;
}

/** The place of a row: its section, and its index among the rows that are shown. */
export interface Place {
  readonly section: number;
  readonly index: number;
}

/**
 * The difference between two snapshots that were shown, in the form of the change sets of the contract: `deleted`
 * and `from` are old places, everything else new ones. Parts without entries are left out.
 */
export interface Changes<C = Content> {
  readonly list: string;
  readonly from: string;
  readonly to: string;
  readonly properties?: { readonly title?: string; readonly layout?: { readonly [name: string]: JSONValue } | null };
  readonly sections?: {
    readonly deleted?: readonly { readonly id: string; readonly index: number }[];
    readonly inserted?: readonly { readonly index: number; readonly section: Section<C> }[];
    readonly moved?: readonly { readonly id: string; readonly from: number; readonly to: number }[];
    readonly reconfigured?: readonly { readonly index: number; readonly section: Omit<Section<C>, "items"> }[];
  };
  readonly items?: {
    readonly deleted?: readonly ({ readonly id: string } & Place)[];
    readonly inserted?: readonly ({ readonly item: Row<C> } & Place)[];
    readonly moved?: readonly { readonly id: string; readonly from: Place; readonly to: Place }[];
    readonly reconfigured?: readonly ({ readonly item: Row<C> } & Place)[];
    readonly reloaded?: readonly ({ readonly item: Row<C> } & Place)[];
  };
  /** `false` if those who made the changes want nothing to be shown moving; left out otherwise. */
  readonly animated?: boolean;
  readonly counts: Counts;
  /** Only of a window. */
  readonly start?: number;
  readonly total?: number;
  readonly status: Status;
  readonly pending: number;
}

/** A row to be added. One without an id gets a random one. */
export interface NewItem<C = Content> {
  id?: string;
  kind?: string;
  content?: C;
  /** Another item of the same addition, which stands before this one. */
  parent?: string;
  starred?: boolean;
  expanded?: boolean;
  reorderable?: boolean;
}

export interface Members<C = Content> {
  content?: Partial<C> | Content;
  /** The content is put in the place of the old one, not merged into it. */
  replace?: boolean;
  kind?: string;
  starred?: boolean;
  expanded?: boolean;
  reorderable?: boolean;
}

/** Beside a row, or at an end of a section or of the children of a row. */
export type Target =
  /** `section` or `parent` beside an anchor: where the row comes if the anchor is not there any more. */
  | { before: string; section?: string; parent?: string }
  | { after: string; section?: string; parent?: string }
  | { section: string; at?: "first" | "last" }
  | { parent: string; at?: "first" | "last" };

/** Everything that one edit does is done together or not at all. It names ids, never indexes. */
export interface Edits<C = Content> {
  move(id: string, target: Target): void;
  /**
   * Returns the id. A text is the id of a row that is there, and moves. Without a target the row comes to the end of the
   * last section.
   */
  add(item: NewItem<C> | string, target?: Target): string;
  add(items: readonly (NewItem<C> | string)[], target?: Target): string[];
  /** Merges `content` as a JSON merge patch, in which `null` removes a member. */
  update(id: string, members: Members<C>): void;
  /** With all that is below. */
  delete(ids: string | readonly string[]): void;
  star(ids: string | readonly string[], isStarred?: boolean): void;
  expand(ids: string | readonly string[], isExpanded?: boolean): void;
  /** Brings rows into this order, by as few moves as do. */
  reorder(ids: readonly string[]): void;
  /** Any operation of `POST /v1/lists/{list}/transactions`. */
  operation(operation: { op: string; [name: string]: unknown }): void;
}

/** RFC 9457, with the members that the contract names. */
export interface Problem {
  readonly code: string;
  readonly status?: number;
  readonly title?: string;
  readonly detail?: string;
  readonly [name: string]: unknown;
}

/** The outcome of an edit. */
export type Outcome =
  | Done<"applied">
  /** Not all of it, or at another place, because others have changed the list: `operations` says what. */
  | Done<"adjusted">
  /** Others have deleted all that it is about. */
  | Done<"dropped">
  /** Nothing of it, and it never will be. Codes of ours are `nothing_to_undo` and `closed`. */
  | { status: "refused"; problem: Problem };

export interface Done<S> {
  status: S;
  /** Of the list behind the edit; missing if it is not known. */
  version?: string;
  /** False if all was so already. */
  changed: boolean;
  /**
   * Missing unless the edit was sent together with others. Then `version` is that of all of them, so nothing but all of
   * them can be taken back, and `changed` says only that the edit was not dropped.
   */
  together?: true;
  operations: readonly OperationOutcome[];
  warnings?: readonly object[];
}

export interface OperationOutcome {
  readonly status: "applied" | "adjusted" | "partial" | "dropped";
  readonly reason?: string;
  readonly items?: readonly string[];
  readonly sections?: readonly string[];
}

export interface Transaction {
  readonly version: string;
  readonly time: string;
  readonly actor: string;
  readonly label?: string;
  readonly operations: readonly { readonly op: string; readonly [name: string]: unknown }[];
  readonly undone?: boolean;
  readonly [name: string]: unknown;
}

/** The rows that a list has. Without any of these it has all rows, and shows each edit at once. */
export interface ListOptions {
  /** `visible`, which is the default: rows whose ancestors are all expanded. `items`: all rows. */
  view?: "visible" | "items";
  section?: string | readonly string[];
  filter?: string;
  field?: string;
  where?: string | readonly string[];
  starred?: boolean;
  kind?: string;
  sort?: string;
  /** As if exactly these items were expanded. */
  expanded?: readonly string[];
  /** A window around a row. */
  around?: string;
  before?: number;
  after?: number;
}

export interface List<C = Content> {
  readonly id: string;
  readonly status: Status;
  /** Calls back after each change of what `getSnapshot` returns. Returns what ends that. */
  subscribe(listener: (changes: Changes<C>) => void): () => void;
  /** The same object until something has changed. */
  getSnapshot(): Snapshot<C>;
  row(id: string): Row<C> | undefined;
  /** Calls back when `row(id)` is another one. */
  subscribeRow(id: string, listener: () => void): () => void;
  /**
   * Shows an edit now, keeps it, and sends it. With `animated: false` all who follow the list are asked not to show it
   * moving. @throws {TypeError} If JSON cannot say it.
   */
  edit(make: (edits: Edits<C>) => void, options?: { label?: string; animated?: boolean }): { readonly settled: Promise<Outcome> };
  /** Takes back the transaction that made a version, or the newest own edit that has changed something. */
  undo(version?: string, options?: { label?: string }): { readonly settled: Promise<Outcome> };
  /** The newest transactions first. Rejects if the server cannot be asked. */
  history(options?: { limit?: number }): Promise<Transaction[]>;
  /** The list at a version that the server still keeps. Rejects if the server cannot be asked. */
  at(version: string): Promise<PastSnapshot<C>>;
  /** Ends it here, which its listeners hear. Its edits are sent all the same. */
  close(): void;
}

/** As the server sends it: sections without items have no `items`. */
export interface PastSnapshot<C = Content> {
  readonly id: string;
  readonly title?: string;
  readonly version: string;
  readonly counts: Counts;
  readonly sections: readonly (Omit<Section<C>, "items"> & { readonly items?: readonly Row<C>[] })[];
}

/** A store for edits of your own, if neither of the others will do. One client has it at a time. */
export interface Store {
  all(): Promise<object[]>;
  /** Keeps an entry under its `key`, in the place of one that is there. */
  put(entry: { key: string }): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface Options {
  /** The address of the server; the origin of the page if it is left out. */
  url?: string;
  /** The token, or what returns one. It is asked again when the server takes the token no longer. */
  token?: string | (() => string | Promise<string>);
  /** Edits wait here for an answer: in memory, which is the default; in IndexedDB; in a folder, in Node. */
  store?: "memory" | "indexeddb" | { folder: string } | Store;
  /** Tells several users of one browser apart: edits and streams are shared by clients of one url and one name. */
  name?: string;
  /** Hears of each edit that was refused or dropped, also of those that an earlier page or process has kept. */
  onRefused?: (edit: KeptEdit, outcome: Outcome) => void;
  /** Sends each request in the place of `fetch`. */
  fetch?: typeof fetch;
}

export interface KeptEdit {
  readonly list: string;
  readonly label?: string;
  /** As in `POST /v1/lists/{list}/transactions`; empty for an undo. */
  readonly operations: readonly { readonly op: string; readonly [name: string]: unknown }[];
}

export interface Client {
  /** @throws {TypeError} If no list can be called so. */
  list<C = Content>(id: string, options?: ListOptions): List<C>;
  /** Closes its lists, and sends nothing any more. What is kept is sent by the next client. */
  close(): void;
}

export function connect(options?: Options): Client;
