import {
  AzureMachinePool,
  builtInKind,
  type CustomKind,
  CustomResourceDefinition,
  type Frozen,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import { type ReviewConfiguration, takeOverProblems } from "@capstan/manager";
import { type Client, isNotServed } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";

const CONFIGURATIONS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map((kind) =>
  builtInKind<ReviewConfiguration>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: false,
  }),
);

/** Refuses to take kinds over where that would fail half-way, or damage clusters. It only reads. */
export async function refuseUnsafeTakeOver(client: Client, kinds: readonly CustomKind[]): Promise<void> {
  const definitions = await client.list(CustomResourceDefinition);
  const configurations = (await Promise.all(CONFIGURATIONS.map((kind) => client.list(kind)))).flat();
  const operator = definitions.filter(({ spec }) => spec.group.endsWith(".azure.com"));
  const operatorObjects = (await Promise.all(operator.map((one) => objectsOf(client, kindIn(one))))).flat();
  const problems = takeOverProblems({
    kinds,
    definitions,
    configurations,
    pools: kinds.includes(AzureMachinePool) ? await objectsOf(client, AzureMachinePool) : [],
    operatorObjects,
  });
  if (problems.length === 0) return;
  throw new CommandError(
    `this cluster cannot be taken over as it is, and nothing was changed:\n  ${problems.join("\n  ")}`,
  );
}

function kindIn({ spec }: Frozen<CustomResourceDefinition>): Kind {
  const { kind, plural } = spec.names;
  const version = spec.versions.find(({ storage }) => storage)?.name ?? "";
  return builtInKind({ group: spec.group, version, kind, plural, namespaced: spec.scope === "Namespaced" });
}

async function objectsOf<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
): Promise<readonly Frozen<T>[]> {
  try {
    return await client.list(kind);
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}
