import type { UpdaterDefinition } from "../define-updater.ts";
import {
  type CanUpdateRequest,
  type FieldPath,
  resultOf,
  type UpdatedObject,
  type UpdateResult,
} from "../messages.ts";
import { BadRequest, isObject, type JsonObject, settingsIn } from "../request-body.ts";
import { differenceOf } from "./differences.ts";
import {
  ABOUT_MACHINE,
  ABOUT_SET,
  type Hook,
  HOOKS_API,
  type PartNames,
  type Question,
  UPDATE,
} from "./wire.ts";

/** What Cluster API's controllers discover: they refuse an answer with a hook that they do not know. */
export function discoveryAnswer(definition: UpdaterDefinition): object {
  return {
    ...answerTo("Discovery"),
    handlers: handlersFor(definition, HOOKS_API, [ABOUT_MACHINE, ABOUT_SET, UPDATE]),
  };
}

/** The handlers of an updater, as a discovery lists them. */
export function handlersFor(
  { timeoutSeconds = 10 }: UpdaterDefinition,
  apiVersion: string,
  hooks: readonly Hook[],
): readonly object[] {
  return hooks.map(({ hook, handler }) => ({
    name: handler,
    requestHook: { apiVersion, hook },
    timeoutSeconds,
    failurePolicy: "Fail",
  }));
}

const PARTS = ["machine", "infraMachine", "bootstrap"] as const;
type Part = (typeof PARTS)[number];

/** Says which changes the updater can make, by patches that turn the current objects toward the desired ones. */
export async function canUpdateAnswer(
  definition: UpdaterDefinition,
  question: Question,
  body: JsonObject,
): Promise<object> {
  const current = machineIn(body, "current", question);
  const desired = machineIn(body, "desired", question);
  const differences = PARTS.map((part) => ({
    part,
    ...differenceOf(`${part}.spec`, comparedFields(part, current), comparedFields(part, desired)),
  }));
  const changes = differences.flatMap(({ paths }) => paths) as FieldPath[];
  const asked =
    changes.length === 0
      ? []
      : await definition.canUpdate(requestOf({ current, desired, changes, settings: settingsIn(body) }));
  const { acceptedChanges, message, affectsAvailability } = resultOf(asked);
  const accepted = new Set<string>(acceptedChanges);
  const patches = differences.flatMap(({ part, patchFor }) => {
    const patch = patchFor(accepted);
    return patch === undefined ? [] : [[`${question.parts[part]}Patch`, wirePatch(question, patch)] as const];
  });
  return {
    ...answerTo(question.hook),
    ...(message !== undefined && { message }),
    ...(affectsAvailability !== undefined && { affectsAvailability }),
    ...Object.fromEntries(patches),
  };
}

/** How far the update of a machine is. A failure is not final for Cluster API's controllers: they call again. */
export function updateAnswer(result: UpdateResult): object {
  const answer = answerTo(UPDATE.hook);
  switch (result.status) {
    case "Done":
      return { ...answer, retryAfterSeconds: 0 };
    case "InProgress":
      return { ...answer, message: result.message ?? "", retryAfterSeconds: secondsIn(result.tryAgain) };
    case "Error":
      return { ...answer, status: "Failure", message: result.error, retryAfterSeconds: 0 };
  }
}

/** The name of the machine to update. */
export function machineToUpdate(body: JsonObject): unknown {
  return objectAt(objectAt(body, "desired"), "machine")["metadata"];
}

function answerTo(hook: string): { readonly [field: string]: unknown } {
  return { apiVersion: HOOKS_API, kind: `${hook}Response`, status: "Success", message: "" };
}

/** A machine with its objects; for a set, as each machine of it would be. */
type MachineOfSide = Readonly<Record<Part, UpdatedObject | undefined>>;

function machineIn(
  body: JsonObject,
  side: "current" | "desired",
  { parts, fields }: Question,
): MachineOfSide {
  const objects = objectAt(body, side);
  const objectOf = (part: keyof PartNames): UpdatedObject => {
    const { apiVersion, kind, metadata, ...rest } = objectAt(objects, parts[part], side);
    const spec = fields.reduce<JsonObject>((parent, field) => objectAt(parent, field, parts[part]), rest);
    return { apiVersion, kind, metadata, spec } as UpdatedObject;
  };
  return {
    machine: objectOf("machine"),
    infraMachine: objectOf("infraMachine"),
    bootstrap: isObject(objects[parts.bootstrap]) ? objectOf("bootstrap") : undefined,
  };
}

function objectAt(parent: JsonObject, field: string, within = "the body"): JsonObject {
  const value = parent[field];
  if (isObject(value)) return value;
  throw new BadRequest(`${within}: ${field} must be an object`);
}

/** The fields of a Machine that its owner does not compare: they are not about the machine as it runs. */
const NOT_COMPARED = new Set([
  "clusterName",
  "bootstrap",
  "infrastructureRef",
  "providerID",
  "minReadySeconds",
  "readinessGates",
  "deletion",
  "taints",
]);

function comparedFields(part: Part, side: MachineOfSide): JsonObject {
  const fields = (side[part]?.spec ?? {}) as JsonObject;
  if (part !== "machine") return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !NOT_COMPARED.has(name)));
}

interface Asked {
  readonly current: MachineOfSide;
  readonly desired: MachineOfSide;
  readonly changes: readonly FieldPath[];
  readonly settings: CanUpdateRequest["settings"];
}

function requestOf({ current, desired, changes, settings }: Asked): CanUpdateRequest {
  return {
    changes,
    currentMachine: current.machine,
    desiredMachine: desired.machine,
    currentInfraMachine: current.infraMachine,
    desiredInfraMachine: desired.infraMachine,
    ...(current.bootstrap && { currentBootstrapConfig: current.bootstrap }),
    ...(desired.bootstrap && { desiredBootstrapConfig: desired.bootstrap }),
    settings,
  } as CanUpdateRequest;
}

/** A patch of the fields, as one of the whole object, in base64 as Go writes bytes. */
function wirePatch({ fields }: Question, patch: JsonObject): object {
  const whole = fields.reduceRight<JsonObject>((inner, field) => ({ [field]: inner }), patch);
  return { patchType: "JSONMergePatch", patch: Buffer.from(JSON.stringify(whole)).toString("base64") };
}

/** `inProgress` writes whole seconds; an updater that makes its own answers may use any duration of Go. */
function secondsIn(tryAgain: string): number {
  const units = { h: 3600, m: 60, s: 1 } as const;
  const parts = [...tryAgain.matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)];
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
  // Zero would mean that the update is complete.
  return Math.max(1, Math.ceil(seconds));
}
