import { CORE_PROVIDER_LABELS } from "../cluster/group.ts";
import { AGE_COLUMN, conditionColumn } from "../printer-columns.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector, labelSelectorProblem } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { dns1035LabelProblems, dns1123LabelProblems } from "../kubernetes/names.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  described,
  integer,
  listMap,
  mapOf,
  object,
  oneOf,
  optional,
  string,
} from "../schema/schema.ts";
import { type FieldError, forbidden, invalid, required } from "../values/field-error.ts";

const Service = object("A service in the cluster.", {
  namespace: string("The namespace of the service.", { minLength: 1, maxLength: 63 }),
  name: string("The name of the service.", { minLength: 1, maxLength: 63 }),
  path: optional(string("The prefix of the path of requests.", { minLength: 1, maxLength: 512 })),
  port: optional(integer("The port; default 443.")),
});

const ClientConfig = object(
  "The address of the extension.",
  {
    url: optional(
      string("The address, such as https://example.com/hooks.", { minLength: 1, maxLength: 512 }),
    ),
    service: optional(Service),
    caBundle: optional(
      string("The certificate authority to trust, as PEM in base64.", {
        format: "byte",
        minLength: 1,
        maxLength: 51200,
      }),
    ),
  },
  {
    rules: [
      { rule: "has(self.url) != has(self.service)", message: "exactly one of url and service must be set" },
    ],
  },
);

const Spec = object("The address of an extension, and the namespaces it is called for.", {
  clientConfig: ClientConfig,
  namespaceSelector: optional(
    described(
      "Selects the namespaces for whose objects the extension is called; default: all.",
      LabelSelector,
    ),
  ),
  settings: optional(mapOf("Settings that are sent with each request.", string("The value of a setting."))),
});

type ClientConfig = Static<typeof ClientConfig>;

const Handler = object("A handler of the extension.", {
  name: string("Its name, followed by that of the ExtensionConfig.", { minLength: 1, maxLength: 512 }),
  requestHook: object("The hook that it implements.", {
    apiVersion: string("The API version of the hook.", { minLength: 1, maxLength: 512 }),
    hook: string("The name of the hook.", { minLength: 1, maxLength: 256 }),
  }),
  timeoutSeconds: optional(integer("How long it may take to answer.")),
  failurePolicy: optional(oneOf("What happens when it does not answer.", ["Ignore", "Fail"])),
});

const Status = object("The observed state of the extension.", {
  handlers: optional(listMap("The handlers of the extension.", Handler, { keys: ["name"], maxItems: 512 })),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** Registers an extension: a server that Cluster API calls at certain points, such as an updater. */
export const ExtensionConfig = defineKind({
  group: "runtime.cluster.x-k8s.io",
  version: "v1alpha1",
  kind: "ExtensionConfig",
  plural: "extensionconfigs",
  scope: "Cluster",
  shortNames: ["ext"],
  description:
    "Registers an extension: a server that Cluster API calls at certain points, such as an updater.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [conditionColumn("Discovered", "Discovered"), conditionColumn("Paused", "Paused", 1), AGE_COLUMN],
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
