import { removeCondition } from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { isRunning, type PrototypeRecord } from "@capstan/plan";
import { listed } from "../../pools/names.ts";
import { recordOf, type Scope } from "./scope.ts";

/** The condition of the earlier proposal; the time of the last renewal is in status.lastImagePrototype. */
export const LAST_OS_CACHE = "LastOsCache";

const WARNINGS: ReadonlySet<string> = new Set([
  "SwitchedOff",
  "OneNodePool",
  "NoDonor",
  "BackingOff",
  "GalleryUnusable",
  "ImageLimit",
  "PinUnknown",
]);

/** The condition that says whether images are free of the identity of their donors. */
const IMAGES_SCRUBBED = "PrototypeImagesScrubbed";

/** The condition that says what a machine has shown that booted from the last image. */
const IMAGE_VALIDATED = "PrototypeImageValidated";
/** The condition that says that the image was rolled back because new nodes did not join. */
const NODES_JOIN = "PrototypeNodesJoin";

/** Says how the image stands, and why nothing happens now. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  claimReady();
  reportIdentities(scope);
  reportCanary(scope);
  reportRollback(scope);
  const said = noteOf(scope);
  if (!said) return;
  const { reason, why: message } = said;
  const status = isRenewed(scope) && reason !== "SwitchedOff" ? "True" : "False";
  const severity = WARNINGS.has(reason) ? ("Warning" as const) : ("Info" as const);
  scope.context.setCondition({
    type: LAST_OS_CACHE,
    status,
    ...(status === "False" && { severity }),
    reason,
    message,
  });
}

/** A roll-back without a user stays visible until another image is promoted. */
function reportRollback({ owner, context }: Scope): void {
  const { rolledBack, phase, history = [] } = recordOf({ owner });
  if (!rolledBack) return removeFrom(owner, NODES_JOIN);
  if (phase === "RollingBack") return;
  const active = history.find(({ state }) => state === "Active");
  const to = active ? `version ${active.version}` : "the image in the spec";
  const message = `${rolledBack.message}; since ${rolledBack.at} new machines boot from ${to}. Existing nodes stay: correct or delete the donor, then run capstan prototype now ${owner.metadata.name}`;
  context.setCondition({
    type: NODES_JOIN,
    status: "False",
    severity: "Warning",
    reason: "RolledBackByItself",
    message,
  });
}

function removeFrom(owner: Scope["owner"], type: string): void {
  const conditions = removeCondition(owner.status?.conditions, type);
  if (owner.status?.conditions) owner.status = { ...owner.status, conditions: [...conditions] };
}

/** Without a helper VM, copies lose the identity of their donor at their first boot; until then it rests in the gallery. */
function reportIdentities({ owner, context }: Scope): void {
  const record = recordOf({ owner });
  if ((record.history ?? []).length === 0) return removeFrom(owner, IMAGES_SCRUBBED);
  context.setCondition({ type: IMAGES_SCRUBBED, ...identitiesIn(record) });
}

function identitiesIn({ history = [], scrub }: PrototypeRecord) {
  const [gallery = ""] = history[0]?.id.split("/").slice(-5) ?? [];
  const donors = history.flatMap(({ donor = "", scrubbed }) => (scrubbed === true ? [] : [donor]));
  if (donors.length === 0) {
    const message = `Images in the gallery ${gallery} are free of the identity of their donors`;
    return { status: "True", reason: "IdentityRemoved", message } as const;
  }
  const cause = scrub?.why === undefined ? "" : `; Azure refused the helper VM: ${scrub.why}`;
  const message = `Images in the gallery ${gallery} contain the kubelet key, host keys and bootstrap data of ${listed([...new Set(donors)])}: every reader of the gallery could act as that node, so give read access only to those who may have node access${cause}`;
  return { status: "False", severity: "Info", reason: "DonorIdentityAtRest", message } as const;
}

const CANARY_REASONS = {
  Passed: { status: "True", reason: "PrototypeCanaryPassed" },
  Failed: { status: "False", severity: "Warning", reason: "PrototypeCanaryFailed" },
  Skipped: { status: "False", severity: "Info", reason: "PrototypeCanarySkipped" },
} as const;

/** What the last canary has shown; it stays until the next verdict. */
function reportCanary({ owner, context }: Scope): void {
  const { canary } = recordOf({ owner });
  if (!canary?.verdict) return;
  const { verdict, why = "" } = canary;
  const next =
    verdict === "Failed"
      ? `. Other machines do not get it: correct or delete the donor, then run capstan prototype now ${owner.metadata.name}`
      : "";
  context.setCondition({ type: IMAGE_VALIDATED, ...CANARY_REASONS[verdict], message: `${why}${next}` });
}

/** What the condition says; undefined if the owner never used the feature, or the pass has nothing new. */
function noteOf({ offBecause, settings, owner, note }: Scope): Scope["note"] {
  const isKnown = owner.status?.conditions?.some(({ type }) => type === LAST_OS_CACHE) === true;
  if (!settings && !isKnown) return undefined;
  const isOff = offBecause !== undefined && !isRunning(owner.status?.nodePrototyping);
  return isOff ? { reason: "SwitchedOff", why: offBecause } : note;
}

/** Whether new machines boot from an image of the pool. */
function isRenewed(scope: Scope): boolean {
  return scope.owner.status?.lastImagePrototype !== undefined && recordOf(scope).bootImage !== undefined;
}
