import { builtInKind, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { Client } from "@capstan/runtime";

/** A webhook configuration, as far as its caBundle matters. */
export interface WebhookConfiguration extends KubernetesObject {
  webhooks?: { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

/** The name of both configurations. */
export const WEBHOOK_CONFIGURATION = "capstan";

const configurationKind = (kind: string, plural: string): Kind<WebhookConfiguration> =>
  builtInKind({ group: "admissionregistration.k8s.io", version: "v1", kind, plural, namespaced: false });

/** The kinds of configuration: one for defaults, one for validation. */
export const webhookConfigurationKinds: readonly Kind<WebhookConfiguration>[] = [
  configurationKind("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  configurationKind("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
];

/** A configuration with another caBundle. */
export interface Distrust {
  readonly kind: Kind<WebhookConfiguration>;
  readonly configuration: Frozen<WebhookConfiguration>;
}

/** The configurations that do not have this bundle yet. A missing configuration needs none. */
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

/** Writes the bundle to a configuration, unless another client has changed it since the read. */
export async function trust(
  client: Client,
  { kind, configuration }: Distrust,
  bundle: string,
): Promise<void> {
  const { name, resourceVersion } = configuration.metadata;
  // Webhooks are patched by index, which is valid for this resourceVersion only.
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
