import type { CustomKind } from "@capstan/api";
import { WEBHOOK_CONFIGURATION, WEBHOOK_SERVICE } from "@capstan/manager";
import { inNamespace, LABELS, type Manifest, NAMESPACE, PORTS, SELECTOR, type Selection } from "./names.ts";

/** How kube-apiserver calls the manager about our kinds. The leading manager fills in the CA bundle. */
export function webhookObjects({ kinds }: Pick<Selection, "kinds">): readonly Manifest[] {
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: inNamespace(WEBHOOK_SERVICE),
      spec: {
        selector: SELECTOR,
        ports: [{ name: "webhooks", port: 443, protocol: "TCP", targetPort: PORTS.webhooks }],
      },
    },
    configuration("MutatingWebhookConfiguration", "mutate", kinds),
    configuration("ValidatingWebhookConfiguration", "validate", kinds),
  ];
}

function configuration(kind: string, verb: string, kinds: readonly CustomKind[]): Manifest {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: WEBHOOK_CONFIGURATION, labels: LABELS },
    webhooks: [
      {
        name: `${verb}.capstan.cluster.x-k8s.io`,
        admissionReviewVersions: ["v1"],
        clientConfig: {
          service: { name: WEBHOOK_SERVICE, namespace: NAMESPACE, path: `/${verb}`, port: 443 },
        },
        // Without a review, an invalid object would be discovered only when machines depend on it.
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        sideEffects: "None",
        timeoutSeconds: 10,
        rules: rules(kinds),
      },
    ],
  };
}

function rules(kinds: readonly CustomKind[]): readonly object[] {
  return [...Map.groupBy(kinds, ({ apiVersion }) => apiVersion).values()].map((some) => ({
    apiGroups: [some[0]?.group],
    apiVersions: [some[0]?.version],
    operations: ["CREATE", "UPDATE"],
    resources: some.map(({ plural }) => plural),
    scope: "*",
  }));
}
