import type { CloudState, FaultRule } from "@capstan/azure-sim";
import { type SimClockState, type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { EXIT } from "../exit-codes.ts";
import { forWindow } from "../render/emphasis.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { type Paint, paintFor } from "../render/paint.ts";
import { facts } from "../render/table.ts";
import { type Branch, tree } from "../render/tree.ts";
import type { Shell } from "../shell.ts";

/** Which simulator, and how to print its state. */
export interface SimStatusOptions {
  readonly address: SimulatorAddress;
  readonly output: OutputForm;
}

/** The state of a simulated Azure at one moment. */
interface SimStatus extends CloudState {
  readonly url: string;
  readonly time: string;
  readonly speed: number;
  readonly seed: string;
  readonly faults: readonly FaultRule[];
}

/** `capstan sim status`: shows the resources of the simulated Azure as a tree. */
export async function simStatus(shell: Shell, { address, output }: SimStatusOptions): Promise<number> {
  const status = await withControl(address, async (control): Promise<SimStatus> => {
    const { now, speed }: SimClockState = await control.clock();
    const state = await control.state();
    return {
      url: control.url,
      time: now,
      speed,
      seed: await control.seed(),
      faults: await control.faults(),
      ...state,
    };
  });
  const paint = paintFor(shell.out, shell.variables);
  const asWindow = (isWide: boolean): string => forWindow(shell, asText(status, paint, isWide));
  shell.out.write(await printed(status, output, asWindow));
  return EXIT.done;
}

function asText(status: SimStatus, paint: Paint, isWide: boolean): string {
  const { url, time, speed, seed, resources, runningOperations, lowBudgets, faults } = status;
  const head = facts([
    ["simulated azure", url],
    ["time", `${time}, speed ${speed}`],
    ["seed", seed],
    ["resources", String(resources.length)],
    ["operations", `${runningOperations.length} running`],
    ...lowBudgets.map(
      ({ name, left, capacity }) => ["budget", `${left} of ${capacity} left: ${name}`] as const,
    ),
    ...(faults.length === 0 ? [] : [["faults", faults.map(({ id }) => id).join(", ")] as const]),
  ]);
  const bySubscription = Map.groupBy(resources, ({ id }) => id.split("/")[2] ?? "");
  const look: Look = {
    paint,
    isWide,
    nowMs: status.nowMs,
    scaleSets: new Map(status.scaleSets.map((set) => [set.id.toLowerCase(), set])),
    operations: Map.groupBy(runningOperations, ({ resourceId }) => resourceId.toLowerCase()),
  };
  const trees = [...bySubscription].map(([subscription, inside]) =>
    tree({
      text: paint.strong(`subscription ${subscription}`),
      parts: nested(inside).map((node) => resourceBranch(node, look)),
    }),
  );
  return [head, ...trees].join("\n");
}

type Resource = CloudState["resources"][number];
type ScaleSet = CloudState["scaleSets"][number];

/** Further facts about resources, by their id in lower case, and how to print them. */
interface Look {
  readonly paint: Paint;
  readonly isWide: boolean;
  readonly nowMs: number;
  readonly scaleSets: ReadonlyMap<string, ScaleSet>;
  readonly operations: ReadonlyMap<string, CloudState["runningOperations"]>;
}

interface Node {
  readonly resource: Resource;
  readonly key: string;
  readonly inside: Node[];
}

/** Nests resources below the resource that contains them. */
function nested(resources: readonly Resource[]): Node[] {
  // A separator that sorts before all other characters puts a resource right before its children: `a`, `a/x`, `a-b`.
  const nodes = resources.map((resource): Node => {
    const key = `${resource.id.toLowerCase().replaceAll("/", "\0")}\0`;
    return { resource, key, inside: [] };
  });
  const roots: Node[] = [];
  const open: Node[] = [];
  for (const node of nodes.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    while (open.length > 0 && !node.key.startsWith(open.at(-1)?.key ?? "")) open.pop();
    (open.at(-1)?.inside ?? roots).push(node);
    open.push(node);
  }
  return roots;
}

function resourceBranch({ resource, inside }: Node, look: Look): Branch {
  const { id, type, state } = resource;
  const { paint, isWide } = look;
  const operations = (look.operations.get(id.toLowerCase()) ?? []).map((one) => ({
    text: `${one.name} is running, ${secondsLeft(one, look.nowMs)} s left${isWide ? ` (${one.id})` : ""}`,
    parts: [],
  }));
  const name = isWide ? id : id.slice(id.lastIndexOf("/") + 1);
  const kind = type.slice(type.indexOf("/") + 1);
  const set = look.scaleSets.get(id.toLowerCase());
  return {
    text: [paint.strong(name), paint.faint(kind), state, ...(set ? scaleSetDetails(set) : [])].join("  "),
    parts: [...operations, ...inside.map((node) => resourceBranch(node, look))],
  };
}

function secondsLeft({ dueMs }: CloudState["runningOperations"][number], nowMs: number): number {
  return Math.max(0, Math.ceil((dueMs - nowMs) / 1000));
}

function scaleSetDetails({ capacity, instances, latest, modelVersion }: ScaleSet): string[] {
  const states = Object.entries(instances).map(([state, number]) => `${number} ${state}`);
  const total = Object.values(instances).reduce((sum, number) => sum + number, 0);
  return [
    `capacity ${capacity}`,
    states.length === 0 ? "no instances" : states.join(", "),
    `${latest} of ${total} on model ${modelVersion}`,
  ];
}
