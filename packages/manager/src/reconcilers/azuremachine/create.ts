import { getCondition, type JsonObject, Secret } from "@capstan/api";
import { again, block, next, type Outcome, terminal, waiting } from "@capstan/runtime";
import { failureOf, type Progress, type DesiredChange } from "@capstan/azure";
import { ownerOf } from "../../azure-cluster/spec-view.ts";
import { interfaceBody, interfaceIDs, machineBody, machineID, machineProviderID } from "./bodies.ts";
import { readinessFields } from "../../contract/provisioned.ts";
import { addressesOf, decideMachine, type MachineDecision, zoneIn } from "./decide.ts";
import { findInList, read, start, WAITING_FOR_AZURE } from "./operations.ts";
import { blocked, DISKS_READY, hasBegun, INTERFACES_READY, type NormalScope, VM_RUNNING } from "./scope.ts";

// Azure creates most machines within a minute.
const CREATION_POLL_MS = 15_000;
// A virtual machine that Azure calls Failed may recover; the resync of all machines takes as long.
const FAILED_RECHECK_MS = 10 * 60_000;

/** Reads the machine, decides the next step and takes it. */
export async function ensureMachine(scope: NormalScope): Promise<Outcome> {
  const { facts, machine, written } = scope;
  const id = machineID(facts);
  // An operation that has just ended says as much as a read. Interfaces are created in order, so the last one ends them.
  if (written === id) return publish(scope, { id, state: "Succeeded", zone: facts.zone });
  if (written !== undefined && written === interfaceIDs(facts).at(-1)) return putMachine(scope);
  const body = await observe(scope, id);
  const wasCreated = machine.spec.providerID !== undefined;
  const ids = body || wasCreated ? [] : interfaceIDs(facts);
  const interfaces = await Promise.all(ids.map(async (one) => ({ id: one, body: await read(scope, one) })));
  const owner = ownerOf(facts.plan);
  return perform(scope, body, decideMachine({ owner, wasCreated, machineID: id, machine: body, interfaces }));
}

/** A machine that was ready is looked up in the list of its group; one that the list misses is read. */
async function observe(scope: NormalScope, id: string): Promise<JsonObject | undefined> {
  const { machine } = scope;
  if (machine.spec.providerID !== undefined && machine.status?.ready === true) {
    const listed = await findInList(scope);
    if (listed) return listed;
  }
  return read(scope, id);
}

async function perform(
  scope: NormalScope,
  body: JsonObject | undefined,
  decision: MachineDecision,
): Promise<Outcome> {
  const { context, facts } = scope;
  switch (decision.do) {
    case "putInterface": {
      const { index, isNew } = decision;
      const resourceID = interfaceIDs(facts)[index] ?? "";
      const desired = { verb: "PUT", resourceID, body: interfaceBody(facts, index), isNew } as const;
      return write(scope, desired, INTERFACES_READY);
    }
    case "putMachine":
      return putMachine(scope);
    case "wait":
      creating(scope, decision.condition);
      return block(CREATION_POLL_MS, WAITING_FOR_AZURE);
    case "refuse":
      throw blocked(context, terminal("ForeignResource", decision.why));
    case "lost":
      return lost(scope, decision.why);
    case "publish":
      return publish(scope, { id: String(body?.["id"]), state: decision.state, zone: body && zoneIn(body) });
  }
}

async function putMachine(scope: NormalScope): Promise<Outcome> {
  const { context, facts } = scope;
  context.setCondition({ type: INTERFACES_READY, status: "True", reason: "Reconciled" });
  const customData = await bootstrapData(scope);
  const resourceID = machineID(facts);
  const desired = { verb: "PUT", resourceID, body: machineBody(facts, customData), isNew: true } as const;
  return write(scope, desired, VM_RUNNING);
}

function creating({ context }: NormalScope, type: string): void {
  context.setCondition({ type, status: "False", severity: "Info", reason: "Creating" });
}

async function write(scope: NormalScope, desired: DesiredChange, condition: string): Promise<Outcome> {
  // With the first intent, this condition is in the status before anything is sent: a deletion then knows to look at Azure.
  if (!hasBegun(scope.machine)) creating(scope, INTERFACES_READY);
  creating(scope, condition);
  const progress = await sent(scope, desired, condition);
  if (typeof progress === "number") return block(progress, WAITING_FOR_AZURE);
  // A write that ended at once leads to the next one without a wait.
  if (!progress.isDone || progress.outcome !== "Succeeded") return block(0, WAITING_FOR_AZURE);
  scope.written = desired.resourceID;
  return ensureMachine(scope);
}

async function sent(
  scope: NormalScope,
  desired: DesiredChange,
  condition: string,
): Promise<number | Progress> {
  try {
    return await start(scope, desired);
  } catch (error) {
    const failure = failureOf(error, `creating ${desired.resourceID.split("/").at(-1)}`);
    throw blocked(scope.context, failure, condition);
  }
}

async function bootstrapData({ context, machine, dataSecretName }: NormalScope): Promise<string> {
  const { namespace = "" } = machine.metadata;
  const secret = await context.client.find(Secret, { name: dataSecretName, namespace });
  const value = secret?.data?.["value"];
  if (value !== undefined) return value;
  const message = `Secret ${JSON.stringify(dataSecretName)} with the bootstrap data ${secret ? 'has no key "value"' : "does not exist"}`;
  throw blocked(context, waiting("WaitingForBootstrapData", message));
}

/** As in CAPZ, a machine whose virtual machine is gone has failed for good: a MachineHealthCheck or its owner replaces it. */
function lost({ machine, context }: NormalScope, why: string): Outcome {
  machine.status = {
    ...machine.status,
    ...readinessFields(machine.status, false),
    vmState: "Deleted",
    failureReason: "UpdateError",
    failureMessage: why,
  };
  context.setCondition({
    type: VM_RUNNING,
    status: "False",
    severity: "Error",
    reason: "VMDeleted",
    message: why,
  });
  throw terminal("VMDeleted", why);
}

/** A virtual machine that exists in Azure. */
interface ExistingMachine {
  readonly id: string;
  readonly state: string;
  /** The zone that it runs in; undefined outside zones. */
  readonly zone: string | undefined;
}

async function publish(scope: NormalScope, { id, state, zone }: ExistingMachine): Promise<Outcome> {
  const { machine, context, facts } = scope;
  const isFailed = state === "Failed";
  machine.spec.providerID ??= machineProviderID(id);
  machine.status = { ...machine.status, vmState: state, ...(zone !== undefined && { failureDomain: zone }) };
  if (!machine.status.addresses) {
    const interfaces = await Promise.all(interfaceIDs(facts).map((one) => read(scope, one)));
    const found = interfaces.filter((one) => one !== undefined);
    machine.status.addresses = addressesOf(machine.metadata.name, found);
  }
  const done = { status: "True", reason: "Reconciled" } as const;
  context.setCondition({ type: INTERFACES_READY, ...done });
  context.setCondition({ type: DISKS_READY, ...done });
  if (isFailed) return reportFailed(scope);
  // Once ready, a machine stays ready, as Cluster API's contract demands, unless its virtual machine is gone.
  machine.status = { ...machine.status, ...readinessFields(machine.status, true) };
  context.setCondition({ type: VM_RUNNING, ...done });
  return next;
}

function reportFailed({ machine, context }: NormalScope): Outcome {
  const known = getCondition(machine.status?.conditions, VM_RUNNING);
  machine.status = { ...machine.status, ready: machine.status?.ready ?? false };
  // The error of the operation that failed is more useful than the bare state; it stays until the state changes.
  if (known?.status !== "False" || known.severity === "Info") {
    const message = "Azure reports the virtual machine as Failed; if it does not recover, delete its Machine";
    context.setCondition({ type: VM_RUNNING, status: "False", severity: "Error", reason: "Failed", message });
  }
  return again(FAILED_RECHECK_MS, "VMFailed");
}
