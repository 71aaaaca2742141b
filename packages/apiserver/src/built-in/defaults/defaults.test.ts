import { describe, expect, test } from "vitest";
import { TestClient } from "../../testing.ts";
import { builtInKinds } from "../kinds.ts";

const CORE = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";

async function created(path: string, object: object): Promise<Record<string, unknown>> {
  const client = new TestClient({ kinds: builtInKinds });
  const { status, body } = await client.create(path, { metadata: { name: "a" }, ...object });
  expect([status, body.message]).toEqual([201, undefined]);
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = body as unknown as Record<string, unknown>;
  return rest;
}

const containers = [{ name: "main", image: "boat:1" }];
const labels = { app: "boat" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers } };

const CONTAINER = {
  name: "main",
  image: "boat:1",
  imagePullPolicy: "IfNotPresent",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};
const POD_SPEC = {
  containers: [CONTAINER],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  securityContext: {},
};
const TEMPLATE = { metadata: { labels }, spec: POD_SPEC };
const ROLLING = { type: "RollingUpdate" };
const toleration = (key: string): object => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});

/** An address of the range that kubeadm has for services. */
const ADDRESS = /^10\.(9[6-9]|10[0-9]|11[01])(\.\d{1,3}){2}$/;

describe("fields that objects leave out", () => {
  // As kube-apiserver 1.35 answers to the same objects.
  test.each<[string, string, object, object]>([
    [
      "a pod",
      `${CORE}/pods`,
      { spec: { containers } },
      {
        spec: {
          ...POD_SPEC,
          enableServiceLinks: true,
          priority: 0,
          preemptionPolicy: "PreemptLowerPriority",
          tolerations: [toleration("not-ready"), toleration("unreachable")],
        },
        status: { phase: "Pending", qosClass: "BestEffort" },
      },
    ],
    [
      "a deployment",
      `${APPS}/deployments`,
      { spec: { selector, template } },
      {
        spec: {
          replicas: 1,
          selector,
          template: TEMPLATE,
          strategy: { ...ROLLING, rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
        status: {},
      },
    ],
    [
      "a replica set",
      `${APPS}/replicasets`,
      { spec: { selector, template } },
      { spec: { replicas: 1, selector, template: TEMPLATE }, status: { replicas: 0 } },
    ],
    [
      "a stateful set",
      `${APPS}/statefulsets`,
      { spec: { selector, template, serviceName: "x" } },
      {
        spec: {
          replicas: 1,
          selector,
          template: TEMPLATE,
          serviceName: "x",
          podManagementPolicy: "OrderedReady",
          updateStrategy: { ...ROLLING, rollingUpdate: { partition: 0 } },
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        },
        status: { replicas: 0, availableReplicas: 0 },
      },
    ],
    [
      "a daemon set",
      `${APPS}/daemonsets`,
      { spec: { selector, template } },
      {
        spec: {
          selector,
          template: TEMPLATE,
          updateStrategy: { ...ROLLING, rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
          revisionHistoryLimit: 10,
        },
        status: {
          currentNumberScheduled: 0,
          numberMisscheduled: 0,
          desiredNumberScheduled: 0,
          numberReady: 0,
        },
      },
    ],
    [
      "a service",
      `${CORE}/services`,
      { spec: { type: "LoadBalancer", ports: [{ port: 80 }], sessionAffinity: "ClientIP" } },
      {
        spec: {
          type: "LoadBalancer",
          ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
          sessionAffinity: "ClientIP",
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
          externalTrafficPolicy: "Cluster",
          internalTrafficPolicy: "Cluster",
          allocateLoadBalancerNodePorts: true,
          clusterIP: expect.stringMatching(ADDRESS) as unknown,
          clusterIPs: [expect.stringMatching(ADDRESS) as unknown],
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
        },
        status: { loadBalancer: {} },
      },
    ],
    [
      "a node",
      "/api/v1/nodes",
      { spec: { podCIDRs: ["10.0.0.0/24"] }, status: { capacity: { cpu: "4000m" } } },
      {
        spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] },
        status: { capacity: { cpu: "4" }, allocatable: { cpu: "4" } },
      },
    ],
    [
      "a budget",
      "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
      {},
      { spec: {}, status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 } },
    ],
    ["a lease", "/apis/coordination.k8s.io/v1/namespaces/default/leases", {}, { spec: {} }],
    ["a secret", `${CORE}/secrets`, { data: { a: null }, type: "" }, { data: { a: "" }, type: "Opaque" }],
    [
      "a binding of a role",
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
      {
        roleRef: { kind: "ClusterRole", name: "view" },
        subjects: [
          { kind: "User", name: "a" },
          { kind: "ServiceAccount", name: "b", namespace: "d" },
        ],
      },
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "a" },
          { kind: "ServiceAccount", name: "b", namespace: "d" },
        ],
      },
    ],
  ])("get defaults: %s", async (_, path, object, expected) => {
    expect(await created(path, object)).toEqual(expected);
  });

  test.each([
    ["boat", "Always"],
    ["boat:latest", "Always"],
    ["registry:5000/boat", "Always"],
    ["boat:1", "IfNotPresent"],
    ["registry:5000/boat:1", "IfNotPresent"],
    [`boat@sha256:${"0".repeat(64)}`, "IfNotPresent"],
  ])("the image %s is pulled %s", async (image, imagePullPolicy) => {
    const { spec } = await created(`${CORE}/pods`, { spec: { containers: [{ name: "main", image }] } });
    expect(spec).toMatchObject({ containers: [{ imagePullPolicy }] });
  });

  test("parts of a pod get what they need", async () => {
    const { spec, status } = await created(`${CORE}/pods`, {
      spec: {
        hostNetwork: true,
        serviceAccount: "sailor",
        containers: [
          {
            name: "main",
            image: "boat:1",
            ports: [{ containerPort: 80 }],
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            resources: { limits: { cpu: "0.5", memory: "1024Mi" } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { grpc: { port: 1 } },
          },
        ],
        volumes: [
          { name: "e" },
          { name: "s", secret: { secretName: "x" } },
          { name: "h", hostPath: { path: "/" } },
          { name: "p", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
        ],
      },
    });
    const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    const amounts = { cpu: "500m", memory: "1Gi" };
    expect(status).toEqual({ phase: "Pending", qosClass: "Guaranteed" });
    expect(spec).toMatchObject({
      serviceAccountName: "sailor",
      containers: [
        {
          ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }],
          env: [{ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
          resources: { limits: amounts, requests: amounts },
          livenessProbe: { ...probe, httpGet: { port: 80, path: "/", scheme: "HTTP" } },
          readinessProbe: { ...probe, grpc: { port: 1, service: "" } },
        },
      ],
      volumes: [
        { name: "e", emptyDir: {} },
        { name: "s", secret: { defaultMode: 420 } },
        { name: "h", hostPath: { type: "" } },
        {
          name: "p",
          projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] },
        },
      ],
    });
  });

  test("a job selects its pods by its own uid", async () => {
    const client = new TestClient({ kinds: builtInKinds });
    const { body } = await client.create("/apis/batch/v1/namespaces/default/jobs", {
      metadata: { name: "a" },
      spec: { template: { spec: { containers, restartPolicy: "Never" } } },
    });
    const { uid } = body.metadata;
    expect(body.spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: { metadata: { labels: { "job-name": "a", "controller-uid": uid } } },
    });
  });

  test("an update that leaves out defaulted fields changes nothing", async () => {
    const client = new TestClient({ kinds: builtInKinds, fieldOwnership: "applied" });
    const deployment = { metadata: { name: "a" }, spec: { selector, template } };
    const first = await client.create(`${APPS}/deployments`, deployment);
    const second = await client.update(`${APPS}/deployments/a`, deployment);
    expect(second.body).toEqual(first.body);
    const service = { metadata: { name: "a" }, spec: { clusterIP: "10.0.0.1", ports: [{ port: 80 }] } };
    const one = await client.create(`${CORE}/services`, service);
    const { body } = await client.update(`${CORE}/services/a`, {
      ...service,
      spec: { ports: [{ port: 80 }] },
    });
    expect(body).toEqual(one.body);
  });
});
