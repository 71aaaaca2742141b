import {
  inNamespace,
  LABELS,
  MANAGER,
  type Manifest,
  NAMESPACE,
  PORTS,
  SELECTOR,
  type Selection,
} from "./names.ts";

/** The namespace admits only pods without privileges. */
export const managerNamespace: Manifest = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: NAMESPACE,
    labels: {
      ...LABELS,
      "pod-security.kubernetes.io/enforce": "restricted",
      "pod-security.kubernetes.io/warn": "restricted",
      "pod-security.kubernetes.io/audit": "restricted",
    },
  },
};

/** The manager's Deployment and the objects that belong to it. */
export function managerObjects(image: string, { names }: Pick<Selection, "names">): readonly Manifest[] {
  const args = ["manager", ...(names ? [`--controllers=${names.join()}`] : [])];
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: inNamespace(MANAGER),
      spec: {
        // One replica leads, the other is on standby with a warm cache; both answer webhooks.
        replicas: 2,
        selector: { matchLabels: SELECTOR },
        // A manager whose webhooks do not answer never replaces one whose webhooks do.
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: { metadata: { labels: { ...LABELS, ...SELECTOR } }, spec: podSpec(image, args) },
      },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: inNamespace(MANAGER),
      spec: { minAvailable: 1, selector: { matchLabels: SELECTOR } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: inNamespace("capstan-metrics"),
      spec: {
        selector: SELECTOR,
        ports: [{ name: "metrics", port: PORTS.health, protocol: "TCP", targetPort: "health" }],
      },
    },
  ];
}

function podSpec(image: string, args: readonly string[]): object {
  return {
    serviceAccountName: MANAGER,
    // A manager stops in well under 10 s and releases its Lease, so the next one does not wait for it to expire.
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    // Preferred only: on a management cluster of one node both run there.
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchLabels: SELECTOR },
              topologyKey: "kubernetes.io/hostname",
            },
          },
        ],
      },
    },
    tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" }],
    containers: [container(image, args)],
    volumes: [{ name: "azure-identity", projected: { sources: [{ serviceAccountToken: AZURE_TOKEN }] } }],
  };
}

/** The token that Entra accepts for workload identity; the pod has it even without Azure's own webhook. */
const AZURE_TOKEN = {
  audience: "api://AzureADTokenExchange",
  expirationSeconds: 3600,
  path: "azure-identity-token",
};

function container(image: string, args: readonly string[]): object {
  const probe = (path: string, rest: object): object => ({ httpGet: { path, port: "health" }, ...rest });
  return {
    name: "manager",
    image,
    args,
    ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort, protocol: "TCP" })),
    livenessProbe: probe("/healthz", { initialDelaySeconds: 10, periodSeconds: 10, timeoutSeconds: 5 }),
    // Ready means that webhooks are answered; /readyz/controllers tells about the cache (docs/adr/0022).
    readinessProbe: probe("/readyz", { periodSeconds: 5, timeoutSeconds: 5 }),
    // No CPU limit: a throttled manager loses its Lease.
    resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [{ name: "azure-identity", mountPath: "/var/run/secrets/azure/tokens", readOnly: true }],
  };
}
