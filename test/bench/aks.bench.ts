/** AKS in virtual time: what clusters cost from nothing to Ready, and in a settled hour; and what patches cost. */
import { AzureManagedControlPlane, type KubernetesObject } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { createWorld, type World } from "@capstan/sim";
import { applyPatches } from "../../packages/plan/src/aks/patches/apply-patches.ts";
import { createAll, examples, NAME, WORLD } from "../world/kit/aks-world.ts";
import { median, printTable } from "./table.ts";

const CLUSTERS = Number(process.env["CAPSTAN_CLUSTERS"] ?? 200);
const HOUR_MS = 3_600_000;
// Resource group, network, subnet, cluster, and three pools.
const OBJECTS = 7;
const { clock } = createRealEnv();

/** The manifests of the examples under another name, with a third pool. */
function manifests(index: number): readonly KubernetesObject[] {
  const all = examples("cluster.yaml", "pools.yaml");
  const third = all
    .slice(-2)
    .map((one) => JSON.parse(JSON.stringify(one).replaceAll("workers", "extra")) as KubernetesObject);
  return [...all, ...third].map(
    (one) =>
      JSON.parse(
        JSON.stringify(one).replaceAll(`"${NAME}-identity"`, '"shared"').replaceAll(NAME, `${NAME}${index}`),
      ) as KubernetesObject,
  );
}

function requests(world: World): { readonly reads: number; readonly writes: number } {
  const journal = world.azure.control.journal();
  const reads = journal.filter(({ method }) => method === "GET").length;
  return { reads, writes: journal.length - reads };
}

async function clusters(): Promise<void> {
  const startedMs = clock.monotonic();
  const world = await createWorld({ ...WORLD, azure: { isThrottled: false } });
  world.start();
  const identity = examples("identity.yaml").map(
    (one) => JSON.parse(JSON.stringify(one).replaceAll(`${NAME}-identity`, "shared")) as KubernetesObject,
  );
  await createAll(world, identity);
  for (let index = 0; index < CLUSTERS; index++) await createAll(world, manifests(index));
  await world.rest(6 * HOUR_MS);
  const planes = await world.run(world.user.list(AzureManagedControlPlane));
  const ready = planes.filter(({ status }) => status?.ready === true).length;
  // Each resource is read again within two hours, and its status settles.
  await world.advance(2.5 * HOUR_MS);
  const [built, kubeWrites] = [requests(world), world.testedWrites];
  await world.advance(HOUR_MS);
  const settled = requests(world);
  const each = (count: number): string => (count / CLUSTERS).toFixed(1);
  const seconds = ((clock.monotonic() - startedMs) / 1000).toFixed(0);
  console.log(`\n${CLUSTERS} AKS clusters with 3 pools each, ${ready} Ready, simulated in ${seconds} s\n`);
  printTable(
    ["", "for each cluster", "Azure Service Operator's pattern"],
    [
      ["ARM reads until settled", each(built.reads), ""],
      ["ARM writes until settled", each(built.writes), ""],
      ["kube writes until settled", each(kubeWrites), ""],
      ["ARM reads in a settled hour", each(settled.reads - built.reads), String(OBJECTS)],
      ["ARM writes in a settled hour", each(settled.writes - built.writes), String(OBJECTS)],
      ["kube writes in a settled hour", each(world.testedWrites - kubeWrites), ""],
    ],
  );
}

function patches(): void {
  const entries = Array.from({ length: 2000 }, (_, index) => [
    `field${index}`,
    { text: "x".repeat(80), index },
  ]);
  const object = {
    apiVersion: "containerservice.azure.com/v1api20250801",
    kind: "ManagedCluster",
    metadata: { name: NAME, namespace: "default", labels: {}, annotations: {} },
    spec: Object.fromEntries(entries) as Record<string, unknown>,
  };
  const texts = Array.from({ length: 50 }, (_, index) =>
    JSON.stringify({ spec: { [`field${index}`]: { text: "y".repeat(1950) } } }),
  );
  const times = Array.from({ length: 30 }, () => {
    const startedMs = clock.monotonic();
    applyPatches(object, texts);
    return clock.monotonic() - startedMs;
  });
  printTable(
    ["", "median", "aim"],
    [
      ["50 patches of 2 KB on a resource of 200 KB", `${median(times).toFixed(2)} ms`, "5 ms"],
      ["the same, parsed for the first time", `${(times[0] ?? 0).toFixed(2)} ms`, ""],
    ],
  );
}

patches();
await clusters();
