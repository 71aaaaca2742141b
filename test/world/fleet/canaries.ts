import { customKinds, Event, Secret } from "@capstan/api";
import { DEFAULT_PRINCIPAL } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { createLogger, type Logger } from "@capstan/runtime";
import { type FaultSpec, type Rehearsal, rehearse, type World } from "@capstan/sim";
import {
  createCluster,
  createIdentity,
  createPool,
  giveAuthority,
  MINUTE_MS,
  NAMESPACE,
} from "../kit/fleet-world.ts";

/** Texts that stand for secrets; each may appear only in its own place. */
export const CANARIES = {
  clientSecret: "canary-client-secret-7f3a91",
  kubeconfigKey: "canary-kubeconfig-key-55d0c2",
  kubeconfigToken: "canary-kubeconfig-token-b9e114",
  fileContent: "canary-file-content-20a7ee",
  password: "canary-password-ef00d1",
} as const;

/** The outputs that people and programs may read, after a run. */
export interface Surfaces {
  readonly log: string;
  readonly events: string;
  readonly statuses: string;
  readonly azure: string;
  readonly trace: string;
  readonly metrics: string;
}

export interface CanaryOptions {
  readonly seed: string;
  readonly faults?: readonly FaultSpec[];
  /** The content of the identity's Secret; by default the right one. */
  readonly clientSecret?: string;
  /** Additional fields of the Cluster's kubeconfig; by default it works. */
  readonly kubeconfig?: string;
}

/** Runs a cluster with secrets, and returns all its outputs. */
export async function runWithCanaries(options: CanaryOptions): Promise<Surfaces & { readonly world: World }> {
  const lines: string[] = [];
  const log = loggerInto(lines);
  const run = await rehearse(storyOf(options, log), options.faults ?? []);
  const { world } = run;
  const objects = customKinds.flatMap(({ group, plural }) => objectsOf(world, `${group}/${plural}`));
  return {
    world,
    log: `${lines.join("")}${run.failure?.message ?? ""}`,
    events: JSON.stringify(objectsOf(world, `${Event.group}/${Event.plural}`)),
    // Users decide themselves what they write to a spec.
    statuses: JSON.stringify(objects.map((object) => ({ ...object, spec: undefined }))),
    azure: JSON.stringify([
      [...world.azure.core.world.resources.table.entries()].map(([key, { body }]) => [key, body]),
      world.azure.control.journal(),
    ]),
    trace: JSON.stringify(world.trace.events),
    metrics: world.managers
      .running()
      .map(({ runner }) => runner.metrics.print())
      .join("\n"),
  };
}

function objectsOf(world: World, resource: string): readonly object[] {
  return [...world.management.storage.list({ resource })];
}

function loggerInto(lines: string[]): Logger {
  const env = new VirtualProcess(new Scheduler({ seed: "log" }), "log");
  return createLogger(env, "debug", { write: (line) => void lines.push(line) });
}

function storyOf(options: CanaryOptions, log: Logger): Rehearsal {
  const principals = [{ ...DEFAULT_PRINCIPAL, clientSecret: CANARIES.clientSecret }];
  return {
    world: { seed: options.seed, controllers: simulatedControllers, log, azure: { principals } },
    story: async (world) => {
      await createIdentity(world, options.clientSecret ?? CANARIES.clientSecret);
      await giveKubeconfig(world, options.kubeconfig ?? kubeconfig({}));
      await createCluster(world, "demo");
      await giveAuthority(world, "demo");
      await createPool(world, "demo", {
        config: {
          files: [{ path: "/etc/patch.yaml", content: CANARIES.fileContent, permissions: "0600" }],
          users: [{ name: "admin", passwd: CANARIES.password }],
          preKubeadmCommands: [`echo ${CANARIES.fileContent}`],
        },
      });
      await world.rest(30 * MINUTE_MS);
    },
  };
}

/** A kubeconfig of the user for the simulated cluster, with secrets in it. */
export function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://clusters.invalid/demo", ...cluster } }],
    users: [{ name: "u", user: { token: CANARIES.kubeconfigToken, ...user } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** The simulated control planes do not change a Secret of another type. */
async function giveKubeconfig(world: World, text: string): Promise<void> {
  const data = { value: Buffer.from(text).toString("base64") };
  const metadata = { name: "demo-kubeconfig", namespace: NAMESPACE };
  await world.run(world.user.create(Secret, { metadata, type: "Opaque", data }));
}
