import { getCondition, sameArmId } from "@capstan/api";
import { facts, table, tableWithin } from "../render/table.ts";
import { bootsFrom, type ImageOwner, isTemplate, nameOf, settingsOf } from "./image-owner.ts";

type PrototypeRecord = NonNullable<NonNullable<ImageOwner["status"]>["nodePrototyping"]>;

/** One line for each pool and template that renews its image. */
export function listText(owners: readonly ImageOwner[], columns: number): string {
  const rows = owners.flatMap((owner) => (settingsOf(owner) ? [rowOf(owner)] : []));
  if (rows.length === 0)
    return "no pool has spec.template.image.nodePrototyping, and no template nodeCachingInterval\n";
  const headings = ["NAMESPACE", "NAME", "INTERVAL", "PHASE", "VERSION", "RENEWED"];
  return tableWithin(headings, rows, { columns, dispensable: ["INTERVAL", "VERSION"] });
}

function rowOf(owner: ImageOwner): readonly string[] {
  const { phase, history = [] } = recordOf(owner);
  const active = history.find(({ state }) => state === "Active");
  const { namespace = "" } = owner.metadata;
  return [namespace, nameOf(owner), intervalOf(owner), phase, active?.version ?? "-", renewedAt(owner)];
}

function recordOf({ status }: ImageOwner): PrototypeRecord {
  return status?.nodePrototyping ?? { phase: "Idle" };
}

function intervalOf(owner: ImageOwner): string {
  return settingsOf(owner)?.interval ?? "off";
}

function renewedAt({ status }: ImageOwner): string {
  return status?.lastImagePrototype ?? "never";
}

/** What a status shows beside the owner, and where. */
interface StatusParts {
  readonly next: string;
  readonly benefit: string;
  readonly nowMs: number;
  readonly columns: number;
}

/** How the image of a pool or template stands: what comes next, and the table of what new machines save. */
export function statusText(owner: ImageOwner, { next, benefit, nowMs, columns }: StatusParts): string {
  const record = recordOf(owner);
  const said = saidOf(owner);
  const head = facts([
    [isTemplate(owner) ? "template" : "pool", `${owner.metadata.namespace}/${owner.metadata.name}`],
    ["interval", intervalOf(owner)],
    ["last renewal", renewedAt(owner)],
    ["phase", record.phase],
    ["says", said],
    ...(said.includes(next)
      ? []
      : [["next", offBecause(owner) !== undefined ? "nothing while it is switched off" : next] as const]),
    ...factsOf(record, bootsFrom(owner)),
  ]);
  return [
    head,
    timelineText(record.timeline ?? []),
    versionsText(record.history ?? [], { nowMs, columns }),
    benefit,
  ]
    .filter((text) => text !== "")
    .join("\n");
}

function saidOf({ status }: ImageOwner): string {
  const condition = getCondition(status?.conditions, "LastOsCache");
  return condition ? `${condition.reason}: ${condition.message ?? ""}` : "-";
}

/** Why no controller renews the image; undefined if one does. */
export function offBecause({ status }: ImageOwner): string | undefined {
  const condition = getCondition(status?.conditions, "LastOsCache");
  return condition?.reason === "SwitchedOff" ? (condition.message ?? condition.reason) : undefined;
}

function factsOf(
  { donor, lastError, bootImage }: PrototypeRecord,
  imageID = "",
): readonly (readonly [string, string])[] {
  // The scale set decides, or the annotation of the template: an image is left out while the feature is off.
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

function versionsText(history: History, { nowMs, columns }: Pick<StatusParts, "nowMs" | "columns">): string {
  if (history.length === 0) return "";
  const rows = history.map(
    ({ version, state, createdAt, donor = "-", outOfServiceSeconds, sizeGB, replicas }) => [
      version,
      state,
      createdAt,
      ageText(nowMs - Date.parse(createdAt)),
      sizeGB === undefined ? "-" : `${sizeGB} GB`,
      replicas === undefined ? "-" : String(replicas),
      donor,
      outOfServiceSeconds === undefined ? "-" : `${outOfServiceSeconds} s`,
    ],
  );
  const headings = ["VERSION", "STATE", "CREATED", "AGE", "SIZE", "REPLICAS", "DONOR", "DONOR OUT"];
  return tableWithin(headings, rows, { columns, dispensable: ["CREATED", "DONOR OUT", "DONOR"] });
}

const HOUR_MS = 3_600_000;

/** The age of an image, in the largest unit of which it has two. */
function ageText(ageMs: number): string {
  if (Number.isNaN(ageMs)) return "-";
  if (ageMs < 2 * HOUR_MS) return `${Math.max(0, Math.round(ageMs / 60_000))}m`;
  return ageMs < 48 * HOUR_MS ? `${Math.round(ageMs / HOUR_MS)}h` : `${Math.round(ageMs / (24 * HOUR_MS))}d`;
}
