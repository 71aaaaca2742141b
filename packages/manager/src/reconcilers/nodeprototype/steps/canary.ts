import { isJsonObject, type JsonObject, Node } from "@capstan/api";
import { again, type Outcome, unlessGone } from "@capstan/runtime";
import { AzureError, parseInstance } from "@capstan/azure";
import {
  BOOTED_TWICE,
  type CanaryFacts,
  type CanaryNode,
  canaryNames,
  type CanaryStep,
  type CanaryVerdict,
  decideCanary,
  INSPECT_COMMAND,
  INSPECT_SCRIPT,
  isOverdue,
  SCRUBBED_LATE,
} from "@capstan/plan";
import { isNodeReady } from "../../../workload/availability.ts";
import {
  type AzureScope,
  deleted,
  objectIn,
  read,
  readAll,
  stateOf,
  textIn,
} from "../gallery/azure-reads.ts";
import { annotating, nodesOf, SCALE_DOWN_DISABLED, workloadOf } from "../fleet/donor-node.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";
import { imagesOn } from "./begin.ts";
import { canaryBody, CANARY } from "./canary-body.ts";
import { commandResultOf } from "../gallery/run-command.ts";
import { canaryData } from "./canary-data.ts";
import { failRenewal, passes } from "./fail.ts";
import { versionID } from "./publish.ts";

const WATCH_MS = 15_000;

/** The ARM id of the scale set of the canary. */
function canaryID(scope: AzureScope): string {
  const { scaleSet } = canaryNames(scope.owner.metadata.name, renewalOf(scope).cycleID);
  return `${scope.azure.groupID}/providers/Microsoft.Compute/virtualMachineScaleSets/${scaleSet}`;
}

/** Boots one machine from the version, in a scale set of its own, before other machines get the version. */
export async function validate(scope: AzureScope): Promise<Outcome> {
  const nodes = await nodesOf(scope);
  if (!nodes) return again(WATCH_MS, "WorkloadUnreachable");
  const seen = await observe(scope, nodes);
  const step = decideCanary(seen.facts);
  scope.note = { reason: "Validating", why: step.why };
  return CARRY_OUT[step.do](scope, seen, step);
}

interface Seen {
  readonly instance: JsonObject | undefined;
  readonly facts: CanaryFacts;
  readonly node: CanaryNodeObject | undefined;
}

type Nodes = NonNullable<Awaited<ReturnType<typeof nodesOf>>>;
type CanaryNodeObject = ReturnType<Nodes["of"]>[number];

async function observe(scope: AzureScope, nodes: Nodes): Promise<Seen> {
  const id = canaryID(scope);
  const { canary } = recordOf(scope);
  const set = await read(scope, id);
  const [body] = set ? await readAll(scope, `${id}/virtualMachines`, { $expand: "instanceView" }) : [];
  const node = body && nodes.of(`azure://${textIn(body, "id")}`)[0];
  return {
    instance: body,
    node,
    facts: {
      skippedBecause: skippedBecause(scope),
      verdict: verdictIn(scope),
      version: stateOf(await read(scope, versionID(scope))),
      scaleSet: stateOf(set),
      instance: body && instanceIn(body),
      node: node && canaryNodeOf(node),
      inspection: body && canary?.bootID !== undefined ? await inspectionOf(scope, body) : undefined,
      firstBootID: canary?.bootID,
      expected: {
        kubeletVersions: kubeletVersionsOf(scope),
        images: renewalOf(scope).imageCount,
        machineIDs: machineIDsOf(scope, nodes),
      },
      isOverdue: isOverdue(recordOf(scope), scope.context.env.clock.now()),
    },
  };
}

function kubeletVersionsOf(scope: AzureScope): readonly string[] {
  const { kubeletVersion } = renewalOf(scope).donor;
  const versions = new Set([scope.fleet.version ?? "", kubeletVersion ?? ""]);
  return [...versions].filter((version) => version !== "");
}

function skippedBecause({ settings, fleet }: AzureScope): string | undefined {
  if (settings?.canary === "Disabled") return "the canary is disabled";
  return fleet.bootstrap ? undefined : "machines of a template have no bootstrap data in common";
}

function verdictIn(scope: AzureScope): CanaryVerdict | undefined {
  const { verdict, why = "" } = recordOf(scope).canary ?? {};
  return verdict && { result: verdict, why };
}

function instanceIn(body: JsonObject): NonNullable<CanaryFacts["instance"]> {
  const instance = parseInstance(body);
  const { statuses } = objectIn(body, "properties", "instanceView");
  const failed = (Array.isArray(statuses) ? statuses.filter(isJsonObject) : []).find(
    ({ level }) => level === "Error",
  );
  return {
    state: stateOf(body) ?? "",
    isRunning: instance?.powerState === "running",
    error: (failed && textIn(failed, "message")) ?? "Azure gives no reason",
  };
}

function canaryNodeOf(node: CanaryNodeObject): CanaryNode {
  const { machineID = "", bootID = "", kubeletVersion = "" } = node.status?.nodeInfo ?? {};
  return { isReady: isNodeReady(node), machineID, bootID, kubeletVersion, images: imagesOn(node) };
}

function inspectionID(instance: JsonObject): string {
  return `${textIn(instance, "id")}/runCommands/${INSPECT_COMMAND}`;
}

async function inspectionOf(scope: AzureScope, instance: JsonObject): Promise<CanaryFacts["inspection"]> {
  const body = await read(scope, inspectionID(instance), { $expand: "instanceView" });
  if (!body) return undefined;
  const { isOver, state, output, error, exitCode } = commandResultOf(body);
  // Without a helper VM each machine removes the identity itself.
  const expected = recordOf(scope).scrub?.mode === "Copy" ? [] : [SCRUBBED_LATE, BOOTED_TWICE];
  const lines = output.split("\n").map((line) => line.trim());
  const flaws = lines.filter((line) => line !== "" && !expected.includes(line));
  const failure = state === "Succeeded" ? "" : `${state} (exit code ${exitCode}): ${error}`;
  return { isOver, error: failure, flaws: flaws.slice(0, 5).join("; ") };
}

/** The machine ids of the Nodes of the owner, with that of the donor among them. */
function machineIDsOf({ fleet }: AzureScope, nodes: Nodes): ReadonlySet<string> {
  const all = fleet.machines().flatMap(({ providerID }) => nodes.of(providerID));
  return new Set(all.flatMap(({ status }) => status?.nodeInfo?.machineID ?? []));
}

type CarryOut = (scope: AzureScope, seen: Seen, step: CanaryStep) => Promise<Outcome>;

const CARRY_OUT: Readonly<Record<CanaryStep["do"], CarryOut>> = {
  wait: async () => again(WATCH_MS, "Validating"),
  create,
  observe: async (scope, { node }) => {
    if (node) await protect(scope, node);
    return again(0, "Validating");
  },
  inspect: async (scope, { instance }) => {
    const { azure } = scope;
    const properties = { source: { script: INSPECT_SCRIPT }, timeoutInSeconds: 300, asyncExecution: false };
    const command = { location: azure.location, properties };
    if (instance) await azure.arm.put(inspectionID(instance), command, { location: azure.location });
    return again(WATCH_MS, "Validating");
  },
  judge: async (scope, _, step) => {
    if (step.do === "judge") await record(scope, step.verdict);
    return again(0, "Validating");
  },
  delete: async (scope) => {
    await deleteCanary(scope);
    return again(WATCH_MS, "Validating");
  },
  promote: async (scope) => {
    if (!(await deleteCanary(scope))) return again(WATCH_MS, "Validating");
    await moveTo(scope, "Promoting");
    return again(0, "Promoting");
  },
  fail: async (scope, _, { why }) => {
    if (!(await deleteCanary(scope))) return again(WATCH_MS, "Validating");
    return failRenewal(scope, "CanaryFailed", `a machine that booted from the new image failed: ${why}`);
  },
};

async function create(scope: AzureScope): Promise<Outcome> {
  const { azure, owner } = scope;
  const { cycleID } = renewalOf(scope);
  const data = await canaryData(scope);
  if (data.state === "waiting") return again(WATCH_MS, "AwaitingBootstrapData");
  const { scaleSet: name, computerPrefix } = canaryNames(owner.metadata.name, cycleID);
  const model = await read(scope, azure.machinesID.replace(/\/virtualMachines$/, ""));
  if (data.state === "unusable" || !model) {
    await record(scope, {
      result: "Skipped",
      why: data.state === "unusable" ? data.why : "the scale set is gone",
    });
    return again(0, "Validating");
  }
  if (recordOf(scope).canary === undefined) {
    change(scope, { canary: { name } });
    await scope.context.persistStatus();
  }
  const body = canaryBody(scope, model, {
    customData: data.customData,
    computerPrefix,
    imageID: versionID(scope),
  });
  try {
    await azure.arm.put(canaryID(scope), body, { location: azure.location });
  } catch (error) {
    if (!(error instanceof AzureError) || passes(error)) throw error;
    await record(scope, { result: "Skipped", why: error.message });
  }
  return again(WATCH_MS, "Validating");
}

/** The boot is recorded when the Node is first seen; the autoscaler leaves the Node alone. */
async function protect(scope: AzureScope, node: CanaryNodeObject): Promise<void> {
  const workload = await workloadOf(scope);
  const { name } = node.metadata;
  await unlessGone(
    workload?.patch(Node, { name }, annotating([SCALE_DOWN_DISABLED], "true")) ?? Promise.resolve(undefined),
  );
  const { canary } = recordOf(scope);
  const bootID = node.status?.nodeInfo?.bootID ?? "";
  if (canary) change(scope, { canary: { ...canary, nodeName: name, bootID } });
  await scope.context.persistStatus();
}

async function record(scope: AzureScope, { result, why }: CanaryVerdict): Promise<void> {
  const { context, owner } = scope;
  const { canary } = recordOf(scope);
  const name = canaryNames(owner.metadata.name, renewalOf(scope).cycleID).scaleSet;
  const { version } = renewalOf(scope).imageVersion;
  // The verdict outlives the version, which is deleted when it is bad.
  const ofVersion = `version ${version}: ${why}`.slice(0, 300);
  change(scope, { canary: { name, ...canary, verdict: result, why: ofVersion } });
  await context.persistStatus();
  const message = `The canary of version ${version} ${SAID[result]}: ${why}`;
  if (scope.settings?.canary !== "Disabled")
    context.event({ ...EVENTS[result], message: message.slice(0, 1000) });
}

const EVENTS = {
  Passed: { type: "Normal", reason: "PrototypeCanaryPassed" },
  Failed: { type: "Warning", reason: "PrototypeCanaryFailed" },
  Skipped: { type: "Warning", reason: "PrototypeCanarySkipped" },
} as const;

const SAID = { Passed: "has passed", Failed: "has failed", Skipped: "was skipped" } as const;

/** Deletes the scale set of the canary, then its Node; returns whether both are gone. */
export async function deleteCanary(scope: AzureScope): Promise<boolean> {
  const { canary } = recordOf(scope);
  if (!canary) return true;
  if (!(await deleted(scope, canaryID(scope)))) return false;
  const workload = await workloadOf(scope);
  const { nodeName: name } = canary;
  // Without an API server there is no Node to delete, and the cloud provider deletes it later.
  if (!workload || name === undefined) return true;
  const node = await workload.find(Node, { name });
  if (node?.metadata.labels?.[CANARY] !== renewalOf(scope).cycleID) return true;
  await unlessGone(workload.delete(Node, { name }));
  return true;
}
