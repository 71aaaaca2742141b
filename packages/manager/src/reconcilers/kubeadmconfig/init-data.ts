import { type Frozen, Secret } from "@capstan/api";
import { createIfMissing, next, type Outcome, terminal } from "@capstan/runtime";
import { initData } from "../../bootstrap/init-data.ts";
import { refusalOf, sizeProblem } from "../../bootstrap/worker-data.ts";
import { certificateFiles } from "./certificate-files.ts";
import { type Fields, foreignProblem, newSecret, readStored } from "./data-secret.ts";
import { takeInitLock } from "./init-lock.ts";
import { publish } from "./publish.ts";
import { noData, type Scope } from "./scope.ts";
import { readSecretValues } from "./secret-values.ts";

/** Writes the bootstrap data of the first machine of a control plane, once: a machine runs it only at its first boot. */
export async function makeInitData(scope: Scope): Promise<Outcome> {
  try {
    const { context, config } = scope;
    const { name, namespace } = config.metadata;
    const secret = await context.client.find(Secret, { name, namespace });
    const why = isMade(scope, secret) ? undefined : await write(scope);
    publish(scope, { token: undefined, why });
    return next;
  } catch (error) {
    throw noData(scope.context, error);
  }
}

function isMade({ config }: Scope, secret: Frozen<Secret> | undefined): boolean {
  const problem = secret && foreignProblem(secret, config);
  if (problem !== undefined) throw terminal("DataSecretGenerationFailed", problem);
  return secret !== undefined && readStored(secret).value !== undefined;
}

async function write(scope: Scope): Promise<string> {
  const { context, config, cluster } = scope;
  const refusal = refusalOf(config.spec);
  if (refusal !== undefined) throw terminal("DataSecretGenerationFailed", refusal);
  await takeInitLock(scope);
  const data = await print(scope);
  const fields: Fields = { value: encoded(data), format: encoded("cloud-config") };
  // A Secret that was written before a crash, and not read above, is found by the next pass.
  await createIfMissing(context.client, Secret, newSecret(config, cluster.metadata.name, fields));
  return "the machine initializes the control plane";
}

async function print(scope: Scope): Promise<string> {
  const { config, cluster, endpoint, version, kubernetesVersion } = scope;
  const data = initData({
    spec: config.spec,
    version,
    facts: {
      clusterName: cluster.metadata.name,
      endpoint,
      kubernetesVersion,
      network: cluster.spec.clusterNetwork,
    },
    values: await readSecretValues(scope),
    certificates: await certificateFiles(scope),
  });
  const problem = sizeProblem(data);
  if (problem !== undefined) throw terminal("DataSecretGenerationFailed", problem);
  return data;
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
