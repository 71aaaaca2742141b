import type { Features, Frozen, Kind, KubernetesObject } from "@capstan/api";
import { type Client, Failure, terminal } from "@capstan/runtime";
import {
  type DurationModel,
  type FaultPlan,
  factsOf,
  type Fleet,
  kindFor,
  rehearseFleet,
  type FleetFacts,
  type RunRecord,
} from "@capstan/sim";
import { simulatedControllers } from "../controllers/simulated-controllers.ts";
import { virtualUpdaters } from "../controllers/virtual-updaters.ts";
import { applyPatch } from "../plan/read/apply-patch.ts";
import { changeLine, changesBetween } from "../plan/read/spec-changes.ts";
import type { GivenObject } from "../plan/read/read-objects.ts";

/** One seed of a rehearsal, as plain data: it may run in another thread. */
export interface SeedTask {
  readonly fleet: Fleet;
  readonly change: readonly GivenObject[];
  readonly seed: string;
  readonly faults: FaultPlan;
  readonly features: Features;
  readonly durations: DurationModel;
  readonly limitMs: number;
}

/** What the server made of one manifest of the change. */
export interface AppliedObject {
  /** `KIND NAMESPACE/NAME`. */
  readonly object: string;
  readonly isNew: boolean;
  /** The changed fields, in lines. */
  readonly lines: readonly string[];
}

/** What one seed has shown. */
export interface SeedResult {
  readonly facts: FleetFacts;
  readonly applied: readonly AppliedObject[];
  readonly run: Omit<RunRecord, "machines" | "evictions" | "refusedPods">;
}

/** Rehearses a change with one seed. */
export async function rehearseSeed(task: SeedTask): Promise<SeedResult> {
  const { fleet, change, seed, faults, features, durations, limitMs } = task;
  const applied: AppliedObject[] = [];
  const record = await rehearseFleet({
    fleet,
    seed,
    faults,
    features,
    durations,
    limitMs,
    controllers: (connections) => simulatedControllers(connections, features),
    servers: virtualUpdaters,
    change: async (user) => {
      for (const manifest of change) applied.push(await applyManifest(user, manifest));
    },
  });
  const { machines: _, evictions: __, refusedPods: ___, ...run } = record;
  return { facts: factsOf(record), applied, run };
}

/** Applies a manifest as kubectl does; the server's refusal names the object. */
async function applyManifest(user: Client, manifest: GivenObject): Promise<AppliedObject> {
  const { name, namespace } = manifest.metadata;
  const object = `${manifest.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const kind = kindFor(manifest);
  if (!kind) throw refused(object, `the server has no kind ${manifest.kind} in ${manifest.apiVersion}`);
  try {
    const before = await user.find(kind, { name, namespace });
    if (!before) {
      await user.create(kind, manifest, { isStrict: true });
      return { object, isNew: true, lines: [] };
    }
    const after = await patched(user, kind, { before, manifest });
    const lines = changesBetween(specOf(before), specOf(after), "spec").map(changeLine);
    return { object, isNew: false, lines };
  } catch (error) {
    throw error instanceof Failure ? refused(object, error.message) : error;
  }
}

/** As `kubectl apply` does. A manifest without fields that its kind needs is a patch: it removes nothing. */
async function patched(
  user: Client,
  kind: Kind,
  { before, manifest }: { readonly before: Frozen<KubernetesObject>; readonly manifest: GivenObject },
): Promise<Frozen<KubernetesObject>> {
  const { name, namespace } = manifest.metadata;
  const send = (body: object): Promise<Frozen<KubernetesObject>> =>
    user.patch(kind, { name, namespace }, { type: "merge", body, isStrict: true });
  try {
    return await send(applyPatch(before, manifest));
  } catch (error) {
    if (!(error instanceof Failure) || !error.message.includes("Required value")) throw error;
    const withoutHistory = { metadata: {} };
    return send(applyPatch(withoutHistory, manifest));
  }
}

function refused(object: string, message: string): Failure {
  return terminal("ChangeRefused", `${object}: ${message}`);
}

function specOf(object: object): unknown {
  return (object as { readonly spec?: unknown }).spec;
}
