import { describe, expect, test } from "vitest";
import { TestClient } from "../../testing.ts";
import { builtInKinds } from "../kinds.ts";
import { CORE_REFUSALS } from "./core-refusals.fixture.ts";
import { OTHER_REFUSALS } from "./other-refusals.fixture.ts";

const newClient = (): TestClient => new TestClient({ kinds: builtInKinds });

function pathOf(plural: string): string {
  const kind = builtInKinds.find((one) => one.plural === plural);
  if (!kind) throw new Error(`${plural} are not served`);
  const root = kind.group === "" ? "/api/v1" : `/apis/${kind.apiVersion}`;
  return `${root}/${kind.namespaced ? "namespaces/team/" : ""}${plural}`;
}

async function withObject(plural: string, object: object): Promise<TestClient> {
  const client = newClient();
  await client.create("/api/v1/namespaces", { metadata: { name: "team" } });
  const { status, body } = await client.create(pathOf(plural), { metadata: { name: "a" }, ...object });
  expect([status, body.message]).toEqual([201, undefined]);
  return client;
}

const containers = [{ name: "main", image: "boat:1" }];
const labels = { app: "boat" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers } };

describe("creating", () => {
  test.each([...CORE_REFUSALS, ...OTHER_REFUSALS])(
    "of %s is refused for %j",
    async (plural, object, problems) => {
      const client = newClient();
      await client.create("/api/v1/namespaces", { metadata: { name: "team" } });
      const { status, body } = await client.create(pathOf(plural), object);
      expect([status, body.reason]).toEqual([422, "Invalid"]);
      const found = body.details.causes.map(({ field, message }) => `${field}: ${message}`);
      expect(found.map((problem) => problem.replace(/ \(e\.g\. .*$/s, ""))).toEqual(problems);
    },
  );
});

const POD_RULE = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`";
const IMMUTABLE = "Forbidden: field is immutable when `immutable` is set";

describe("changing", () => {
  test.each<[string, object, object, string]>([
    ["configmaps", { immutable: true }, { immutable: null }, `immutable: ${IMMUTABLE}`],
    ["configmaps", { immutable: true }, { binaryData: { a: "MQ==" } }, `binaryData: ${IMMUTABLE}`],
    ["secrets", {}, { type: "b" }, 'type: Invalid value: "b": field is immutable'],
    ["pods", { spec: { containers } }, { spec: { nodeName: "n" } }, POD_RULE],
    [
      "pods",
      { spec: { containers } },
      { spec: { containers: [...containers, { name: "b", image: "b" }] } },
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    ],
    [
      "pods",
      { spec: { containers, activeDeadlineSeconds: 5 } },
      { spec: { activeDeadlineSeconds: 6 } },
      "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value",
    ],
    [
      "pods",
      { spec: { containers, activeDeadlineSeconds: 5 } },
      { spec: { activeDeadlineSeconds: null } },
      "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    ],
    [
      "pods",
      { spec: { containers, tolerations: [{ key: "a", operator: "Exists" }] } },
      { spec: { tolerations: [] } },
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ],
    [
      "nodes",
      { spec: { providerID: "a" } },
      { spec: { providerID: "b" } },
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
    [
      "services",
      { spec: { clusterIP: "10.0.0.1", ports: [{ port: 1 }] } },
      { spec: { clusterIP: "10.0.0.2", clusterIPs: ["10.0.0.2"] } },
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ],
    [
      "deployments",
      { spec: { selector, template } },
      {
        spec: {
          selector: { matchLabels: { app: null, a: "b" } },
          template: { metadata: { labels: { a: "b" } } },
        },
      },
      'spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable',
    ],
    [
      "statefulsets",
      { spec: { selector, template, serviceName: "a" } },
      { spec: { serviceName: "b" } },
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
    [
      "jobs",
      { spec: { template: { spec: { containers, restartPolicy: "Never" } } } },
      { spec: { completions: 5 } },
      "spec.completions: Invalid value: 5: field is immutable",
    ],
    [
      "rolebindings",
      { roleRef: { kind: "ClusterRole", name: "view" } },
      { roleRef: { name: "edit" } },
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
    ],
    [
      "volumeattachments",
      { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
      { spec: { nodeName: "m" } },
      'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ],
  ])("%s made of %j by %j is refused", async (plural, object, patch, problem) => {
    const client = await withObject(plural, object);
    const { status, body } = await client.merge(`${pathOf(plural)}/a`, patch);
    expect([status, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toContain(problem);
  });

  test.each<[string, object, object]>([
    ["configmaps", { immutable: true, data: { a: "1" } }, { metadata: { labels } }],
    ["pods", { spec: { containers } }, { spec: { containers: [{ name: "main", image: "boat:2" }] } }],
    ["pods", { spec: { containers } }, { spec: { activeDeadlineSeconds: 5 } }],
    ["pods", { spec: { containers, schedulingGates: [{ name: "a" }] } }, { spec: { schedulingGates: null } }],
    ["nodes", {}, { spec: { providerID: "a", podCIDR: "10.0.0.0/24" } }],
    [
      "services",
      { spec: { clusterIP: "10.0.0.1", ports: [{ port: 1 }] } },
      { spec: { ports: [{ port: 2 }] } },
    ],
    ["deployments", { spec: { selector, template } }, { spec: { replicas: 3 } }],
    ["statefulsets", { spec: { selector, template } }, { spec: { replicas: 3 } }],
    [
      "jobs",
      { spec: { template: { spec: { containers, restartPolicy: "Never" } } } },
      { spec: { parallelism: 3 } },
    ],
  ])("%s made of %j by %j is allowed", async (plural, object, patch) => {
    const client = await withObject(plural, object);
    const { status, body } = await client.merge(`${pathOf(plural)}/a`, patch);
    expect([status, body.message]).toEqual([200, undefined]);
  });

  test("tolerations can be added to a pod", async () => {
    const client = await withObject("pods", { spec: { containers } });
    const path = `${pathOf("pods")}/a`;
    const { body } = await client.get(path);
    const tolerations = [...(body.spec["tolerations"] as object[]), { key: "a", operator: "Exists" }];
    expect((await client.merge(path, { spec: { tolerations } })).body.spec["tolerations"]).toEqual(
      tolerations,
    );
  });
});

describe("the size of data", () => {
  const megabyte = "x".repeat(1024 * 1024);

  test("of a ConfigMap is counted over texts and bytes", async () => {
    await withObject("configmaps", { data: { a: megabyte } });
    const client = newClient();
    const { body } = await client.create("/api/v1/namespaces/default/configmaps", {
      metadata: { name: "a" },
      data: { a: megabyte },
      binaryData: { b: "MQ==" },
    });
    expect(body.message).toBe('ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes');
  });

  test("of a Secret is counted before it is encoded", async () => {
    await withObject("secrets", { stringData: { a: megabyte } });
    const { body } = await newClient().create("/api/v1/namespaces/default/secrets", {
      metadata: { name: "a" },
      stringData: { a: `${megabyte}x` },
    });
    expect(body.message).toBe('Secret "a" is invalid: data: Too long: may not be more than 1048576 bytes');
  });
});
