import { AzureMachine, AzureMachineTemplate, isJsonObject } from "@capstan/api";
import { type Arm, AzureError, type RegionSizes, type VirtualMachine } from "@capstan/azure";
import { isOwned } from "@capstan/plan";
import { Failure } from "@capstan/runtime";
import { sizeRefusal } from "./decide-size.ts";
import { decideStep, type MachineStep, type ObservedUpdate } from "./decide-step.ts";
import { readMachine, readQuotas, readSizesHere } from "./observe.ts";
import { machineAskedAbout, type Target, targetOf, type TargetPorts } from "./target.ts";

/** An object in a question, as the SDK of updaters hands it over. */
interface AskedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: unknown;
}

/** A question, as the SDK of updaters hands it over. */
interface SizeRequest<Path extends string> {
  readonly changes: readonly Path[];
  readonly currentMachine: AskedObject;
  readonly currentInfraMachine: AskedObject;
  readonly desiredInfraMachine: AskedObject;
}

/** An updater that the SDK can serve. */
export interface AzureUpdater {
  readonly name: string;
  readonly timeoutSeconds: number;
  canUpdate<Path extends string>(request: SizeRequest<Path>): Promise<AzureUpdaterAnswer<Path>>;
  update(request: {
    readonly machine: { readonly name: string; readonly namespace: string };
  }): Promise<Progress>;
}

/** The answer to a question. */
interface AzureUpdaterAnswer<Path extends string> {
  readonly acceptedChanges: readonly Path[];
  readonly message?: string;
  readonly needsDrain?: boolean;
}

/** How far an update is. */
type Progress =
  | { readonly status: "Done" }
  | { readonly status: "InProgress"; readonly tryAgain: string; readonly message: string }
  | { readonly status: "Error"; readonly error: string };

/** What the updater works with. */
export interface AzureUpdaterPorts extends TargetPorts {
  readonly regionSizes: RegionSizes;
}

/** The name of the updater, and of its ExtensionConfig. */
export const AZURE_UPDATER = "azure";

// A question about a set has its template.
const KINDS: ReadonlySet<string> = new Set([AzureMachine.kind, AzureMachineTemplate.kind]);
const SIZE = "infraMachine.spec.vmSize";
const TAGS = "infraMachine.spec.additionalTags";
// A question reads a machine, its sizes, the sizes of the region and the quotas.
const TIMEOUT_SECONDS = 30;

/** Gives the virtual machine of an AzureMachine another size, and tags of its template, in place. */
export function azureUpdater(ports: AzureUpdaterPorts): AzureUpdater {
  return {
    name: AZURE_UPDATER,
    timeoutSeconds: TIMEOUT_SECONDS,
    canUpdate: (request) => answerTo(ports, request),
    update: async ({ machine }) => {
      const target = await targetOf(ports.client, machine);
      if (typeof target === "string") return failed(target);
      try {
        return await advance(await ports.armFor(target.azureMachine), target);
      } catch (error) {
        return afterError(error);
      }
    },
  };
}

async function answerTo<Path extends string>(
  ports: AzureUpdaterPorts,
  request: SizeRequest<Path>,
): Promise<AzureUpdaterAnswer<Path>> {
  const changes = request.changes.filter((path) => path === SIZE || isTag(path));
  if (changes.length === 0 || !KINDS.has(request.currentInfraMachine.kind)) return { acceptedChanges: [] };
  const removed = changes.filter((path) => isTag(path) && isRemoved(path, request.desiredInfraMachine));
  const accepted = changes.filter((path) => !removed.includes(path));
  const problems = removed.map(
    (path) =>
      `${path}: Azure does not say whose a tag is, so none is removed in place; give it another value`,
  );
  if (!accepted.some((path) => path === SIZE)) return answer({ accepted, problems });
  const refusal = await refusalFor(ports, request);
  if (refusal === undefined) return { ...answer({ accepted, problems }), needsDrain: true };
  return answer({ accepted: accepted.filter((path) => path !== SIZE), problems: [refusal, ...problems] });
}

function answer<Path extends string>(parts: {
  readonly accepted: readonly Path[];
  readonly problems: readonly string[];
}): AzureUpdaterAnswer<Path> {
  const { accepted: acceptedChanges, problems } = parts;
  return { acceptedChanges, ...(problems.length > 0 && { message: problems.join("; ") }) };
}

function isTag(path: string): boolean {
  return path === TAGS || path.startsWith(`${TAGS}.`);
}

/** Whether the desired machine has no longer the tag of a path; all of them, for the field as a whole. */
function isRemoved(path: string, { spec }: AskedObject): boolean {
  const tags = isJsonObject(spec) ? spec["additionalTags"] : undefined;
  if (!isJsonObject(tags)) return true;
  return path !== TAGS && tags[path.slice(TAGS.length + 1)] === undefined;
}

/** Why the machine cannot get the size; undefined if it can. */
async function refusalFor(
  ports: AzureUpdaterPorts,
  { currentMachine, desiredInfraMachine }: SizeRequest<string>,
): Promise<string | undefined> {
  const target = await machineAskedAbout(ports.client, currentMachine);
  if (typeof target === "string") return target;
  const { spec } = desiredInfraMachine;
  const size = isJsonObject(spec) ? spec["vmSize"] : undefined;
  if (typeof size !== "string" || size === "")
    return `${SIZE} must be the name of a size, such as Standard_D4s_v3`;
  const arm = await ports.armFor(target.azureMachine);
  const machine = await readMachine(arm, target.id);
  const absent = absence(machine, target);
  if (!machine || absent !== undefined) return absent;
  const { location } = machine;
  const [, , subscriptionID = ""] = target.id.split("/");
  const [region, sizesHere, quotas] = await Promise.all([
    ports.regionSizes.find(arm, subscriptionID, location),
    readSizesHere(arm, machine),
    readQuotas(arm, subscriptionID, location),
  ]);
  if (!region) return `Azure lists no sizes for ${location}, so ${size} cannot be judged`;
  return sizeRefusal({ machine, size, region, sizesHere, quotas });
}

/** Why there is no machine to change. Users write provider ids, so the tags of the machine must say that it is the cluster's. */
function absence(machine: VirtualMachine | undefined, { id, owner }: Target): string | undefined {
  if (!machine) return `virtual machine ${id} does not exist in Azure`;
  if (isOwned({ tags: machine.tags }, owner)) return undefined;
  return `virtual machine ${id} does not have the tags of Cluster ${owner.clusterKey}; correct spec.providerID of the AzureMachine`;
}

/** Takes the next step of an update. */
async function advance(arm: Arm, target: Target): Promise<Progress> {
  const { desired, node } = target;
  const machine = await readMachine(arm, target.id);
  const absent = absence(machine, target);
  if (!machine || absent !== undefined) return failed(absent ?? "");
  const isResized = machine.size.toLowerCase() !== desired.size.toLowerCase();
  const sizesHere = isResized ? await readSizesHere(arm, machine) : new Set<string>();
  const observed: ObservedUpdate = { machine, desired, node, sizesHere };
  const step = decideStep(observed);
  const refused = await perform(arm, machine, step);
  if (refused === undefined) return progressOf(step, machine);
  const after = decideStep({ ...observed, refused });
  // The machine runs and nothing was changed: there is nothing to remember.
  if (machine.powerState === "running" && after.do === "patch" && after.size === undefined)
    return failed(`${machine.name} stays ${machine.size}: ${refused}`);
  const again = await perform(arm, machine, after);
  return again === undefined ? progressOf(after, machine) : failed(again);
}

/** Carries a step out; a text is the refusal of Azure. */
async function perform(arm: Arm, machine: VirtualMachine, step: MachineStep): Promise<string | undefined> {
  try {
    await write(arm, machine, step);
    return undefined;
  } catch (error) {
    if (!(error instanceof AzureError) || !isRefusal(error)) throw error;
    // Azure has one code for a machine that is busy and for a size that it does not run here.
    if (error.class === "Conflict" && (await hasChanged(arm, machine))) throw error;
    return `${error.code}: ${error.message}`;
  }
}

async function write(arm: Arm, { id, location, etag }: VirtualMachine, step: MachineStep): Promise<void> {
  if (step.do === "deallocate" || step.do === "start")
    await arm.post(`${id}/${step.do}`, undefined, { location });
  if (step.do !== "patch") return;
  const { tags, size } = step;
  const body = { tags, ...(size !== undefined && { properties: { hardwareProfile: { vmSize: size } } }) };
  // Tags are replaced as a whole: those that another client has added meanwhile must not be lost.
  await arm.patch(id, body, { location, ...(etag !== undefined && { ifMatch: etag }) });
}

function isRefusal({ class: meaning }: AzureError): boolean {
  return meaning === "Capacity" || meaning === "Quota" || meaning === "Terminal" || meaning === "Conflict";
}

async function hasChanged(arm: Arm, before: VirtualMachine): Promise<boolean> {
  const machine = await readMachine(arm, before.id);
  return machine?.provisioningState === "Updating" || machine?.size !== before.size;
}

const BUSY_SECONDS = 10;
const RETRY_SECONDS = 60;

function progressOf(step: MachineStep, { provisioningState }: VirtualMachine): Progress {
  if (step.do === "finish") return { status: "Done" };
  if (step.do === "fail") return failed(step.why);
  // Azure has no room for a start that is repeated at once.
  const isRepeated = step.do === "start" && provisioningState === "Failed";
  return {
    status: "InProgress",
    tryAgain: `${isRepeated ? RETRY_SECONDS : BUSY_SECONDS}s`,
    message: step.why,
  };
}

function failed(error: string): Progress {
  return { status: "Error", error };
}

/** An update waits while Azure, or a credential, does not let it on; the time limit of the update ends the wait. */
function afterError(error: unknown): Progress {
  if (!(error instanceof AzureError) && !(error instanceof Failure)) throw error;
  const seconds = Math.max(BUSY_SECONDS, Math.ceil((error.retryAfterMs ?? RETRY_SECONDS * 1000) / 1000));
  return { status: "InProgress", tryAgain: `${seconds}s`, message: error.message };
}
