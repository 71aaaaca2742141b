import { type AzureMachinePool, type Frozen, getCondition, nodePrototypingOf, sameArmId } from "@capstan/api";
import { facts, table, tableWithin } from "../render/table.ts";

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

/** How the image of a pool stands: what comes next, and the table of what new machines save. */
export function statusText(
  pool: Frozen<AzureMachinePool>,
  { next, benefit }: { readonly next: string; readonly benefit: string },
): string {
  const record = recordOf(pool);
  const said = saidOf(pool);
  const head = facts([
    ["pool", `${pool.metadata.namespace}/${pool.metadata.name}`],
    ["interval", intervalOf(pool)],
    ["last renewal", renewedAt(pool)],
    ["phase", record.phase],
    ["says", said],
    ...(said.includes(next)
      ? []
      : [["next", isOff(pool) ? "nothing while it is switched off" : next] as const]),
    ...factsOf(record, pool.status?.image?.id),
  ]);
  return [head, timelineText(record.timeline ?? []), versionsText(record.history ?? []), benefit]
    .filter((text) => text !== "")
    .join("\n");
}

function saidOf({ status }: Frozen<AzureMachinePool>): string {
  const condition = getCondition(status?.conditions, "LastOsCache");
  return condition ? `${condition.reason}: ${condition.message ?? ""}` : "-";
}

function isOff({ status }: Frozen<AzureMachinePool>): boolean {
  return getCondition(status?.conditions, "LastOsCache")?.reason === "SwitchedOff";
}

function factsOf(
  { donor, lastError, bootImage }: PrototypeRecord,
  imageID = "",
): readonly (readonly [string, string])[] {
  // The scale set decides: the pool controller leaves an image out while the feature is off.
  const isBooted = bootImage !== undefined && sameArmId(bootImage.id, imageID);
  const boots = isBooted ? bootImage.id.split("/").slice(-3).join("/") : "the image in the spec";
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
