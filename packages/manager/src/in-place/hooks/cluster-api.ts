/**
 * The dialect of Cluster API: current and desired objects go out, patches toward the desired ones come back. The machine is
 * updated in place if nothing differs once they are applied.
 */
import { applyMergePatch, deepCopy, type Frozen, isJsonObject, jsonPatch } from "@capstan/api";
import type { UpdateAnswer } from "@capstan/plan";
import type { ContractObject } from "../../contract/contract-object.ts";
import {
  type ComparedObjects,
  type MachineObjects,
  shownObject,
  templateSpecOf,
} from "../machine-objects.ts";
import { DISCOVERY_API, type QuestionHook, type UpdaterHook } from "./hook-api.ts";
import { invalidAnswer, LONGEST_WAIT_MS, objectIn, plainText, quoted } from "./messages.ts";

const LONGEST_PATCH_BYTES = 1024 * 1024;

/** The names of the objects in the messages of a hook. */
interface HookForm {
  readonly machine: string;
  readonly infraMachine: string;
  readonly bootstrap: string;
  /** Takes over what counts of a patched object. */
  readonly taken: (object: Frozen<ContractObject>, result: unknown) => Frozen<ContractObject>;
}

const FORMS: Readonly<Record<QuestionHook, HookForm>> = {
  CanUpdateMachine: {
    machine: "machine",
    infraMachine: "infrastructureMachine",
    bootstrap: "bootstrapConfig",
    taken: withSpec,
  },
  CanUpdateMachineSet: {
    machine: "machineSet",
    infraMachine: "infrastructureMachineTemplate",
    bootstrap: "bootstrapConfigTemplate",
    taken: withTemplateSpec,
  },
};

/** Asks which changes the extension can make: to a machine, or to the machines of a set. */
export function canUpdateBody(hook: QuestionHook, { current, desired }: ComparedObjects): object {
  return { ...headerOf(hook), current: partsOf(hook, current), desired: partsOf(hook, desired) };
}

/** Asks to update a machine whose objects are as desired already, or how far the update is. */
export function updateBody(desired: MachineObjects): object {
  return { ...headerOf("UpdateMachine"), desired: partsOf("CanUpdateMachine", desired) };
}

/** The current objects after the patches of an answer. Throws a Failure if it is not one of the API. */
export function patchedObjects(
  hook: QuestionHook,
  body: unknown,
  { machine, infraMachine, bootstrap }: MachineObjects,
): MachineObjects {
  const answer = successIn(body);
  const form = FORMS[hook];
  return {
    machine: patched(machine, answer, { field: `${form.machine}Patch`, form }),
    infraMachine: patched(infraMachine, answer, { field: `${form.infraMachine}Patch`, form }),
    bootstrap: bootstrap && patched(bootstrap, answer, { field: `${form.bootstrap}Patch`, form }),
  };
}

/** Whether an update takes the machine out of service; Cluster API 1.15 has it in its questions, and takes true if it is absent. */
export function affectsAvailabilityIn(body: unknown): boolean {
  const value = objectIn(body)["affectsAvailability"] ?? true;
  if (typeof value === "boolean") return value;
  throw invalidAnswer("InvalidAnswer", `affectsAvailability must be true or false, but is ${quoted(value)}`);
}

/** The progress of an update. A failure is not final: the extension is called again. */
export function progressIn(body: unknown): UpdateAnswer {
  const { retryAfterSeconds, message } = successIn(body);
  if (typeof retryAfterSeconds !== "number" || !Number.isInteger(retryAfterSeconds) || retryAfterSeconds < 0)
    throw invalidAnswer(
      "InvalidAnswer",
      `retryAfterSeconds must be 0 or a number of seconds, but is ${quoted(retryAfterSeconds)}`,
    );
  if (retryAfterSeconds === 0) return { status: "Done" };
  const said = typeof message === "string" ? plainText(message) : "";
  return {
    status: "InProgress",
    waitMs: Math.min(retryAfterSeconds * 1000, LONGEST_WAIT_MS),
    message: said,
  };
}

function headerOf(hook: UpdaterHook): object {
  return { apiVersion: DISCOVERY_API, kind: `${hook}Request` };
}

function partsOf(hook: QuestionHook, { machine, infraMachine, bootstrap }: MachineObjects): object {
  const form = FORMS[hook];
  return {
    [form.machine]: withoutUid(machine),
    [form.infraMachine]: withoutUid(infraMachine),
    ...(bootstrap && { [form.bootstrap]: withoutUid(bootstrap) }),
  };
}

/** Cluster API sends no UIDs. */
function withoutUid(object: Frozen<ContractObject>): object {
  const { metadata, ...shown } = shownObject(object);
  const { uid: _, ...named } = metadata;
  return { ...shown, metadata: named };
}

type Fields = Readonly<Record<string, unknown>>;

function successIn(body: unknown): Fields {
  const fields = objectIn(body);
  const { status, message } = fields;
  if (status === "Success") return fields;
  const said = typeof message === "string" && message !== "" ? plainText(message) : "it gave no reason";
  if (status === "Failure") throw invalidAnswer("UpdaterError", `answered with a failure: ${said}`);
  throw invalidAnswer("InvalidAnswer", `status must be Success or Failure, but is ${quoted(status)}`);
}

interface PatchField {
  readonly field: string;
  readonly form: HookForm;
}

/** Only the spec of a patched object counts, as in Cluster API. */
function patched(
  object: Frozen<ContractObject>,
  answer: Fields,
  { field, form: { taken } }: PatchField,
): Frozen<ContractObject> {
  const given = answer[field] ?? {};
  if (!isJsonObject(given))
    throw invalidAnswer("InvalidAnswer", `${field} must be an object, but is ${quoted(given)}`);
  const { patchType, patch } = given;
  const content = contentOf(patch, field);
  // An extension that changes nothing may leave all of it out.
  if (content === undefined) return object;
  if (patchType === "JSONMergePatch") return taken(object, applyMergePatch(object, content));
  if (patchType === "JSONPatch") return taken(object, afterOperations(object, content, field));
  throw invalidAnswer(
    "InvalidAnswer",
    `${field}.patchType must be JSONPatch or JSONMergePatch, but is ${quoted(patchType)}`,
  );
}

/** The JSON of a patch, which Go writes in base64; undefined if it is empty, which k0smotron answers for no change. */
function contentOf(patch: unknown, field: string): unknown {
  if (patch === undefined || patch === null || patch === "") return undefined;
  if (typeof patch !== "string" || patch.length > LONGEST_PATCH_BYTES)
    throw invalidAnswer("InvalidAnswer", `${field}.patch must be a text in base64, but is ${quoted(patch)}`);
  try {
    return JSON.parse(Buffer.from(patch, "base64").toString("utf8")) as unknown;
  } catch {
    throw invalidAnswer("InvalidAnswer", `${field}.patch must be JSON in base64`);
  }
}

function afterOperations(object: Frozen<ContractObject>, operations: unknown, field: string): unknown {
  if (!Array.isArray(operations))
    throw invalidAnswer(
      "InvalidAnswer",
      `${field}.patch must be a list of operations, but is ${quoted(operations)}`,
    );
  const copy = deepCopy(object) as object;
  try {
    jsonPatch(copy, operations as readonly unknown[], { rules: "rfc" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw invalidAnswer("InvalidAnswer", `${field} cannot be applied: ${plainText(message, 256)}`);
  }
  return copy;
}

function withSpec(object: Frozen<ContractObject>, result: unknown): Frozen<ContractObject> {
  const { spec } = result as Fields;
  return { ...object, spec: isJsonObject(spec) ? spec : {} };
}

/** Of a set and of templates, only what they give to machines counts. */
function withTemplateSpec(object: Frozen<ContractObject>, result: unknown): Frozen<ContractObject> {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  const template = isJsonObject(spec["template"]) ? spec["template"] : {};
  const made = isJsonObject(result) ? templateSpecOf(result) : {};
  return { ...object, spec: { ...spec, template: { ...template, spec: made } } };
}
