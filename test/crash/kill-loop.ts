import { createHash } from "node:crypto";
import { ConfigMap, type Frozen } from "@capstan/api";
import { createRealEnv, createRng, type Transport } from "@capstan/env";
import { type Client, createClient, Failure, isExpired } from "@capstan/runtime";
import { expect } from "vitest";
import { startCapstan } from "./capstan-process.ts";

const WRITERS = 8;
const FEWEST_WRITES = 40;
const MORE_WRITES = 160;
// Each object is written this often; then its writer starts the next.
const WRITES_OF_ONE = 4;

/** A writer's knowledge of one object: the last acknowledged and the last requested write. */
interface Known {
  acknowledged: number;
  attempted: number;
}

/** The knowledge of all writers, over all restarts of the server. */
interface Ledger {
  readonly objects: Map<string, Known>;
  newestVersion: number;
  acknowledged: number;
  /** Called with each acknowledgement. */
  onAcknowledged: () => void;
}

/** The counts of a loop. */
export interface LoopFigures {
  readonly kills: number;
  readonly acknowledged: number;
  readonly objects: number;
  /** Watches that resumed, and watches that had to list again. */
  readonly resumed: number;
  readonly expired: number;
}

/** Kills a server repeatedly during writes, and checks each time what it has stored. */
export async function killLoop(
  dataDir: string,
  { kills, seed }: { readonly kills: number; readonly seed: string },
): Promise<LoopFigures> {
  const rng = createRng(seed, "kills");
  const ledger: Ledger = {
    objects: new Map(),
    newestVersion: 0,
    acknowledged: 0,
    onAcknowledged: () => undefined,
  };
  const outcomes = { resumed: 0, expired: 0 };
  let lastSeen = 0;
  for (let life = 1; life <= kills; life++) {
    await oneLife(dataDir, async (client, kill) => {
      await verify(client, ledger);
      // Every other watcher ends early, and so misses events.
      const watched = follow(client, lastSeen, life % 2 === 0 ? Infinity : FEWEST_WRITES / 2);
      const enough = acknowledged(ledger, FEWEST_WRITES + rng.below(MORE_WRITES));
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(client, ledger, { writer: `l${life}-w${writer}`, applies: writer % 2 === 0 }),
      );
      await enough;
      await kill();
      await Promise.all(writers);
      const { outcome, newest } = await watched;
      outcomes[outcome]++;
      lastSeen = newest;
    });
  }
  await oneLife(dataDir, (client) => verify(client, ledger));
  return { kills, acknowledged: ledger.acknowledged, objects: ledger.objects.size, ...outcomes };
}

async function oneLife(
  dataDir: string,
  live: (client: Client, kill: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const capstan = await startCapstan(dataDir);
  let transport: Transport | undefined;
  try {
    transport = await capstan.connect();
    await live(createClient({ transport, env: createRealEnv(), fieldManager: "kill-loop" }), () =>
      capstan.kill(),
    );
  } finally {
    await transport?.close();
    await capstan.kill();
  }
}

/** Writes until the server is gone, by updates or by server-side apply. */
async function write(
  client: Client,
  ledger: Ledger,
  { writer, applies }: { readonly writer: string; readonly applies: boolean },
): Promise<void> {
  for (let number = 0; ; number++) {
    const name = `${writer}-${number}`;
    const known = { acknowledged: -1, attempted: 0 };
    ledger.objects.set(name, known);
    let stored: Frozen<ConfigMap> | undefined;
    for (let value = 0; value < WRITES_OF_ONE; value++) {
      known.attempted = value;
      const data = dataOf(name, value);
      try {
        stored = await writeOne(client, { name, stored, data, applies });
      } catch {
        // The connection broke: the write may have been done or not, and the client has no answer.
        return;
      }
      acknowledge(ledger, known, { value, version: Number(stored.metadata.resourceVersion) });
    }
  }
}

interface OneWrite {
  readonly name: string;
  readonly stored: Frozen<ConfigMap> | undefined;
  readonly data: Record<string, string>;
  readonly applies: boolean;
}

function writeOne(client: Client, { name, stored, data, applies }: OneWrite): Promise<Frozen<ConfigMap>> {
  const metadata = { name, namespace: "default" };
  if (applies) return client.patch(ConfigMap, metadata, { type: "apply", body: { data } });
  return stored
    ? client.update(ConfigMap, { ...stored, data })
    : client.create(ConfigMap, { metadata, data });
}

function acknowledge(
  ledger: Ledger,
  known: Known,
  { value, version }: { readonly value: number; readonly version: number },
): void {
  known.acknowledged = value;
  ledger.newestVersion = Math.max(ledger.newestVersion, version);
  ledger.acknowledged++;
  ledger.onAcknowledged();
}

/** Resolves after this many more acknowledged writes. */
function acknowledged(ledger: Ledger, more: number): Promise<void> {
  const until = ledger.acknowledged + more;
  return new Promise((resolve) => {
    ledger.onAcknowledged = () => {
      if (ledger.acknowledged >= until) resolve();
    };
  });
}

/** The data contain a checksum, so that a partial object is noticed, and a key of each write, so that its owner is. */
function dataOf(name: string, value: number): Record<string, string> {
  const filler = createHash("sha512").update(`${name}/${value}`).digest("hex").repeat(8);
  return { value: String(value), filler, [`write-${value}`]: "" };
}

/** The keys of the data that managers own. */
function ownedKeys({ metadata }: Frozen<ConfigMap>): string[] {
  const entries = (metadata.managedFields ?? []) as readonly { fieldsV1: { "f:data"?: object } }[];
  const keys = entries.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1["f:data"] ?? {}));
  return keys
    .filter((key) => key !== ".")
    .map((key) => key.slice("f:".length))
    .sort();
}

/** Every acknowledged write is stored, no object is partial or has managers of another write, and versions only grow. */
async function verify(client: Client, ledger: Ledger): Promise<void> {
  const { items, resourceVersion } = await client.page(ConfigMap, { namespace: "default" });
  expect(Number(resourceVersion)).toBeGreaterThanOrEqual(ledger.newestVersion);
  const byName = new Map(items.map((item) => [item.metadata.name, item]));
  for (const [name, { acknowledged: least, attempted }] of ledger.objects) {
    const found = byName.get(name);
    const value = found ? Number(found.data?.["value"]) : -1;
    expect(value, `${name}: acknowledged ${least}, attempted ${attempted}`).toBeGreaterThanOrEqual(least);
    expect(value, `${name}: acknowledged ${least}, attempted ${attempted}`).toBeLessThanOrEqual(attempted);
    if (!found) continue;
    expect(found.data, name).toEqual(dataOf(name, value));
    expect(ownedKeys(found), name).toEqual(Object.keys(dataOf(name, value)).sort());
  }
  // Executed writes without an acknowledgement count from now on.
  ledger.newestVersion = Number(resourceVersion);
}

/** The result of a watcher, and the version of its last event. */
interface Followed {
  readonly outcome: "resumed" | "expired";
  readonly newest: number;
}

/**
 * Watches from the last event of the same watcher before the restart, until the server is killed. If the version has
 * expired, the watcher starts again from a list, as any client does.
 */
async function follow(client: Client, since: number, events: number): Promise<Followed> {
  const first = await readWatch(client, since, events);
  if (!first.isExpired) return { outcome: "resumed", newest: first.newest };
  const { resourceVersion } = await client.page(ConfigMap, { namespace: "default", limit: 1 });
  const { newest } = await readWatch(client, Number(resourceVersion), events);
  return { outcome: "expired", newest };
}

/** Reads a watch to its end, or up to a number of events. The versions must only grow. */
async function readWatch(
  client: Client,
  since: number,
  events: number,
): Promise<{ isExpired: boolean; newest: number }> {
  const watch = client.watch(ConfigMap, {
    namespace: "default",
    resourceVersion: String(since),
    timeoutSeconds: 60,
    signal: new AbortController().signal,
  });
  let newest = since;
  let seen = 0;
  try {
    for await (const { object } of watch) {
      const version = Number(object.metadata.resourceVersion);
      expect(version).toBeGreaterThan(newest);
      newest = version;
      if (++seen === events) break;
    }
  } catch (error) {
    if (isExpired(error)) return { isExpired: true, newest };
    // Besides the kill, a watch ends here for no other reason.
    if (!(error instanceof Failure)) throw error;
  }
  return { isExpired: false, newest };
}
