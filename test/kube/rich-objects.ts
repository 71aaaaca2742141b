/** Parts of objects that use as many fields as a real kube-apiserver accepts. */

/** Labels, one of them empty. */
export const labels = { app: "a", "capstan.dev/with-a-dash": "" };
/** Metadata with everything that clients set. */
export const metadata = (name: string): object => ({
  name,
  labels,
  annotations: { note: "grüße\n", empty: "" },
  finalizers: ["capstan.dev/one", "capstan.dev/two"],
  ownerReferences: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "o",
      uid: "00000000-0000-4000-8000-000000000001",
      controller: false,
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "p",
      uid: "00000000-0000-4000-8000-000000000002",
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

/** A selector with both of its parts. */
export const selector = {
  matchLabels: { app: "a" },
  matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }],
};
/** A time as most fields have it. */
export const TIME = "2026-01-02T03:04:05Z";
/** A time as leases and events have it. */
export const MICRO_TIME = "2026-01-02T03:04:05.000006Z";
/** A condition. */
export const condition = {
  type: "Ready",
  status: "True",
  reason: "Yes",
  message: "",
  lastTransitionTime: TIME,
};

/** Volumes from many sources. */
export const volumes = [
  { name: "a", emptyDir: {} },
  { name: "b", emptyDir: { medium: "Memory", sizeLimit: "64Mi" } },
  {
    name: "c",
    configMap: { name: "c", optional: false, defaultMode: 0, items: [{ key: "k", path: "p", mode: 0 }] },
  },
  { name: "d", secret: { secretName: "s", optional: true } },
  { name: "e", hostPath: { path: "/tmp", type: "" } },
  { name: "f", persistentVolumeClaim: { claimName: "c", readOnly: true } },
  { name: "g", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
  {
    name: "h",
    projected: {
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
        { configMap: { name: "c" } },
        { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
        { downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }] } },
      ],
    },
  },
  { name: "i", csi: { driver: "d.example.com", volumeAttributes: { a: "b" }, readOnly: false } },
  { name: "j", nfs: { server: "s", path: "/" } },
  { name: "k", azureDisk: { diskName: "d", diskURI: "/subscriptions/s", kind: "Managed" } },
  { name: "l", azureFile: { secretName: "s", shareName: "n" } },
  { name: "m", iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.2001-04.com.example:s", lun: 0 } },
  {
    name: "n",
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "",
          resources: { requests: { storage: "1Gi" } },
        },
      },
    },
  },
];

/** A container with nearly everything that one can have. */
export const container = {
  name: "main",
  image: "i:1",
  command: ["a", ""],
  args: ["--x"],
  env: [
    { name: "A", value: "1" },
    { name: "B" },
    { name: "C", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "D", valueFrom: { configMapKeyRef: { name: "c", key: "k", optional: false } } },
    { name: "E", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
    { name: "F", valueFrom: { resourceFieldRef: { resource: "limits.cpu", containerName: "main" } } },
  ],
  envFrom: [{ configMapRef: { name: "c", optional: true } }, { prefix: "P_", secretRef: { name: "s" } }],
  ports: [
    { containerPort: 80, name: "http" },
    { containerPort: 53, protocol: "UDP" },
  ],
  resources: { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "2" } },
  volumeMounts: [
    { name: "a", mountPath: "/a" },
    { name: "b", mountPath: "/b", readOnly: true, subPath: "s" },
  ],
  livenessProbe: { httpGet: { path: "/", port: "http", httpHeaders: [{ name: "a", value: "b" }] } },
  readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 3 },
  startupProbe: { exec: { command: ["true"] }, terminationGracePeriodSeconds: 1 },
  lifecycle: { preStop: { sleep: { seconds: 1 } }, postStart: { exec: { command: ["true"] } } },
  securityContext: {
    privileged: false,
    runAsUser: 0,
    runAsNonRoot: false,
    capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
};

/** A pod with nearly everything that one can have. */
export const podSpec = {
  containers: [container, { name: "probe", image: "i", livenessProbe: { grpc: { port: 1, service: "" } } }],
  initContainers: [{ name: "first", image: "i", restartPolicy: "Always" }],
  volumes,
  nodeSelector: { disk: "ssd" },
  tolerations: [
    { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 },
    { operator: "Exists" },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["1"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 2, podAffinityTerm: { topologyKey: "zone", labelSelector: selector, namespaces: ["x"] } },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: selector,
      minDomains: 2,
    },
  ],
  securityContext: {
    runAsUser: 0,
    fsGroup: 2000,
    supplementalGroups: [0, 1, 300],
    sysctls: [{ name: "a.b", value: "1" }],
  },
  dnsPolicy: "None",
  dnsConfig: {
    nameservers: ["1.2.3.4"],
    searches: ["x"],
    options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
  },
  hostAliases: [{ ip: "1.2.3.4", hostnames: ["a", "b"] }],
  imagePullSecrets: [{ name: "s" }],
  terminationGracePeriodSeconds: 5,
  serviceAccountName: "s",
  automountServiceAccountToken: false,
  schedulingGates: [{ name: "wait" }],
  readinessGates: [{ conditionType: "capstan.dev/ok" }],
  enableServiceLinks: false,
  shareProcessNamespace: false,
};
/** What pods are made from. */
export const template = { metadata: { labels: { app: "a" }, annotations: { a: "b" } }, spec: podSpec };
/** Somebody to grant a role to. */
export const subjects = [
  { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
  { kind: "ServiceAccount", name: "s", namespace: "n" },
];
/** Rights. */
export const rules = [
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "*"], resourceNames: ["a"] },
  { apiGroups: ["apps"], resources: ["*"], verbs: ["list"] },
];
/** A role to grant. */
export const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" };
