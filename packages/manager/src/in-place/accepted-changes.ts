/** What an updater accepts, in the objects that the next one sees. */
import { type Frozen, isJsonObject } from "@capstan/api";
import type { ContractObject } from "../contract/contract-object.ts";
import type { ComparedObjects, MachineObjects, UpdaterQuestion } from "./machine-objects.ts";

type Part = keyof MachineObjects;

const PREFIXES: Readonly<Record<Part, string>> = {
  machine: "machine.spec",
  infraMachine: "infraMachine.spec",
  bootstrap: "bootstrap.spec",
};

/**
 * The question to the next updater. An object whose changes were all accepted is shown as desired; one with other changes is
 * shown as it was, because a path in one dialect need not be a path in the other.
 */
export function withAccepted(question: UpdaterQuestion, accepted: readonly string[]): UpdaterQuestion {
  const { request, objects, sets } = question;
  const done = new Set(accepted);
  const changes = request.changes.filter((path) => !done.has(path));
  const parts = (Object.keys(PREFIXES) as Part[]).filter((part) => {
    const isOf = (path: string): boolean => path === PREFIXES[part] || path.startsWith(`${PREFIXES[part]}.`);
    return accepted.some(isOf) && !changes.some(isOf);
  });
  return {
    ...question,
    request: { ...request, changes },
    objects: withDone(objects, parts, machineFields),
    ...(sets && { sets: withDone(sets, parts, setFields) }),
  };
}

type Take = (current: Frozen<ContractObject>, desired: Frozen<ContractObject>) => Frozen<ContractObject>;

function withDone({ current, desired }: ComparedObjects, done: readonly Part[], take: Take): ComparedObjects {
  const now = (part: Part): Frozen<ContractObject> | undefined => {
    const [before, after] = [current[part], desired[part]];
    if (!before || !after || !done.includes(part)) return before;
    return part === "machine" ? take(before, after) : { ...before, spec: after.spec };
  };
  return {
    desired,
    current: {
      machine: now("machine") ?? current.machine,
      infraMachine: now("infraMachine") ?? current.infraMachine,
      bootstrap: now("bootstrap"),
    },
  };
}

/** Only these fields of a machine are about the machine as it runs. */
function machineFields(
  current: Frozen<ContractObject>,
  desired: Frozen<ContractObject>,
): Frozen<ContractObject> {
  return { ...current, spec: taken(current.spec, desired.spec) };
}

function setFields(current: Frozen<ContractObject>, desired: Frozen<ContractObject>): Frozen<ContractObject> {
  const [before, after] = [fieldsOf(current.spec), fieldsOf(desired.spec)];
  const [template, desiredTemplate] = [fieldsOf(before["template"]), fieldsOf(after["template"])];
  return {
    ...current,
    spec: { ...before, template: { ...template, spec: taken(template["spec"], desiredTemplate["spec"]) } },
  };
}

function taken(current: unknown, desired: unknown): Readonly<Record<string, unknown>> {
  const { version: _, failureDomain: __, ...rest } = fieldsOf(current);
  const { version, failureDomain } = fieldsOf(desired);
  return {
    ...rest,
    ...(version !== undefined && { version }),
    ...(failureDomain !== undefined && { failureDomain }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
