import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  nodePrototypingOf,
} from "@capstan/api";
import { IMAGE_VERSION_ANNOTATION } from "@capstan/manager";
import { facts, table, tableWithin } from "../render/table.ts";

/** A pool and its machines. */
export interface PrototypeParts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
}

type Status = NonNullable<Frozen<AzureMachinePool>["status"]>;
type PrototypeRecord = NonNullable<Status["nodePrototyping"]>;

/** One line for each pool that renews its image. */
export function listText(pools: readonly Frozen<AzureMachinePool>[], columns: number): string {
  const rows = pools.flatMap((pool) => (nodePrototypingOf(pool) ? [rowOf(pool)] : []));
  if (rows.length === 0) return "no pool has spec.template.image.nodePrototyping\n";
  const headings = ["NAMESPACE", "NAME", "INTERVAL", "PHASE", "VERSION", "RENEWED"];
  return tableWithin(headings, rows, { columns, dispensable: ["INTERVAL", "VERSION"] });
}

function rowOf(pool: Frozen<AzureMachinePool>): readonly string[] {
  const { phase, history = [] } = recordOf(pool);
  const active = history.find(({ state }) => state === "Active");
  const { namespace = "", name } = pool.metadata;
  return [namespace, name, intervalOf(pool), phase, active?.version ?? "-", renewedAt(pool)];
}

function recordOf({ status }: Frozen<AzureMachinePool>): PrototypeRecord {
  return status?.nodePrototyping ?? { phase: "Idle" };
}

function intervalOf(pool: Frozen<AzureMachinePool>): string {
  return nodePrototypingOf(pool)?.interval ?? "off";
}

function renewedAt({ status }: Frozen<AzureMachinePool>): string {
  return status?.lastImagePrototype ?? "never";
}

/** How the image of a pool stands. */
export function statusText(parts: PrototypeParts, next: string): string {
  const { pool } = parts;
  const record = recordOf(pool);
  const head = facts([
    ["pool", `${pool.metadata.namespace}/${pool.metadata.name}`],
    ["interval", intervalOf(pool)],
    ["last renewal", renewedAt(pool)],
    ["phase", record.phase],
    ["says", saidOf(pool)],
    ["next", next],
    ...factsOf(record),
  ]);
  return [head, timelineText(record.timeline ?? []), versionsText(record.history ?? []), benefitText(parts)]
    .filter((text) => text !== "")
    .join("\n");
}

function saidOf({ status }: Frozen<AzureMachinePool>): string {
  const condition = getCondition(status?.conditions, "LastOsCache");
  return condition ? `${condition.reason}: ${condition.message ?? ""}` : "-";
}

function factsOf({ donor, lastError, bootImage }: PrototypeRecord): readonly (readonly [string, string])[] {
  const boots = bootImage?.id.split("/").slice(-3).join("/") ?? "the image in the spec";
  return [
    ...(donor ? [["donor", donorText(donor)] as const] : []),
    ...(lastError ? [["last error", `${lastError.step}: ${lastError.message}`] as const] : []),
    ["new nodes", boots],
  ];
}

type Donor = NonNullable<PrototypeRecord["donor"]>;

function donorText({ machine, nodeName, outSince, backAt }: Donor): string {
  const out = outSince === undefined ? "in service" : `out of service since ${outSince}`;
  return `${machine} (Node ${nodeName ?? "?"}), ${backAt === undefined ? out : outText(outSince, backAt)}`;
}

function outText(outSince: string | undefined, backAt: string): string {
  const seconds = Math.round((Date.parse(backAt) - Date.parse(outSince ?? "")) / 1000);
  return Number.isNaN(seconds) ? "never out of service" : `was out of service for ${seconds} s`;
}

interface Step {
  readonly step: string;
  readonly startedAt: string;
}

/** The steps of the last renewal, and how long each took. */
function timelineText(timeline: readonly Step[]): string {
  if (timeline.length === 0) return "";
  const rows = timeline.map(({ step, startedAt }, index) => {
    const next = timeline[index + 1];
    const seconds = next ? (Date.parse(next.startedAt) - Date.parse(startedAt)) / 1000 : undefined;
    return [step, startedAt, seconds === undefined ? "" : `${seconds} s`];
  });
  return table(["STEP", "BEGAN", "TOOK"], rows);
}

type History = NonNullable<PrototypeRecord["history"]>;

function versionsText(history: History): string {
  if (history.length === 0) return "";
  const rows = history.map(({ version, state, createdAt, donor = "-", outOfServiceSeconds }) => [
    version,
    state,
    createdAt,
    donor,
    outOfServiceSeconds === undefined ? "-" : `${outOfServiceSeconds} s`,
  ]);
  return table(["VERSION", "STATE", "CREATED", "DONOR", "DONOR OUT"], rows);
}

/** How long machines took from their creation to their Node, with images of the pool and without. */
function benefitText({ pool, machines }: PrototypeParts): string {
  const versions = new Set(pool.status?.nodePrototyping?.history?.map(({ version }) => version));
  const rows = [["an image of this pool", true] as const, ["the image in the spec", false] as const].flatMap(
    ([name, isPrototype]) => {
      const times = machines
        .filter(
          ({ metadata }) =>
            versions.has(metadata.annotations?.[IMAGE_VERSION_ANNOTATION] ?? "") === isPrototype,
        )
        .flatMap((machine) => secondsToNode(machine) ?? [])
        .sort((a, b) => a - b);
      const median = times[Math.floor(times.length / 2)];
      return median === undefined ? [] : [[name, String(times.length), `${median} s`]];
    },
  );
  return rows.length === 0 ? "" : table(["MACHINES FROM", "COUNT", "CREATED TO NODE (MEDIAN)"], rows);
}

function secondsToNode({ metadata, status }: Frozen<AzureMachinePoolMachine>): number | undefined {
  const joined = getCondition(status?.conditions, "BootstrapSucceeded");
  if (joined?.status !== "True") return undefined;
  const seconds =
    (Date.parse(joined.lastTransitionTime) - Date.parse(metadata.creationTimestamp ?? "")) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.round(seconds);
}
