import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeKubernetesProtobuf } from "../../packages/apiserver/src/protobuf/decode.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import {
  labels,
  metadata,
  selector,
  TIME,
  MICRO_TIME,
  condition,
  volumes,
  container,
  podSpec,
  template,
  subjects,
  rules,
  roleRef,
} from "./rich-objects.ts";

const JSON_TYPE = "application/json";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

type Fields = Readonly<Record<string, unknown>>;

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly "certificate-authority-data": string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

let plane: ControlPlane;
let ca: Buffer;
let token: string;

beforeAll(async () => {
  plane = await startControlPlane();
  const config = JSON.parse(readFileSync(plane.kubeconfig, "utf8")) as Kubeconfig;
  ca = Buffer.from(config.clusters[0]?.cluster["certificate-authority-data"] ?? "", "base64");
  token = config.users[0]?.user.token ?? "";
});
afterAll(() => plane.stop());

interface Call {
  readonly method?: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: unknown;
}

/** Sends a request and reads the answer as bytes, which our transport does not do. */
async function call(
  path: string,
  { method = "GET", accept = JSON_TYPE, type = JSON_TYPE, body }: Call = {},
): Promise<Buffer> {
  const headers = { accept, "content-type": type, authorization: `Bearer ${token}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(new URL(path, plane.url), { method, headers, ca }, resolve);
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const answer = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${answer.toString("utf8")}`);
  return answer;
}

/** An object as JSON without nulls: Go writes them for lists and times that were never set. */
function readJson(answer: Buffer): unknown {
  return JSON.parse(answer.toString("utf8"), (_, value: unknown) => (value === null ? undefined : value));
}

interface Case {
  readonly kind: string;
  /** Where objects of the kind are. */
  readonly path: string;
  readonly object: Fields;
  readonly status?: Fields;
}

const core = (plural: string): string => `/api/v1/namespaces/default/${plural}`;
const group = (name: string, plural: string): string => `/apis/${name}/v1/namespaces/default/${plural}`;
const rbac = "/apis/rbac.authorization.k8s.io/v1";

const CASES: readonly Case[] = [
  { kind: "v1 Namespace", path: "/api/v1/namespaces", object: {} },
  {
    kind: "v1 ConfigMap",
    path: core("configmaps"),
    object: { data: { a: "1", b: "" }, binaryData: { c: "AP8=" }, immutable: false },
  },
  {
    kind: "v1 Secret",
    path: core("secrets"),
    object: { data: { a: "AP8=", b: "" }, type: "capstan.dev/x", immutable: true },
  },
  {
    kind: "v1 ServiceAccount",
    path: core("serviceaccounts"),
    object: {
      secrets: [{ name: "s" }],
      imagePullSecrets: [{ name: "p" }],
      automountServiceAccountToken: false,
    },
  },
  {
    kind: "v1 Service",
    path: core("services"),
    object: {
      spec: {
        selector: labels,
        ports: [
          { name: "a", port: 80, targetPort: "http", appProtocol: "h2c" },
          { name: "b", port: 53, targetPort: 5353, protocol: "UDP" },
        ],
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        externalIPs: ["1.2.3.4"],
        publishNotReadyAddresses: true,
      },
    },
    status: {
      loadBalancer: {},
      conditions: [condition],
    },
  },
  {
    kind: "v1 Pod",
    path: core("pods"),
    object: { spec: podSpec },
    status: {
      phase: "Running",
      hostIP: "1.2.3.4",
      hostIPs: [{ ip: "1.2.3.4" }],
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      startTime: TIME,
      conditions: [{ ...condition, lastProbeTime: TIME, observedGeneration: 1 }],
      containerStatuses: [
        {
          name: "main",
          image: "i:1",
          imageID: "",
          ready: false,
          restartCount: 0,
          started: false,
          state: { waiting: { reason: "Because", message: "of this" } },
          lastState: { terminated: { exitCode: 0, startedAt: TIME, finishedAt: TIME, reason: "Completed" } },
          user: { linux: { uid: 0, gid: 0, supplementalGroups: [0, 5] } },
          allocatedResources: { cpu: "1" },
        },
        {
          name: "probe",
          image: "i",
          imageID: "x",
          ready: true,
          restartCount: -1,
          state: { running: { startedAt: TIME } },
        },
      ],
    },
  },
  {
    kind: "v1 Node",
    path: "/api/v1/nodes",
    object: {
      spec: {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        providerID: "azure:///x",
        unschedulable: true,
        taints: [
          { key: "a", effect: "NoSchedule", timeAdded: TIME },
          { key: "b", value: "v", effect: "NoExecute" },
        ],
      },
    },
    status: {
      capacity: { cpu: "2", memory: "8Gi", pods: "110" },
      allocatable: { cpu: "1900m" },
      conditions: [{ ...condition, lastHeartbeatTime: TIME }],
      addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: [{ names: ["a", "b"], sizeBytes: 123456789012 }],
      volumesInUse: ["v"],
      volumesAttached: [{ name: "v", devicePath: "" }],
      features: { supplementalGroupsPolicy: false },
      runtimeHandlers: [{ name: "", features: { recursiveReadOnlyMounts: false, userNamespaces: true } }],
      nodeInfo: {
        architecture: "amd64",
        bootID: "b",
        containerRuntimeVersion: "c",
        kernelVersion: "k",
        kubeProxyVersion: "",
        kubeletVersion: "v1.35.0",
        machineID: "m",
        operatingSystem: "linux",
        osImage: "o",
        systemUUID: "u",
        swap: { capacity: 0 },
      },
    },
  },
  {
    kind: "v1 Event",
    path: core("events"),
    object: {
      involvedObject: { kind: "Pod", namespace: "default", name: "p", fieldPath: "spec", uid: "u" },
      reason: "R",
      message: "m",
      source: { component: "c", host: "h" },
      firstTimestamp: TIME,
      lastTimestamp: TIME,
      count: 3,
      type: "Normal",
    },
  },
  {
    kind: "events.k8s.io/v1 Event",
    path: group("events.k8s.io", "events"),
    object: {
      eventTime: MICRO_TIME,
      series: { count: 2, lastObservedTime: MICRO_TIME },
      reportingController: "capstan.dev/c",
      reportingInstance: "i",
      action: "Do",
      reason: "R",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
      note: "n",
      type: "Warning",
    },
  },
  {
    kind: "v1 ResourceQuota",
    path: core("resourcequotas"),
    object: { spec: { hard: { pods: "0", cpu: "1500m" }, scopes: ["NotTerminating"] } },
  },
  {
    kind: "coordination.k8s.io/v1 Lease",
    path: group("coordination.k8s.io", "leases"),
    object: {
      spec: {
        holderIdentity: "",
        leaseDurationSeconds: 15,
        acquireTime: MICRO_TIME,
        renewTime: MICRO_TIME,
        leaseTransitions: 0,
      },
    },
  },
  {
    kind: "apps/v1 Deployment",
    path: group("apps", "deployments"),
    object: {
      spec: {
        replicas: 0,
        selector,
        template: { ...template, spec: { ...podSpec, schedulingGates: undefined } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
        minReadySeconds: 1,
        revisionHistoryLimit: 0,
        paused: true,
      },
    },
    status: {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 1,
      unavailableReplicas: 1,
      collisionCount: 0,
      conditions: [{ ...condition, lastUpdateTime: TIME }],
    },
  },
  {
    kind: "apps/v1 ReplicaSet",
    path: group("apps", "replicasets"),
    object: {
      spec: {
        replicas: 0,
        selector,
        template: { metadata: template.metadata, spec: { containers: [container], volumes } },
      },
    },
    status: { replicas: 0, observedGeneration: 1, conditions: [condition] },
  },
  {
    kind: "apps/v1 DaemonSet",
    path: group("apps", "daemonsets"),
    object: {
      spec: {
        selector,
        template: { metadata: template.metadata, spec: { containers: [container], volumes } },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "10%" } },
      },
    },
    status: {
      currentNumberScheduled: 0,
      desiredNumberScheduled: 1,
      numberMisscheduled: 0,
      numberReady: 0,
      conditions: [condition],
    },
  },
  {
    kind: "apps/v1 StatefulSet",
    path: group("apps", "statefulsets"),
    object: {
      spec: {
        replicas: 0,
        selector,
        template: { metadata: template.metadata, spec: { containers: [container], volumes } },
        serviceName: "",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        ordinals: { start: 0 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      },
    },
    status: { replicas: 0, availableReplicas: 0, currentRevision: "r", conditions: [condition] },
  },
  {
    kind: "batch/v1 Job",
    path: group("batch", "jobs"),
    object: {
      spec: {
        completions: 3,
        parallelism: 0,
        completionMode: "Indexed",
        backoffLimit: 0,
        suspend: true,
        ttlSecondsAfterFinished: 0,
        podFailurePolicy: {
          rules: [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
            { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [1, 300] } },
          ],
        },
        successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
        template: {
          metadata: template.metadata,
          spec: { containers: [container], volumes, restartPolicy: "Never" },
        },
      },
    },
  },
  {
    kind: "policy/v1 PodDisruptionBudget",
    path: group("policy", "poddisruptionbudgets"),
    object: { spec: { minAvailable: 0, selector, unhealthyPodEvictionPolicy: "AlwaysAllow" } },
    status: {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 1,
      expectedPods: 1,
      disruptedPods: { p: TIME },
      conditions: [condition],
    },
  },
  {
    kind: "storage.k8s.io/v1 VolumeAttachment",
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    object: { spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "v" } } },
    status: { attached: false, attachmentMetadata: { a: "b" }, attachError: { time: TIME, message: "m" } },
  },
  { kind: "rbac.authorization.k8s.io/v1 Role", path: `${rbac}/namespaces/default/roles`, object: { rules } },
  {
    kind: "rbac.authorization.k8s.io/v1 ClusterRole",
    path: `${rbac}/clusterroles`,
    object: {
      rules: [...rules, { nonResourceURLs: ["/x"], verbs: ["get"] }],
      aggregationRule: { clusterRoleSelectors: [selector] },
    },
  },
  {
    kind: "rbac.authorization.k8s.io/v1 RoleBinding",
    path: `${rbac}/namespaces/default/rolebindings`,
    object: { subjects, roleRef },
  },
  {
    kind: "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
    path: `${rbac}/clusterrolebindings`,
    object: { subjects, roleRef },
  },
];

const REVIEWS: readonly Case[] = [
  {
    kind: "authorization.k8s.io/v1 SelfSubjectAccessReview",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    object: {
      spec: { resourceAttributes: { verb: "list", resource: "pods", labelSelector: { rawSelector: "a=b" } } },
    },
  },
  {
    kind: "authorization.k8s.io/v1 SelfSubjectRulesReview",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    object: { spec: { namespace: "default" } },
  },
  {
    kind: "authorization.k8s.io/v1 SubjectAccessReview",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    object: {
      spec: {
        user: "u",
        groups: ["g"],
        uid: "i",
        extra: { a: ["b", ""] },
        nonResourceAttributes: { path: "/x", verb: "get" },
      },
    },
  },
  {
    kind: "authorization.k8s.io/v1 LocalSubjectAccessReview",
    path: group("authorization.k8s.io", "localsubjectaccessreviews"),
    object: {
      metadata: { namespace: "default" },
      spec: {
        user: "u",
        resourceAttributes: { namespace: "default", verb: "get", group: "apps", resource: "deployments" },
      },
    },
  },
  {
    kind: "authentication.k8s.io/v1 SelfSubjectReview",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    object: {},
  },
  {
    kind: "authentication.k8s.io/v1 TokenReview",
    path: "/apis/authentication.k8s.io/v1/tokenreviews",
    object: { spec: { token: "nobody's", audiences: ["a"] } },
  },
];

function withKind({ kind, object }: Case): Fields {
  const [apiVersion, name] = kind.split(" ");
  return { apiVersion, kind: name, ...object };
}

/** Reads an object in both forms; controllers write at the same time, so both must be of one version. */
async function readBoth(path: string): Promise<{ expected: unknown; actual: unknown }> {
  for (;;) {
    const expected = readJson(await call(path)) as Versioned;
    const actual = decodeKubernetesProtobuf(await call(path, { accept: PROTOBUF })) as Versioned;
    if (actual.metadata.resourceVersion === expected.metadata.resourceVersion) return { expected, actual };
  }
}

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/** Two answers to one question: they differ in the time they carry and in the order of rules. */
function comparable(answer: unknown): unknown {
  const { metadata: _, status, ...rest } = answer as { metadata: unknown; status: Fields };
  const sorted = Object.entries(status).map(([key, value]) => [
    key,
    Array.isArray(value)
      ? value.map((item) => JSON.stringify(item, Object.keys(item as object).sort())).sort()
      : value,
  ]);
  return { ...rest, status: Object.fromEntries(sorted) as Fields };
}

describe("an object that a real kube-apiserver sends as protobuf", () => {
  test.each(CASES)("is read as the JSON it sends: $kind", async (one) => {
    // Both groups have the same events, so the names must differ.
    const name = one.path.startsWith("/apis/events") ? "rich-too" : "rich";
    await call(one.path, { method: "POST", body: { ...withKind(one), metadata: metadata(name) } });
    const path = `${one.path}/${name}`;
    if (one.status)
      await call(`${path}/status`, {
        method: "PATCH",
        type: "application/merge-patch+json",
        body: { status: one.status },
      });
    const { expected, actual } = await readBoth(path);
    expect(actual).toStrictEqual(expected);
  });

  test.each(REVIEWS)("is read as the JSON it answers: $kind", async (one) => {
    const ask = (accept: string): Promise<Buffer> =>
      call(one.path, { method: "POST", body: withKind(one), accept });
    const expected = comparable(readJson(await ask(JSON_TYPE)));
    const actual = comparable(decodeKubernetesProtobuf(await ask(PROTOBUF)));
    expect(actual).toStrictEqual(expected);
  });

  test("is read as the JSON it sends: autoscaling/v1 Scale", async () => {
    const path = `${group("apps", "deployments")}/rich/scale`;
    const { expected, actual } = await readBoth(path);
    expect(actual).toStrictEqual(expected);
    expect(actual).toMatchObject({ kind: "Scale", status: { replicas: 2, selector: "app=a,app in (a,b)" } });
  });
});
