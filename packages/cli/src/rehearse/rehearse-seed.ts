import {
  type Features,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Namespace,
  nearestName,
  valueAt,
} from "@capstan/api";
import { kubeletNotes } from "@capstan/plan";
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
import { causeFirst } from "../render/cause-first.ts";
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
      await createNamespaces(user, change);
      for (const manifest of change) applied.push(await applyManifest(user, manifest));
    },
  });
  const { machines: _, evictions: __, refusedPods: ___, ...run } = record;
  return { facts: factsOf(record), applied, run };
}

/** Namespaces of a change exist; dumps do not have them. */
async function createNamespaces(user: Client, change: readonly GivenObject[]): Promise<void> {
  const own = new Set(
    change.flatMap(({ kind, metadata }) => (kind === Namespace.kind ? [metadata.name] : [])),
  );
  const names = new Set(change.flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of names) {
    if (own.has(name) || (await user.find(Namespace, { name }))) continue;
    await user.create(Namespace, {
      apiVersion: Namespace.apiVersion,
      kind: Namespace.kind,
      metadata: { name },
    });
  }
}

/** Applies a manifest as kubectl does; the server's refusal names the object. */
async function applyManifest(user: Client, manifest: GivenObject): Promise<AppliedObject> {
  const { name, namespace } = manifest.metadata;
  const object = titleOf(manifest);
  const kind = kindFor(manifest);
  if (!kind) throw refused(object, `the server has no kind ${manifest.kind} in ${manifest.apiVersion}`);
  try {
    const before = await user.find(kind, { name, namespace });
    if (!before) return await created(user, kind, manifest);
    const after = await patched(user, kind, { before, manifest });
    const lines = changesBetween(specOf(before), specOf(after), "spec").map(changeLine);
    const notes = kubeletNotes(workerVersionOf(before), workerVersionOf(after));
    return { object, isNew: false, lines: [...lines, ...notes.map((note) => `note: ${note}`)] };
  } catch (error) {
    throw error instanceof Failure ? refused(object, withoutBody(causeFirst(error.message))) : error;
  }
}

// A strict server quotes the whole patched object before it says which field it does not know.
const QUOTED_BODY = /^"" is invalid: patch: Invalid value: ".*": (?=strict decoding error: )/s;

function withoutBody(message: string): string {
  return message.replace(QUOTED_BODY, "");
}

/** A manifest that is only a part of an object is meant for one that the fleet does not have. */
async function created(user: Client, kind: Kind, manifest: GivenObject): Promise<AppliedObject> {
  const { name, namespace } = manifest.metadata;
  const object = titleOf(manifest);
  try {
    await user.create(kind, manifest, { isStrict: true });
    return { object, isNew: true, lines: [] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const others = (await user.list(kind)).map(({ metadata }) => metadata);
    const why = `the fleet does not have it${hintFor({ name, namespace }, others)}; a new one is refused`;
    throw terminal("ChangeRefused", `${why}: ${causeFirst(error.message)}`);
  }
}

interface Name {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The object that a user may have meant. */
function hintFor({ name, namespace }: Name, others: readonly Name[]): string {
  const elsewhere = others.find((one) => one.name === name)?.namespace;
  if (elsewhere !== undefined) return `; there is one in namespace ${elsewhere}`;
  const here = others.flatMap((one) => (one.namespace === namespace ? [one.name] : []));
  const near = nearestName(name, here);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
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

function titleOf({ kind, metadata: { name, namespace } }: GivenObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function refused(object: string, message: string): Failure {
  return terminal("ChangeRefused", `${object}: ${message}`);
}

const VERSION_OF_WORKERS = ["spec", "template", "spec", "version"];

/** The Kubernetes version of a MachinePool or a MachineDeployment. */
function workerVersionOf(object: object): string | undefined {
  const version = valueAt(object, VERSION_OF_WORKERS);
  return typeof version === "string" ? version : undefined;
}

function specOf(object: object): unknown {
  return (object as { readonly spec?: unknown }).spec;
}
