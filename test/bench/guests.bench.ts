/**
 * `capstan manager` as a process with the rights of its ServiceAccount, on a real kube-apiserver, with machines of
 * `capstan azure-sim --guests`; etcd is reached by port-forwards.
 *
 * `npm run bench -- guests 10 500` takes 10 clusters of one control plane and one worker, and then one cluster of 500 workers.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { KubeadmControlPlane, MachineDeployment } from "@capstan/api";
import { killAll } from "../journeys/capstan.ts";
import { type GuestAzure, startGuestAzure } from "../kube/guest-azure.ts";
import { guestCluster } from "../kube/guest-cluster.ts";
import {
  type AuditEvent,
  eventually,
  type Management,
  requestsOf,
  type RunningManager,
  startManagementWith,
} from "../kube/management.ts";
import { printTable } from "./table.ts";

const MANAGER = "system:serviceaccount:capstan-system:capstan-manager";
const WRITES = new Set(["create", "update", "patch", "delete"]);
// The last writes come after the last machine is available.
const QUIET_MS = 10_000;
const LIMIT_MS = 30 * 60_000;

interface Place {
  readonly management: Management<GuestAzure>;
  readonly manager: RunningManager;
}

const [, clusters = "10", machines = "500"] = process.argv.slice(2);
const rows = [];
if (Number(clusters) > 0) rows.push(await measured(Number(clusters), 1));
if (Number(machines) > 0) rows.push(await measured(1, Number(machines)));
printTable(
  [
    "clusters",
    "workers each",
    "s",
    "writes each",
    "of these Azure's kinds",
    "memory of the manager at rest, MB",
  ],
  rows,
);

async function measured(count: number, workers: number): Promise<readonly string[]> {
  const management = await startManagementWith({ startAzure: startGuestAzure });
  try {
    await management.capstan("init", "--kubeconfig", management.plane.kubeconfig);
    const manager = await management.startManager();
    return await rowOf({ management, manager }, count, workers);
  } finally {
    killAll();
    await management.stop();
  }
}

async function rowOf({ management, manager }: Place, count: number, workers: number): Promise<string[]> {
  // A manager that begins writes certificates and CRDs.
  const before = requestsOf(management.plane, MANAGER).filter(isWrite).length;
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) {
    const cluster = { name: `c${index}`, host: `127.90.${index}.1` };
    const replicas = { KubeadmControlPlane: 1, MachineDeployment: workers };
    const manifests = guestCluster({ ...cluster, replicas }).filter((text) => !text.includes("-pool"));
    // kube-apiserver needs a moment until it calls the webhooks of the manager.
    await eventually(async () => void (await management.apply(manifests.join("---\n"))));
  }
  await eventually(async () => {
    const planes = await management.client.list(KubeadmControlPlane);
    const deployments = await management.client.list(MachineDeployment);
    const isDone =
      planes.every(({ status }) => status?.availableReplicas === 1) &&
      deployments.every(({ status }) => status?.availableReplicas === workers);
    if (!isDone) throw new Error("not all machines are available");
  }, LIMIT_MS);
  const seconds = (performance.now() - startedMs) / 1000;
  await sleep(QUIET_MS);
  const writes = requestsOf(management.plane, MANAGER).filter(isWrite).slice(before);
  const azure = writes.filter(({ objectRef }) => objectRef?.apiGroup === "infrastructure.cluster.x-k8s.io");
  const each = (number: number): string => (number / count).toFixed(1);
  return [
    String(count),
    String(workers),
    seconds.toFixed(0),
    each(writes.length),
    each(azure.length),
    String(memoryMbOf(manager)),
  ];
}

function isWrite({ verb, objectRef, responseStatus }: AuditEvent): boolean {
  const { resource = "" } = objectRef ?? {};
  return (
    WRITES.has(verb) && resource !== "events" && resource !== "leases" && (responseStatus?.code ?? 0) < 300
  );
}

/** What of the memory of the process is in RAM. */
function memoryMbOf({ child }: RunningManager): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb) / 1024);
}
