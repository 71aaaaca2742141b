/**
 * Which package may import which. `rules.ts` checks the table, and `npm run generate` prints it into ARCHITECTURE.md; a
 * contributor reads the reason when a check refuses an import.
 */
export interface Layer {
  readonly name: string;
  readonly about: string;
  readonly mayImport: readonly string[];
  readonly reason: string;
}

/** The packages, from the bottom up. */
export const LAYERS: readonly Layer[] = [
  {
    name: "env",
    about: "clock, randomness, ids, transports, real and virtual; how a database file is opened",
    mayImport: [],
    reason: "env is the lowest package: code that it imported could not be simulated",
  },
  {
    name: "api",
    about: "kinds: schema, type, defaults, validation; CRDs are printed from it",
    mayImport: [],
    reason: "kinds are data and pure functions, so that webhooks, servers and tools can share them",
  },
  {
    name: "runtime",
    about: "the controller kit: client, cache, queue, reconciler, runner, leader, events, metrics",
    mayImport: ["env", "api"],
    reason:
      "the kit knows kinds and the environment, and neither the servers it talks to nor the product built on it",
  },
  {
    name: "plan",
    about: "every decision, pure: rollouts, node images, AKS, updates in place, forecasts",
    mayImport: ["api"],
    reason: "plans are pure: everything they rest on is an argument",
  },
  {
    name: "azure",
    about:
      "the way to ARM: port, client, budgets, credentials, operations that survive a crash, shared lists",
    mayImport: ["env", "api", "runtime"],
    reason: "the client of Azure is useful alone; a controller inside it would tie it to one product",
  },
  {
    name: "manager",
    about: "the product: reconcilers, and how they talk to workload clusters and updaters",
    mayImport: ["env", "api", "runtime", "plan", "azure"],
    reason:
      "controllers know ports, never the servers behind them: simulated and real ones must look the same",
  },
  {
    name: "apiserver",
    about: "the embedded Kubernetes API",
    mayImport: ["env", "api"],
    reason: "the server is useful alone; a client or controller inside it would tie it to one product",
  },
  {
    name: "azure-sim",
    about: "simulated Azure Resource Manager",
    mayImport: ["env"],
    reason:
      "the simulator is useful alone and to any Azure SDK; a kind or client of ours inside it would make it a copy of us",
  },
  {
    name: "sim",
    about: "the world: servers, cloud, guests and controllers on one clock; faults, invariants, scenarios",
    mayImport: ["env", "api", "runtime", "plan", "azure", "apiserver", "azure-sim"],
    reason:
      "the world puts servers and guests on one clock; controllers come in from outside, so that it serves any of them",
  },
  {
    name: "updater",
    about: "the SDK for updaters, which change machines in place",
    mayImport: ["env"],
    reason: "authors of updaters install this package alone, and their updaters know the wire, not our types",
  },
  {
    name: "page",
    about: "the page in the browser, and what its server and it say to each other",
    mayImport: ["api"],
    reason:
      "a browser gets rows that are ready to be drawn; decisions stay on the server, where they are made once",
  },
  {
    name: "cli",
    about: "the command line: capstan up, plan, rollout, describe, get, sim, azure-sim, init, manager, …",
    mayImport: [
      "env",
      "api",
      "runtime",
      "plan",
      "azure",
      "manager",
      "apiserver",
      "azure-sim",
      "sim",
      "updater",
      "page",
    ],
    reason: "the command line puts the parts together and is the only one that knows all of them",
  },
];

/** Folders that may import less than their package. */
export const FOLDERS: readonly {
  readonly folder: string;
  /** Imports that the folder must not have, in addition to imports outside of it. */
  readonly forbids: RegExp;
  /** The forbidden names of these imports; all of them unless given. */
  readonly names?: RegExp;
  readonly reason: string;
}[] = [
  {
    folder: "packages/plan/src/",
    forbids: /^node:/,
    reason: "plans are pure: everything they rest on is an argument",
  },
  {
    folder: "packages/manager/src/reconcilers/",
    forbids: /^@capstan\/azure$/,
    names: /^(Azure|AzureOptions|createNetwork|Network|NetworkOptions|Connect)$/,
    reason: "reconcilers know Azure by its port, so that simulated and real ones look the same",
  },
  {
    folder: "packages/manager/src/reconcilers/",
    forbids: /^(\.\.\/)+setup\//,
    reason: "setup puts the controllers together; a reconciler gets what it needs as an argument",
  },
];

/** A folder whose sub-folders must not import each other. */
export const SEPARATED = {
  folder: "packages/manager/src/reconcilers/",
  reason:
    "a reconciler imports no other reconciler, so that each can be read and changed alone; what several share is in machines/, pools/, in-place/, contract/ or workload/",
} as const;

/** Files with decisions: their names promise that they are pure. */
export const PURE = {
  files: /^packages\/[^/]+\/src\/.*(?<=\/)(plan|decide)(-[a-z0-9-]+)?\.ts$/,
  /** Files of commands have the names of their verbs. */
  except: /^packages\/cli\/src\/commands\//,
  /** Modules of which only types may be imported. */
  typesOnly: /^(node:.*|@capstan\/(env|runtime))$/,
  reason:
    "plan*.ts and decide*.ts are synchronous and pure: everything that a decision rests on is an argument, so that tables test it and capstan plan shows it",
} as const;

/** What stands in for `env` in a browser: its clock, timers, sockets and storage. */
export const BROWSER = "packages/page/src/app/browser.ts";

/** Programs and built-ins that reach time, randomness or sockets; only `env` (and a server's `http/` folder, for sockets) may. */
export const FORBIDDEN_MODULES: readonly {
  readonly module: string;
  readonly reason: string;
  readonly alsoIn?: string;
}[] = [
  { module: "node:timers", reason: "timers come from env.clock, so that virtual time can replay them" },
  {
    module: "node:timers/promises",
    reason: "timers come from env.clock, so that virtual time can replay them",
  },
  { module: "node:perf_hooks", reason: "time comes from env.clock, so that virtual time can replay it" },
  { module: "node:http", reason: "sockets come from an env transport", alsoIn: "/http/" },
  { module: "node:https", reason: "sockets come from an env transport", alsoIn: "/http/" },
  { module: "node:http2", reason: "sockets come from an env transport", alsoIn: "/http/" },
  { module: "node:net", reason: "sockets come from an env transport", alsoIn: "/http/" },
  { module: "node:tls", reason: "sockets come from an env transport", alsoIn: "/http/" },
  { module: "node:dgram", reason: "sockets come from an env transport" },
  { module: "node:dns", reason: "sockets come from an env transport" },
  { module: "undici", reason: "sockets come from an env transport" },
];
