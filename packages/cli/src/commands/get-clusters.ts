import { humanDuration } from "@capstan/apiserver/human-duration";
import { Cluster, type Frozen } from "@capstan/api";
import { unknownName } from "../cluster/unknown-name.ts";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { EXIT } from "../exit-codes.ts";
import {
  type ClusterFacts,
  factsOfFleet,
  type Fleet,
  fleetIn,
  type ReadyCount,
} from "../fleet/cluster-facts.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { onOneLine } from "../render/one-line.ts";
import { type Paint, paintFor } from "../render/paint.ts";
import { row, table, widthsOf } from "../render/table.ts";
import { columnsIn, widthFor, wrapped } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which clusters, and how they are printed. */
export interface GetClustersOptions {
  readonly access: UserAccess;
  /** Only these clusters; all if there is none. */
  readonly names: readonly string[];
  /** Whether to list the clusters of all namespaces. */
  readonly isEverywhere: boolean;
  readonly output: OutputForm;
  /** Lists them again after each change, until Ctrl-C. */
  readonly isWatching: boolean;
}

/** `capstan get clusters`: the clusters of a management cluster, with their machines. */
export async function getClusters(
  shell: Shell,
  { access, names, isEverywhere, output, isWatching }: GetClustersOptions,
): Promise<number> {
  return await withUserClient(shell, access, async (client, { now, namespace }) => {
    const scope = isEverywhere ? {} : { namespace };
    const read = async (): Promise<Fleet> => {
      const fleet = await fleetIn(client, scope);
      const clusters = fleet.clusters.filter(({ metadata }) => isNamed(names, metadata.name));
      const missing = names.find((name) => !clusters.some(({ metadata }) => metadata.name === name));
      if (missing !== undefined) throw await unknownName(client, { kind: Cluster, name: missing, namespace });
      return { ...fleet, clusters };
    };
    const print = (fleet: Fleet): Promise<string> =>
      printed({ apiVersion: "v1", kind: "List", items: fleet.clusters }, output, (isWide) => {
        if (fleet.clusters.length === 0) return "";
        const columns = isWide ? Number.POSITIVE_INFINITY : widthFor(shell);
        const paint = paintFor(shell.out, shell.variables);
        return fleetTable(fleet, { isEverywhere, isWide, columns, nowMs: now(), paint });
      });
    if (isWatching) {
      // Only for this flag: a command loads no more than it needs.
      const { watchAnswer } = await import("../watching/watch-answer.ts");
      return await watchAnswer(shell, { read, print, essence: (fleet) => fleet, output });
    }
    const fleet = await read();
    if (fleet.clusters.length === 0 && output === undefined)
      shell.err.write(`No clusters found${isEverywhere ? "" : ` in namespace ${namespace}`}.\n`);
    shell.out.write(await print(fleet));
    return EXIT.done;
  });
}

function isNamed(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

interface Look {
  readonly isEverywhere: boolean;
  /** Shows the endpoint, and whole messages. */
  readonly isWide?: boolean;
  /** The width of the window; a pipe has no limit. */
  readonly columns?: number;
  readonly nowMs: number;
  readonly paint: Paint;
}

/** One line for each cluster, with why it is not available: in the last column, or below it in a narrow window. */
export function fleetTable(fleet: Fleet, look: Look): string {
  const { isEverywhere, isWide = false, columns = Number.POSITIVE_INFINITY, nowMs } = look;
  const lines = factsOfFleet(fleet, nowMs).map((facts) => ({
    cells: rowOf(facts, look),
    message: facts.message,
  }));
  const heads = [...(isEverywhere ? ["NAMESPACE"] : []), ...HEADS, ...(isWide ? ["ENDPOINT"] : [])];
  const full = table(
    [...heads, "MESSAGE"],
    lines.map(({ cells, message }) => [...cells, onOneLine(message, isWide ? undefined : LONGEST_MESSAGE)]),
  );
  if (full.split("\n").every((line) => columnsIn(line) <= columns)) return full;
  const widths = widthsOf([heads, ...lines.map(({ cells }) => cells)]);
  const body = lines.map(
    ({ cells, message }) => row(cells, widths) + indented(onOneLine(message, LONGEST_BELOW), columns),
  );
  return row(heads, widths) + body.join("");
}

function indented(message: string, columns: number): string {
  return wrapped(message, columns - INDENT.length)
    .map((line) => `${INDENT}${line}\n`)
    .join("");
}

const INDENT = "    ";
const HEADS = ["NAME", "PHASE", "AVAILABLE", "CONTROL PLANE", "WORKERS", "AGE"] as const;

/** Ready and desired machines; control planes that run no machines of ours have none. */
function printedCount(count: ReadyCount | undefined): string {
  return count === undefined ? "-" : `${count.ready}/${count.desired}`;
}

// The object has all of a message. Two lines below a cluster are enough to know where to look.
const LONGEST_MESSAGE = 100;
const LONGEST_BELOW = 150;

function rowOf(facts: ClusterFacts, { isEverywhere, isWide = false, nowMs, paint }: Look): string[] {
  const { cluster, controlPlaneCount, workerCount } = facts;
  const { name, namespace = "", creationTimestamp = "" } = cluster.metadata;
  return [
    ...(isEverywhere ? [namespace] : []),
    name,
    cluster.status?.phase ?? "",
    availableOf(facts, paint),
    printedCount(controlPlaneCount),
    printedCount(workerCount),
    humanDuration(nowMs - Date.parse(creationTimestamp)),
    ...(isWide ? [endpointOf(cluster)] : []),
  ];
}

function endpointOf({ spec }: Frozen<Cluster>): string {
  const { host, port = 6443 } = spec.controlPlaneEndpoint ?? {};
  return host ? `${host}:${port}` : "-";
}

function availableOf({ available, needsUser }: ClusterFacts, paint: Paint): string {
  if (available === "Unknown") return paint.warn("Unknown");
  if (available === "True") return paint.good("True");
  return needsUser ? paint.bad("False") : paint.warn("False");
}
