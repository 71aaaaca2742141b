/** One reader in a process of its own: lists the fleet, then follows a storm of changes; prints what that took. */
import { Machine } from "@capstan/api";
import { createHttpTransport, createRealEnv } from "@capstan/env";
import { createClient, Informer, silentLogger } from "@capstan/runtime";

/** What a reader measured. */
export interface Reading {
  readonly listMs: number;
  readonly heapPerObjectKb: number;
  readonly eventsPerSecond: number;
  /** Events for each second of the reader's own CPU: what is left when the server is the slower one. */
  readonly eventsPerCpuSecond: number;
}

/** A reader: starts, tells when it has listed, and counts changes. */
interface Reader {
  start(onChange: () => void): Promise<number>;
}

const EVENTS = 30_000;
const [name = "", url = ""] = process.argv.slice(2);

const readers: Readonly<Record<string, () => Promise<Reader>>> = {
  capstan: async () => {
    const env = createRealEnv();
    const client = createClient({
      transport: createHttpTransport({ baseUrl: url }),
      env,
      fieldManager: "bench",
    });
    const options = {
      client,
      env,
      kind: Machine,
      scope: {},
      log: silentLogger,
      onBug: (error: unknown) => console.error(error),
    };
    const informer = new Informer(options);
    return {
      start: async (onChange) => {
        informer.addHandler(({ type }) => type === "updated" && onChange());
        void informer.run(new AbortController().signal);
        await informer.synced;
        return informer.store.size;
      },
    };
  },
  "client-node": async () => {
    const { CustomObjectsApi, KubeConfig, makeInformer } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: "bench", server: url, skipTLSVerify: true }, { name: "bench" });
    const api = config.makeApiClient(CustomObjectsApi);
    const names = {
      group: Machine.group,
      version: Machine.version,
      plural: Machine.plural,
      namespace: "default",
    };
    const list = (): Promise<never> => api.listNamespacedCustomObject(names) as Promise<never>;
    const informer = makeInformer(config, `/apis/${Machine.apiVersion}/namespaces/default/machines`, list);
    return {
      start: async (onChange) => {
        informer.on("update", onChange);
        informer.on("error", (error) => console.error(error));
        await informer.start();
        return informer.list().length;
      },
    };
  },
};

async function measure(): Promise<Reading> {
  const create = readers[name];
  if (!create)
    throw new Error(`no reader ${JSON.stringify(name)}; there are ${Object.keys(readers).join(", ")}`);
  const reader = await create();
  const warm = await fetch(`${url}/version`);
  await warm.text();
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  let changes = 0;
  const all = Promise.withResolvers<void>();
  const startedMs = performance.now();
  const count = await reader.start(() => {
    changes++;
    if (changes === EVENTS) all.resolve();
  });
  const listMs = performance.now() - startedMs;
  globalThis.gc?.();
  const heapPerObjectKb = (process.memoryUsage().heapUsed - heapBefore) / 1024 / count;
  const watchMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const storm = await fetch(`${url}/_bench/touch?events=${EVENTS}`, { method: "POST" });
  await storm.text();
  await all.promise;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    listMs,
    heapPerObjectKb,
    eventsPerSecond: (1000 * EVENTS) / (performance.now() - watchMs),
    eventsPerCpuSecond: (1e6 * EVENTS) / (user + system),
  };
}

console.log(JSON.stringify(await measure()));
process.exit(0);
