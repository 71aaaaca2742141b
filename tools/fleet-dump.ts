/**
 * `npm run fleet-dump`: starts `capstan up` in a new data directory, applies forty clusters made from the examples, waits until
 * they are available, and writes what kubectl prints of them as examples/rehearse/fleet.yaml. It needs kubectl.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { stringify } from "yaml";

const DUMP = "examples/rehearse/fleet.yaml";
const SPEED = "300";
/** How many clusters of each example there are. */
const CLUSTERS = [
  { folder: "machine-pool", name: "quay", as: "shop", count: 30 },
  { folder: "machine-deployment", name: "pier", as: "batch", count: 6 },
  { folder: "ha-cluster", name: "bridge", as: "bank", count: 3 },
  { folder: "aks", name: "harbor", as: "web", count: 1 },
];
const KINDS = [
  "clusters,machinepools,machinedeployments,machinesets,machines,machinehealthchecks,kubeadmcontrolplanes",
  "kubeadmconfigs,kubeadmconfigtemplates,azureclusters,azureclusteridentities,azuremachinepools,azuremachinepoolmachines",
  "azuremachinetemplates,azuremachines,azuremanagedclusters,azuremanagedcontrolplanes,azuremanagedmachinepools",
].join(",");

// Machines are counted by these; the rest of a status is not read.
const COUNTS = ["replicas", "readyReplicas", "availableReplicas", "upToDateReplicas"];
// What a rehearsal makes again.
const MADE = new Set(["Machine", "MachineSet", "AzureMachine", "AzureMachinePoolMachine"]);

const dataDir = mkdtempSync(join(tmpdir(), "capstan-fleet-"));
const env = {
  ...process.env,
  PATH: [resolve("node_modules/.bin"), process.env["PATH"]].join(delimiter),
  KUBECONFIG: join(dataDir, "kubeconfig"),
};
const server = spawn("capstan", ["up", "--port", "0", "--data-dir", dataDir, "--speed", SPEED], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  for await (const text of server.stdout.setEncoding("utf8")) if (String(text).includes("ready in")) break;
  for (const cluster of CLUSTERS) {
    for (let number = 1; number <= cluster.count; number++)
      kubectl(["apply", "-f", "-"], manifests(cluster, number));
  }
  kubectl(["wait", "--for=condition=Available", "clusters", "--all", "--timeout=20m"]);
  const dump: unknown = JSON.parse(kubectl(["get", KINDS, "-A", "-o", "json"]));
  const items = isJsonObject(dump) && Array.isArray(dump["items"]) ? dump["items"].filter(isJsonObject) : [];
  writeFileSync(
    DUMP,
    stringify({ apiVersion: "v1", kind: "List", items: items.map(slim) }, { lineWidth: 0 }),
  );
  console.log(`wrote ${items.length} objects to ${DUMP}`);
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(dataDir, { recursive: true, force: true });
}

function kubectl(args: readonly string[], input?: string): string {
  const options = { env, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 } as const;
  return execFileSync("kubectl", args, { ...options, ...(input !== undefined && { input }) });
}

/** The manifests of an example, with the names of one of its copies. */
function manifests({ folder, name, as }: (typeof CLUSTERS)[number], number: number): string {
  const path = join("examples", folder);
  const files = readdirSync(path).filter((file) => file.endsWith(".yaml"));
  const text = files
    .toSorted()
    .map((file) => readFileSync(join(path, file), "utf8"))
    .join("\n---\n");
  const copy = `${as}-${number}`;
  const own = text.replaceAll(new RegExp(String.raw`\b${name}\b`, "g"), copy);
  // The pool of this example does not have the name of its cluster in its own.
  return folder === "machine-pool" ? own.replaceAll("name: workers", `name: ${copy}-workers`) : own;
}

/** An object without the parts that make a dump large and that nobody needs here. */
function slim({ status, metadata, spec, ...rest }: JsonObject): object {
  const { name, namespace, labels, creationTimestamp, ownerReferences } = isJsonObject(metadata)
    ? metadata
    : {};
  const counts = isJsonObject(status) ? Object.entries(status).filter(([key]) => COUNTS.includes(key)) : [];
  return {
    ...rest,
    metadata: {
      name,
      namespace,
      creationTimestamp,
      ...(labels !== undefined && { labels }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    ...(spec !== undefined && { spec: MADE.has(String(rest["kind"])) ? {} : spec }),
    ...(counts.length > 0 && { status: Object.fromEntries(counts) }),
  };
}
