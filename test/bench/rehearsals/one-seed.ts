/** Rehearses a change of a generated fleet with one seed, in a process of its own, and prints what it took as JSON. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "@capstan/api";
import { readFleet } from "../../../packages/cli/src/rehearse/read/read-fleet.ts";
import { rehearseSeed } from "../../../packages/cli/src/rehearse/rehearse-seed.ts";
import type { GivenObject } from "../../../packages/cli/src/plan/read/read-objects.ts";
import { DEFAULT_FEATURES } from "@capstan/api";
import { TABLE_DURATIONS } from "@capstan/sim";

const [clusters = 1, machines = 75, changed = 1] = process.argv.slice(2).map(Number);
const EXAMPLE = join(import.meta.dirname, "../../../examples/machine-pool");
const HOUR_MS = 3_600_000;

const text = ["cluster.yaml", "workers.yaml"]
  .map((file) => readFileSync(join(EXAMPLE, file), "utf8"))
  .join("\n---\n");
const objects = Array.from({ length: clusters }, (_, number) => clusterOf(number)).flat();
const change = objects
  .filter(({ kind }) => kind === "MachinePool")
  .slice(0, changed)
  .map((pool) => upgraded(pool));
const { fleet } = readFleet({ objects, change, workloads: [], namespace: "default" });
const startedMs = performance.now();
const { facts } = await rehearseSeed({
  fleet,
  change,
  seed: "1",
  faults: [],
  features: DEFAULT_FEATURES,
  durations: TABLE_DURATIONS,
  limitMs: 24 * HOUR_MS,
});
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
console.log(
  JSON.stringify({
    wallSeconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: maxRSS / 1024,
    replaced: facts.groups.reduce((sum, { replaced }) => sum + replaced, 0),
  }),
);
process.exit(0);

/** The objects of the example with names of its own, and so many machines. */
function clusterOf(number: number): readonly GivenObject[] {
  const own = text
    .replaceAll(/\bquay\b/g, `quay-${number}`)
    .replaceAll("name: workers", `name: workers-${number}`);
  const given = own.split(/^---$/m).map((part) => parseYaml(part) as GivenObject);
  return given.map((object) => {
    if (object.kind !== "MachinePool") return object;
    const spec = object["spec"] as object;
    return { ...object, spec: { ...spec, replicas: machines } };
  });
}

function upgraded(pool: GivenObject): GivenObject {
  const { apiVersion, kind, metadata } = pool;
  return { apiVersion, kind, metadata, spec: { template: { spec: { version: "v1.34.1" } } } };
}
