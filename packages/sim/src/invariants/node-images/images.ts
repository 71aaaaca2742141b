import { lastPart } from "../../machine-id.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { isCanarySet } from "../canary-set.ts";
import { Commits } from "../machine-pools/commits.ts";
import { PoolLookup } from "../machine-pools/pool-lookup.ts";
import { definitionOf, type ImageOwner, isOwnerResource, ownersIn, PROTOTYPES } from "./image-owners.ts";

// The resources of a renewal carry its name as a tag; versions and definitions stay.
const CYCLE_TAG = "capstan_cycle";
const KEPT = new Set(["microsoft.compute/galleries/images/versions"]);
const RUN_COMMANDS = /\/runcommands$/i;

/** I2. */
export const leavesNoSnapshot: Invariant = {
  name: "leaves-no-snapshot",
  says: "at rest Azure has no snapshot, helper, disk or canary of a renewal that has ended",
  watch: (truth) => ({
    atRest: () => {
      const isRunning = ownersIn(truth).some(
        ({ status }) => (status?.nodePrototyping?.phase ?? "Idle") !== "Idle",
      );
      if (isRunning) return undefined;
      for (const [, { type, id, state, body }] of truth.azure.core.world.resources.table.entries()) {
        const isOfRenewal = isTagged(body) || id.includes("-scrub-");
        const isKept = KEPT.has(type.toLowerCase()) || RUN_COMMANDS.test(type);
        if (isOfRenewal && !isKept && state !== "Deleting") return `${id} is left over`;
      }
      return undefined;
    },
  }),
};

function isTagged({ tags }: Readonly<Record<string, unknown>>): boolean {
  return typeof tags === "object" && tags !== null && CYCLE_TAG in tags;
}

/** I4. */
export const bootsFromCompleteVersions: Invariant = {
  name: "boots-from-complete-versions",
  says: "a scale set that names an image definition of ours can create machines: the definition has a version that is complete and not left out",
  watch: (truth) => ({
    answered: (call, { status }) =>
      call.api === "arm" && call.verb === "PUT" && status < 300 ? brokenSet(truth) : undefined,
    atRest: () => brokenSet(truth),
  }),
};

function brokenSet(truth: Truth): string | undefined {
  const { scaleSets, images } = truth.azure.core.world;
  for (const [, set] of scaleSets.sets.entries()) {
    const id = definitionIn(set.models[set.modelVersion]?.profile);
    if (id === undefined || set.capacity === 0 || isCanarySet(set.id)) continue;
    const isUsable = images.versionsOf(id).some(({ excludeFromLatest }) => excludeFromLatest !== true);
    if (!isUsable) return `${set.id} names ${id}, which has no version that machines could boot from`;
  }
  return undefined;
}

/** The image definition of ours that a profile names. */
function definitionIn(profile: unknown): string | undefined {
  const { storageProfile } = (profile ?? {}) as {
    readonly storageProfile?: { readonly imageReference?: { readonly id?: string } };
  };
  const id = storageProfile?.imageReference?.id;
  return id?.toLowerCase().includes(PROTOTYPES) === true ? id : undefined;
}

/** I5. */
export const keepsVersionsInUse: Invariant = {
  name: "keeps-versions-in-use",
  says: "a manager deletes neither the version that new machines boot from nor the one that a rollback would return to, unless the pool or template has given them up",
  watch: (truth) => ({
    called: (call) => {
      const path = (call.path ?? "").toLowerCase();
      if (call.api !== "arm" || call.verb !== "DELETE" || !path.includes(PROTOTYPES)) return undefined;
      const owner = ownersIn(truth).find(
        (one) => versionsInUse(one).has(path) && !hasLostScaleSet(truth, one),
      );
      return owner && `${call.by} deletes ${path}, which ${owner.metadata.name} uses`;
    },
  }),
};

/** Whether a pool is being deleted and its scale set is gone: no machine of it can be created any more. */
function hasLostScaleSet(truth: Truth, { metadata, spec }: ImageOwner): boolean {
  if (metadata.deletionTimestamp === undefined || !("providerID" in spec)) return false;
  const id = (spec.providerID ?? "").replace("azure://", "").toLowerCase();
  const sets = [...truth.azure.core.world.scaleSets.sets.entries()];
  return !sets.some(([, set]) => set.id.toLowerCase() === id);
}

function versionsInUse(owner: ImageOwner): ReadonlySet<string> {
  const { history = [], bootImage } = owner.status?.nodePrototyping ?? {};
  // Without a boot image new machines boot from the image in the spec, and the versions may go.
  if (bootImage === undefined || definitionOf(owner) !== bootImage.id) return new Set();
  const rollback = history.find(({ state }) => state === "Previous");
  const used = [...history.filter(({ state }) => state === "Active"), ...(rollback ? [rollback] : [])];
  return new Set(used.map(({ id }) => id.toLowerCase()));
}

/** I6. */
export const timestampMovesForward: Invariant = {
  name: "timestamp-moves-forward",
  says: "status.lastImagePrototype moves only forward, and only when an image was promoted or the status rebuilt",
  watch: (truth) => {
    const commits = new Commits(truth);
    return {
      happened: (event) => {
        for (const { resource, object, previous } of commits.of(event)) {
          if (!isOwnerResource(resource) || !previous) continue;
          const problem = wrongMove(statusOf(object), statusOf(previous));
          if (problem !== undefined) return `${object.metadata.name}: ${problem}`;
        }
        return undefined;
      },
    };
  },
};

type OwnerStatus = ImageOwner["status"];

function wrongMove(after: OwnerStatus, before: OwnerStatus): string | undefined {
  const [now, then] = [after?.lastImagePrototype, before?.lastImagePrototype];
  if (now === undefined || now === then) return undefined;
  if (then !== undefined && now < then) return `${then} became ${now}`;
  return wrongStep(before);
}

function wrongStep(before: OwnerStatus): string | undefined {
  const phase = before?.nodePrototyping?.phase;
  return phase === undefined || phase === "Promoting" ? undefined : `it was renewed from the step ${phase}`;
}

function statusOf(object: unknown): OwnerStatus {
  return (object as ImageOwner).status;
}

/** I7. */
export const switchesWithoutReplacing: Invariant = {
  name: "switches-without-replacing",
  says: "a write that switches a scale set to another image of the same base changes neither its size nor its machines",
  watch: (truth) => {
    const before = new Map<string, { readonly version: number; readonly capacity: number }>();
    const lookup = new PoolLookup(truth);
    return {
      happened: () => {
        for (const [key, set] of truth.azure.core.world.scaleSets.sets.entries()) {
          const known = before.get(key);
          // A scale-out of its own changes the size without the model.
          before.set(key, { version: set.modelVersion, capacity: set.capacity });
          if (known?.version === set.modelVersion) continue;
          if (!known || !isSwitch(set.models, known.version, set.modelVersion)) continue;
          if (set.capacity > Math.max(known.capacity + 1, mostAskedFor(lookup, set.id)))
            return `${set.id} grew from ${known.capacity} to ${set.capacity} with the switch`;
        }
        return undefined;
      },
    };
  },
};

/** How many machines a user asks for, with the surge: a scale-out that is written with the switch creates them anyway. */
function mostAskedFor(lookup: PoolLookup, scaleSetId: string): number {
  const { desired, maxSurge } = lookup.poolNamed(lastPart(scaleSetId)) ?? { desired: 0, maxSurge: 0 };
  return desired + maxSurge;
}

type Models = Readonly<Record<number, { readonly profile: unknown } | undefined>>;

/** Whether only the image differs between two models, and one of them is ours. */
function isSwitch(models: Models, from: number, to: number): boolean {
  const [before, after] = [models[from]?.profile, models[to]?.profile];
  const [old, current] = [definitionIn(before), definitionIn(after)];
  return (
    old !== current &&
    (old !== undefined || current !== undefined) &&
    withoutImage(before) === withoutImage(after)
  );
}

/** A profile as text, without its image: a rollout changes more than the image, and may add machines. */
function withoutImage(profile: unknown): string {
  return JSON.stringify(profile, (key, value: unknown) => (key === "imageReference" ? undefined : value));
}
