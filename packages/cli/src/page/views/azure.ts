import type { Azure, CloudState, JournalEntry } from "@capstan/azure-sim";
import {
  AZURE_LISTS,
  type AzureHead,
  type AzureList,
  type AzureMachineRow,
  type AzureRequestRow,
  type AzureResourceRow,
  type ViewState,
} from "@capstan/page";
import type { LiveView } from "../live/follow-view.ts";

/** The simulated Azure, as its own control shows it. */
export type AzureSource = Pick<Azure["control"], "state" | "journal" | "speed" | "seed" | "faults">;

interface AzureViewOptions {
  readonly azure: AzureSource;
  readonly list: AzureList;
  /** The words that select the same data directory in commands. */
  readonly flags: string;
}

// Nothing tells of changes in Azure, and people who watch it look at the clock.
const REFRESH_MS = 1000;
const MOST_REQUESTS = 300;
const MOST_BUDGETS = 8;

/** The list of an address; undefined for one that does not exist. */
export function azureList(name: string | undefined): AzureList | undefined {
  return AZURE_LISTS.find((list) => list === (name ?? AZURE_LISTS[0]));
}

/** One list of the simulated Azure, read again each second. */
export function azureView({ azure, list, flags }: AzureViewOptions): LiveView {
  const requests = new LastRequests(azure);
  return {
    refreshMs: REFRESH_MS,
    note: () => false,
    read: (): ViewState => {
      const state = azure.state();
      const { rows: shown, total } = requests.read();
      return {
        head: headOf({ azure, list, flags }, state, total),
        rows: list === "requests" ? shown : list === "machines" ? machineRows(state) : resourceRows(state),
      };
    },
  };
}

function headOf({ azure, list, flags }: AzureViewOptions, state: CloudState, requests: number): AzureHead {
  const { resources, machines, budgets } = state;
  const shareOf = ({ left, capacity }: AzureHead["budgets"][number]): number => left / capacity;
  const command = list === "requests" ? "journal" : "status";
  return {
    list,
    speed: azure.speed,
    seed: azure.seed,
    counts: { resources: resources.length, machines: machines.length, requests },
    budgets: budgets
      .toSorted((a, b) => shareOf(a) - shareOf(b))
      .slice(0, MOST_BUDGETS)
      .map((budget) => ({ ...budget, name: budget.name.replaceAll(GUID, "$1…") })),
    faults: azure.faults().map(({ id }) => id),
    commands: [`npx capstan sim ${command} ${flags}`, `npx capstan sim clock speed 60 ${flags}`],
  };
}

// The first digits tell subscriptions and programs apart.
const GUID = /\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** Sorts a resource right before those inside of it. */
const BEFORE_ALL = "\0";

function resourceRows({ resources, runningOperations }: CloudState): readonly AzureResourceRow[] {
  const operations = new Map(runningOperations.map((one) => [one.resourceId.toLowerCase(), one]));
  const keyed = resources
    .map((resource) => ({
      resource,
      key: resource.id.toLowerCase(),
      order: `${resource.id.toLowerCase().replaceAll("/", BEFORE_ALL)}${BEFORE_ALL}`,
    }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const open: string[] = [];
  return keyed.map(({ resource: { id, type, state }, key, order }) => {
    while (open.length > 0 && !order.startsWith(open.at(-1) ?? "")) open.pop();
    const depth = open.push(order) - 1;
    const running = operations.get(key);
    return {
      key,
      name: lastPart(id),
      depth,
      type: type.slice(type.indexOf("/") + 1),
      group: groupIn(id),
      state,
      ...(running && { operation: { name: running.name, dueMs: running.dueMs } }),
    };
  });
}

function machineRows({ machines }: CloudState): readonly AzureMachineRow[] {
  return machines.map(({ id, state, power, isLatest }) => ({
    key: id.toLowerCase(),
    name: lastPart(id),
    set: /\/virtualMachineScaleSets\/([^/]+)\//i.exec(id)?.[1] ?? "",
    group: groupIn(id),
    state,
    power,
    ...(isLatest !== undefined && { isLatest }),
  }));
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}

function groupIn(id: string): string {
  return /\/resourceGroups\/([^/]+)/i.exec(id)?.[1] ?? "";
}

/** The newest requests. The journal is asked for those alone that came since. */
class LastRequests {
  readonly #azure: AzureSource;
  #last = 0;
  #entries: readonly JournalEntry[] = [];

  constructor(azure: AzureSource) {
    this.#azure = azure;
  }

  read(): { readonly rows: readonly AzureRequestRow[]; readonly total: number } {
    const news = this.#azure.journal(this.#last);
    this.#last = news.at(-1)?.sequence ?? this.#last;
    this.#entries = [...this.#entries, ...news].slice(-MOST_REQUESTS);
    return { rows: this.#entries.map(requestRow).toReversed(), total: this.#last };
  }
}

function requestRow({ sequence, atMs, operation, status, code, path }: JournalEntry): AzureRequestRow {
  const below = path.replace(/^\/subscriptions\/[^/]+(?=\/)/i, "");
  return { key: String(sequence), atMs, operation, status, code: code ?? "", path: below };
}
