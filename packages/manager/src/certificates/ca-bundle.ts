import { builtInKind, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { Client } from "@capstan/runtime";

/** A configuration of webhooks, as far as it says whom kube-apiserver trusts. */
export interface WebhookConfiguration extends KubernetesObject {
  webhooks?: { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

/** Both of our configurations have this name. */
export const WEBHOOK_CONFIGURATION = "capstan";

const configurationKind = (kind: string, plural: string): Kind<WebhookConfiguration> =>
  builtInKind({ group: "admissionregistration.k8s.io", version: "v1", kind, plural, namespaced: false });

/** The kinds of configuration: one for defaults, one for rules. */
export const webhookConfigurationKinds: readonly Kind<WebhookConfiguration>[] = [
  configurationKind("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  configurationKind("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
];

/** A configuration that trusts somebody else. */
export interface Distrust {
  readonly kind: Kind<WebhookConfiguration>;
  readonly configuration: Frozen<WebhookConfiguration>;
}

/** The configurations that do not trust this bundle yet. One that is not installed asks nobody. */
export async function distrusting(client: Client, bundle: string): Promise<readonly Distrust[]> {
  const found = await Promise.all(
    webhookConfigurationKinds.map(async (kind) => ({
      kind,
      configuration: await client.find(kind, { name: WEBHOOK_CONFIGURATION }),
    })),
  );
  return found.flatMap(({ kind, configuration }) =>
    configuration && trustPatch(configuration, bundle).length > 0 ? [{ kind, configuration }] : [],
  );
}

/** Makes a configuration trust the bundle, unless somebody has changed it meanwhile. */
export async function trust(
  client: Client,
  { kind, configuration }: Distrust,
  bundle: string,
): Promise<void> {
  const { name, resourceVersion } = configuration.metadata;
  // Webhooks are patched by their places, which are right for this version only.
  const sameVersion = { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion };
  await client.patch(
    kind,
    { name },
    { type: "json", body: [sameVersion, ...trustPatch(configuration, bundle)] },
  );
}

function trustPatch({ webhooks = [] }: Frozen<WebhookConfiguration>, bundle: string): readonly object[] {
  const value = Buffer.from(bundle).toString("base64");
  return webhooks.flatMap(({ clientConfig }, index) =>
    clientConfig.caBundle === value
      ? []
      : [{ op: "add", path: `/webhooks/${index}/clientConfig/caBundle`, value }],
  );
}
