import { CORE_PROVIDER_LABELS } from "../cluster/group.ts";
import { AGE_COLUMN, conditionColumn, PAUSED_COLUMN } from "../printer-columns.ts";
import { labelSelectorProblem } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { dns1035LabelProblems, dns1123LabelProblems } from "../kubernetes/names.ts";
import { extensionConfigV1Alpha1 } from "../conversion/extension-config.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import type { Static } from "../schema/schema.ts";
import { type FieldError, forbidden, invalid, required } from "../values/field-error.ts";
import { Spec, Status } from "./v1beta2/extension-config.ts";

type ClientConfig = Static<typeof Spec.properties.clientConfig>;

/** Registers an extension: a server that Cluster API calls at certain points, such as an updater. */
export const ExtensionConfig = defineKind({
  group: "runtime.cluster.x-k8s.io",
  version: "v1beta2",
  kind: "ExtensionConfig",
  plural: "extensionconfigs",
  scope: "Cluster",
  shortNames: ["ext"],
  description:
    "Registers an extension: a server that Cluster API calls at certain points, such as an updater.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [PAUSED_COLUMN, conditionColumn("Discovered", "Discovered"), AGE_COLUMN],
  converted: [extensionConfigV1Alpha1],
  applyDefaults(draft) {
    draft.spec.namespaceSelector ??= {};
    const { service } = draft.spec.clientConfig;
    if (service) service.port ??= 443;
  },
  validate({ object: config }) {
    const { clientConfig, namespaceSelector = {} } = config.spec;
    const problem = labelSelectorProblem(namespaceSelector);
    return [
      ...nameErrors("metadata.name", config.metadata.name, dns1123LabelProblems),
      ...clientErrors(clientConfig),
      ...urlErrors(clientConfig.url),
      ...serviceErrors(clientConfig.service),
      ...(problem === undefined ? [] : [invalid("spec.namespaceSelector", namespaceSelector, problem)]),
    ];
  },
});

/** Registers an extension: a server that Cluster API calls at certain points, such as an updater. */
export type ExtensionConfig = ObjectOf<typeof ExtensionConfig>;

const CLIENT = "spec.clientConfig";

function clientErrors({ url, service }: Frozen<ClientConfig>): FieldError[] {
  if (!url && !service) return [required(CLIENT, "either url or service must be defined")];
  return url && service ? [forbidden(CLIENT, "only one of url or service can be defined")] : [];
}

function urlErrors(url: string | undefined): FieldError[] {
  if (url === undefined) return [];
  const problem = urlProblem(URL.parse(url));
  return problem === undefined
    ? []
    : [invalid(`${CLIENT}.url`, url, `${problem}, such as https://example.com/hooks`)];
}

function urlProblem(url: URL | null): string | undefined {
  if (!url || url.hostname === "") return "must be a valid URL";
  if (url.protocol !== "https:") return "must use https";
  const extra = url.username + url.password + url.search + url.hash;
  return extra === "" ? undefined : "must have no user, query or fragment";
}

function serviceErrors(service: Frozen<ClientConfig>["service"]): FieldError[] {
  if (!service) return [];
  const field = `${CLIENT}.service`;
  const { path = "/", port = 443 } = service;
  return [
    ...nameErrors(`${field}.name`, service.name, dns1035LabelProblems),
    ...nameErrors(`${field}.namespace`, service.namespace, dns1123LabelProblems),
    ...(path.startsWith("/") && URL.canParse(path, "https://host")
      ? []
      : [invalid(`${field}.path`, path, "must be a path, such as /hooks")]),
    ...(port >= 1 && port <= 65535
      ? []
      : [invalid(`${field}.port`, port, "must be between 1 and 65535, inclusive")]),
  ];
}

function nameErrors(field: string, name: string, problems: (name: string) => string[]): FieldError[] {
  return problems(name).map((problem) => invalid(field, name, problem));
}
