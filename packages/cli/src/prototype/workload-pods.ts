import { type Cluster, type Frozen, Pod, Secret } from "@capstan/api";
import { type Env, TransportError } from "@capstan/env";
import { connectToCluster, readKubeconfig } from "@capstan/manager";
import { type Client, createClient, Failure } from "@capstan/runtime";
import type { MeasuredMachine, PodsByNode } from "./benefit.ts";

const LIMIT_MS = 10_000;

/** The pods of machines, or why they cannot be read. */
export type ReadPods = { readonly pods: PodsByNode } | { readonly why: string };

/** Reads the pods on the Nodes of machines from their workload cluster, with the kubeconfig in its Secret. */
export async function readPods(
  { env, client }: { readonly env: Env; readonly client: Client },
  cluster: Frozen<Cluster>,
  machines: readonly MeasuredMachine[],
): Promise<ReadPods> {
  const { namespace } = cluster.metadata;
  const name = `${cluster.metadata.name}-kubeconfig`;
  try {
    const secret = await client.find(Secret, { name, namespace });
    const value = secret?.data?.["value"];
    if (value === undefined) return { why: `there is no kubeconfig in Secret ${namespace}/${name}` };
    // It refuses plugins and files: a Secret must not run a program on the machine of the user.
    const facts = readKubeconfig(Buffer.from(value, "base64").toString(), `Secret ${namespace}/${name}`);
    const transport = connectToCluster(facts);
    try {
      const options = { transport, env, fieldManager: "capstan-cli", timeoutMs: LIMIT_MS };
      return { pods: await podsOn(createClient(options), machines) };
    } finally {
      await transport.close();
    }
  } catch (error) {
    if (error instanceof Failure || error instanceof TransportError) return { why: error.message };
    throw error;
  }
}

async function podsOn(workload: Client, machines: readonly MeasuredMachine[]): Promise<PodsByNode> {
  const names = machines.flatMap(({ nodeName }) => nodeName ?? []);
  return new Map(
    await Promise.all(
      names.map(
        async (name) => [name, await workload.list(Pod, { fieldSelector: `spec.nodeName=${name}` })] as const,
      ),
    ),
  );
}
