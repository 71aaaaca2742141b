import { existsSync } from "node:fs";
import { kubeconfigPath, savedClusters } from "@capstan/apiserver/layout";
import type { Env } from "@capstan/env";
import { clusterNameForUsers } from "@capstan/sim";
import { countObjects } from "../cluster/count-objects.ts";
import { connect, savedAccess } from "../cluster/transport.ts";
import { sizeOf } from "../data-directory/contents.ts";
import { isOurs } from "../data-directory/data-directory.ts";
import { holderOf } from "../data-directory/holder.ts";
import { EXIT } from "../exit-codes.ts";
import { size } from "../render/amounts.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { facts, tableWithin } from "../render/table.ts";
import { fitted, widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which data directory, and how to print its status. */
export interface StatusOptions {
  readonly dataDir: string;
  readonly output: OutputForm;
}

/** The status of one cluster. */
interface ClusterStatus {
  readonly name: string;
  readonly server: string;
  readonly kubeconfig: string;
  /** Unknown while the cluster does not run. */
  readonly objects?: number;
  readonly ready: boolean;
}

interface Status {
  readonly running: boolean;
  readonly pid?: number;
  readonly url?: string;
  readonly azureUrl?: string;
  readonly since?: string;
  readonly dataDirectory: string;
  readonly sizeBytes: number;
  readonly clusters: readonly ClusterStatus[];
}

// A server that has not answered by then counts as not ready.
const ANSWER_WITHIN_MS = 5000;

/** `capstan status`: reports what runs in a data directory. */
export async function status(shell: Shell, { dataDir, output }: StatusOptions): Promise<number> {
  const found = await look(shell.env, dataDir);
  const columns = widthFor(shell);
  shell.out.write(await printed(found, output, (isWide) => asText(found, { isWide, columns })));
  return found.running ? EXIT.done : EXIT.notRunning;
}

async function look(env: Env, dataDir: string): Promise<Status> {
  const isThere = existsSync(dataDir) && isOurs(dataDir);
  const holder = isThere ? holderOf(dataDir) : undefined;
  const clusters = [];
  for (const name of isThere ? savedClusters(dataDir) : []) {
    clusters.push(await clusterStatus(env, { dataDir, name, isRunning: holder !== undefined }));
  }
  return {
    running: holder !== undefined,
    ...(holder !== "unknown" && holder),
    dataDirectory: dataDir,
    sizeBytes: isThere ? sizeOf(dataDir) : 0,
    clusters,
  };
}

async function clusterStatus(
  env: Env,
  { dataDir, name, isRunning }: { dataDir: string; name: string; isRunning: boolean },
): Promise<ClusterStatus> {
  const access = savedAccess(dataDir, name);
  const known = { name, server: access?.server ?? "", kubeconfig: kubeconfigPath(dataDir, name) };
  if (!isRunning || !access) return { ...known, ready: false };
  const transport = connect(access);
  const late = new AbortController();
  const timer = env.clock.timer(ANSWER_WITHIN_MS, () => late.abort(new Error("no answer")));
  try {
    const { signal } = late;
    const probe = await transport.request({ method: "GET", path: "/readyz", headers: {}, signal });
    await probe.text();
    return { ...known, objects: await countObjects(transport, signal), ready: probe.status === 200 };
  } catch {
    // A server that does not answer is not ready, for any reason.
    return { ...known, ready: false };
  } finally {
    timer.cancel();
    await transport.close();
  }
}

function asText(found: Status, { isWide, columns }: { isWide: boolean; columns: number }): string {
  const { running, pid, url, azureUrl, since, dataDirectory, sizeBytes, clusters } = found;
  const head = facts([
    ["status", running ? "running" : `not running; start it with: capstan up --data-dir ${dataDirectory}`],
    ...(pid === undefined ? [] : [["pid", String(pid)] as const]),
    ...(url === undefined ? [] : [["url", url] as const]),
    ...(azureUrl === undefined ? [] : [["simulated azure", azureUrl] as const]),
    ...(since === undefined ? [] : [["since", since] as const]),
    ["data directory", `${dataDirectory} (${size(sizeBytes)})`],
  ]);
  if (clusters.length === 0) return head;
  const names = clusters.map(({ name }) => name);
  const rows = clusters.map(({ name, server, objects, ready, kubeconfig }) => [
    clusterNameForUsers(name, names),
    server,
    objects === undefined ? "-" : String(objects),
    ready ? "True" : "False",
    ...(isWide ? [kubeconfig] : []),
  ]);
  const headings = ["NAME", "SERVER", "OBJECTS", "READY", ...(isWide ? ["KUBECONFIG"] : [])];
  // The address of a cluster is that of the server above, with its name.
  const dispensable = isWide ? [] : ["SERVER"];
  return `${fitted(head, columns)}\n${tableWithin(headings, rows, { columns, dispensable })}`;
}
