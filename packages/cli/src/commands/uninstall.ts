import { builtInKind, Cluster, CustomResourceDefinition, type Frozen, type Kind } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import { type Client, createClient, deleteIfExists, unlessGone } from "@capstan/runtime";
import { boundedTransport } from "../cluster/bounded-transport.ts";
import { connectToManagement, type ManagementAccess } from "../cluster/management-access.ts";
import { refuseUnsuitable } from "../cluster/unsuitable-cluster.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { kindFor } from "../install/apply.ts";
import { installedKinds, LABELS, NAMESPACE } from "../install/names.ts";
import {
  described,
  type InstalledDefinition,
  planRemoval,
  type RemovalOptions,
  type RemovalStep,
  withoutConversion,
} from "../install/removal.ts";
import { paintFor } from "../render/paint.ts";
import type { Shell } from "../shell.ts";

/** What to remove, and from where. */
export interface UninstallOptions extends ManagementAccess, RemovalOptions {
  /** Prints the steps and changes nothing. */
  readonly dryRun: boolean;
}

/** `capstan uninstall`: removes what `capstan init` has installed, the manager last, and prints what it did. */
export async function uninstall(shell: Shell, options: UninstallOptions): Promise<number> {
  const { env, out, variables } = shell;
  const paint = paintFor(out, variables);
  const { transport: connection, origin } = await connectToManagement(shell, options);
  const transport = boundedTransport(env, connection, origin);
  try {
    await refuseUnsuitable(transport, "capstan uninstall");
    await remove({ env, transport, say: (line) => out.write(`${paint.tick}${line}\n`) }, options);
  } finally {
    await transport.close();
  }
  if (!options.dryRun && !options.includeNamespace)
    out.write(`\nNamespace ${NAMESPACE} is kept, because it may hold Secrets of yours\n`);
  return EXIT.done;
}

/** The dependencies of a removal. */
export interface RemovalPorts {
  readonly env: Env;
  readonly transport: Transport;
  /** Prints a line about what was done, or would be. */
  readonly say: (line: string) => void;
}

/** Removes an installation, or says what it would do. It is idempotent: what is gone already is left out. */
export async function remove(
  { env, transport, say }: RemovalPorts,
  options: RemovalOptions & Pick<UninstallOptions, "dryRun">,
): Promise<void> {
  const client = createClient({ transport, env, fieldManager: "capstan-init" });
  const removal = planRemoval(await installedDefinitions(client), options);
  if (removal.state === "refused") throw new CommandError(removal.why);
  for (const step of removal.steps) {
    const isDone = options.dryRun || (await carryOut({ client, env }, step));
    if (isDone) say(`${wordFor(step, options)} ${described(step)}`);
  }
}

function wordFor({ action }: RemovalStep, { dryRun }: { readonly dryRun: boolean }): string {
  if (action === "stopConversion") return dryRun ? "would end" : "ended";
  return dryRun ? "would delete" : "deleted";
}

/** Our CRDs, with the numbers of their objects. Objects are read in the stored version, which needs no conversion. */
async function installedDefinitions(client: Client): Promise<readonly InstalledDefinition[]> {
  const names = new Set(installedKinds.map(({ plural, group }) => `${plural}.${group}`));
  const managedBy = "app.kubernetes.io/managed-by";
  const labelSelector = `${managedBy}=${LABELS[managedBy]}`;
  const ours = (await client.list(CustomResourceDefinition, { labelSelector })).filter(({ metadata }) =>
    names.has(metadata.name),
  );
  return Promise.all(
    ours.map(async (definition) => ({
      definition,
      objects: (await client.list(storedKind(definition))).length,
    })),
  );
}

function storedKind({ spec }: Frozen<CustomResourceDefinition>): Kind {
  const { kind, plural } = spec.names;
  const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
  return builtInKind({ group: spec.group, version, kind, plural, namespaced: spec.scope === "Namespaced" });
}

interface StepPorts {
  readonly client: Client;
  readonly env: Env;
}

/** Carries out a step; false if there was nothing to do. */
async function carryOut(ports: StepPorts, step: RemovalStep): Promise<boolean> {
  const { client } = ports;
  switch (step.action) {
    case "deleteObject":
      return deleteIfExists(client, kindFor(step.manifest), step.manifest.metadata);
    case "deleteClusters":
      return deleteClusters(ports);
    case "deleteDefinitions":
      return deleteDefinitions(ports, step.names);
    case "stopConversion": {
      const body = withoutConversion(step.definition);
      const { name } = step.definition.metadata;
      return unlessGone(client.patch(CustomResourceDefinition, { name }, { type: "json", body }));
    }
  }
}

/** Asks for all of them first: the API server deletes the objects of each, and the manager finishes what they stand for. */
async function deleteDefinitions(ports: StepPorts, names: readonly string[]): Promise<boolean> {
  const { client } = ports;
  for (const name of names) await deleteIfExists(client, CustomResourceDefinition, { name });
  for (const name of names) {
    const isGone = async (): Promise<boolean> =>
      (await client.find(CustomResourceDefinition, { name })) === undefined;
    await until(ports, `Objects of CustomResourceDefinition ${name}`, isGone);
  }
  return true;
}

async function deleteClusters(ports: StepPorts): Promise<boolean> {
  const { client } = ports;
  for (const { metadata } of await client.list(Cluster)) await deleteIfExists(client, Cluster, metadata);
  return until(ports, "Clusters", async () => (await client.list(Cluster)).length === 0);
}

// Azure needs up to twenty minutes for the machines of a large cluster, and they go in turns.
const GONE_WITHIN_MS = 60 * 60_000;
const POLL_MS = 500;

/** Waits for what the manager and the API server delete. */
async function until({ env }: StepPorts, what: string, isGone: () => Promise<boolean>): Promise<true> {
  const deadlineMs = env.clock.monotonic() + GONE_WITHIN_MS;
  while (!(await isGone())) {
    if (env.clock.monotonic() > deadlineMs)
      throw new CommandError(
        `${what} are not deleted after ${GONE_WITHIN_MS / 60_000} minutes; the manager still runs: see kubectl get clusters,machines -A, then repeat capstan uninstall`,
      );
    await env.clock.sleep(POLL_MS);
  }
  return true;
}
