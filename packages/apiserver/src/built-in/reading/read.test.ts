import fc from "fast-check";
import { deepCopy, formatQuantity, parseQuantity } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { readTyped, type TypedRead } from "./read.ts";
import { fieldsOfKind } from "./types.ts";

function read(kind: string, object: Record<string, unknown>, apiVersion = "v1"): TypedRead {
  const fields = fieldsOfKind(apiVersion, kind);
  if (!fields) throw new Error(`${kind} is not known`);
  return readTyped(fields, object);
}

const podWith = (spec: unknown): Record<string, unknown> => ({ metadata: { name: "p" }, spec });
const into = (was: string, field: string, type: string): string =>
  `json: cannot unmarshal ${was} into Go struct field ${field} of type ${type}`;

describe("decoding objects of Kubernetes' own kinds", () => {
  test("drops unknown fields and reports their paths, in input order", () => {
    const pod = {
      metadata: { name: "p", zone: 1 },
      Spec: {},
      spec: { bar: {}, containers: [{ name: "a", foo: 1, env: [{ name: "A", x: 1 }] }] },
    };
    expect(read("Pod", pod)).toEqual({
      unknownFields: [
        "metadata.zone",
        "Spec",
        "spec.bar",
        "spec.containers[0].foo",
        "spec.containers[0].env[0].x",
      ],
      problem: undefined,
    });
    expect(pod).toEqual({
      metadata: { name: "p" },
      spec: { containers: [{ name: "a", env: [{ name: "A" }] }] },
    });
  });

  // The messages are those of kube-apiserver 1.35.
  test.each<[string, Record<string, unknown>, string]>([
    ["ConfigMap", { data: { a: 1 } }, into("number", "ConfigMap.data", "string")],
    ["ConfigMap", { data: [] }, into("array", "ConfigMap.data", "map[string]string")],
    ["ConfigMap", { binaryData: { a: 1 } }, into("number", "ConfigMap.binaryData", "[]uint8")],
    ["ConfigMap", { binaryData: { a: "M" } }, "illegal base64 data at input byte 0"],
    ["ConfigMap", { immutable: "true" }, into("string", "ConfigMap.immutable", "bool")],
    ["ConfigMap", { metadata: "x" }, into("string", "ConfigMap.metadata", "v1.ObjectMeta")],
    [
      "ConfigMap",
      { metadata: { labels: ["x"] } },
      into("array", "ObjectMeta.metadata.labels", "map[string]string"),
    ],
    [
      "ConfigMap",
      { metadata: { finalizers: "x" } },
      into("string", "ObjectMeta.metadata.finalizers", "[]string"),
    ],
    [
      "ConfigMap",
      { metadata: { ownerReferences: [{ uid: 1 }] } },
      into("number", "OwnerReference.metadata.ownerReferences.uid", "types.UID"),
    ],
    [
      "ConfigMap",
      { metadata: { generation: "1" } },
      into("string", "ObjectMeta.metadata.generation", "int64"),
    ],
    ["Pod", podWith({ restartPolicy: 1 }), into("number", "PodSpec.spec.restartPolicy", "v1.RestartPolicy")],
    ["Pod", podWith({ containers: {} }), into("object", "PodSpec.spec.containers", "[]v1.Container")],
    ["Pod", podWith({ containers: [1] }), into("number", "PodSpec.spec.containers", "v1.Container")],
    [
      "Pod",
      podWith({ containers: [{ ports: [{ containerPort: "80" }] }] }),
      into("string", "ContainerPort.spec.containers.ports.containerPort", "int32"),
    ],
    [
      "Pod",
      podWith({ volumes: [{ name: "a", hostPath: 1 }] }),
      into("number", "Volume.spec.volumes.VolumeSource.hostPath", "v1.HostPathVolumeSource"),
    ],
    ["Node", { status: { capacity: 1 } }, into("number", "NodeStatus.status.capacity", "v1.ResourceList")],
  ])("refuses a %s with %j", (kind, object, problem) => {
    expect(read(kind, object).problem).toBe(problem);
  });

  test("whole numbers must fit their size", () => {
    const lease = (leaseDurationSeconds: unknown): unknown =>
      read("Lease", { spec: { leaseDurationSeconds } }, "coordination.k8s.io/v1").problem;
    const field = "LeaseSpec.spec.leaseDurationSeconds";
    expect(lease(1.5)).toBe(into("number 1.5", field, "int32"));
    expect(lease(3_000_000_000)).toBe(into("number 3000000000", field, "int32"));
    expect(lease(2_147_483_647)).toBeUndefined();
    const generation = { metadata: { generation: 9_223_372_036_854_775_807n } };
    expect(read("ConfigMap", generation).problem).toBeUndefined();
  });

  test("reports the first problem, unless a later one ends the decoding", () => {
    const times = { containers: 1, dnsPolicy: 2 };
    expect(read("Pod", podWith(times)).problem).toContain("spec.containers");
    const conditions = [{ type: "Ready", lastProbeTime: "x" }];
    expect(read("Pod", { ...podWith(times), status: { conditions } }).problem).toContain('parsing time "x"');
  });

  test("nulls and empty values without meaning are dropped, and those with a meaning stay", () => {
    const lease = { spec: { holderIdentity: "", leaseTransitions: 0, renewTime: null } };
    read("Lease", lease, "coordination.k8s.io/v1");
    expect(lease).toEqual({ spec: { holderIdentity: "", leaseTransitions: 0 } });
    const configMap = { data: {}, immutable: false, binaryData: null };
    read("ConfigMap", configMap);
    expect(configMap).toEqual({ immutable: false });
    const pod = podWith({
      nodeName: "",
      hostNetwork: false,
      containers: [{ name: "a", env: [null], args: [] }],
    });
    read("Pod", pod);
    expect(pod["spec"]).toEqual({ containers: [{ name: "a", env: [{}] }] });
    const budget = { spec: { maxUnavailable: 0 } };
    read("PodDisruptionBudget", budget, "policy/v1");
    expect(budget).toEqual({ spec: { maxUnavailable: 0 } });
  });

  test("quantities, times and bytes get their canonical form", () => {
    const node = { status: { capacity: { cpu: "4000m", memory: "1048576Ki", pods: 110, disk: "0.5" } } };
    read("Node", node);
    expect(node.status.capacity).toEqual({ cpu: "4", memory: "1Gi", pods: "110", disk: "500m" });
    const configMap = { binaryData: { a: "MR==", b: "M\nQ==" } };
    read("ConfigMap", configMap);
    expect(configMap).toEqual({ binaryData: { a: "MQ==", b: "MQ==" } });
  });

  test("a quantity in canonical form is distinguished from one that is not", () => {
    const suffixes = ["", "m", "k", "M", "G", "E", "Ki", "Mi", "Gi", "Ti", "Ei"];
    const multiples = fc.integer({ min: 1, max: 2 ** 21 }).map((number) => number * 1024);
    fc.assert(
      fc.property(fc.oneof(fc.nat(), multiples), fc.constantFrom(...suffixes), (number, suffix) => {
        const node = { status: { capacity: { memory: `${number}${suffix}` } } };
        const proper = formatQuantity(parseQuantity(node.status.capacity.memory));
        read("Node", node);
        expect(node.status.capacity.memory).toBe(proper);
      }),
    );
  });

  test.each([
    ["1KK", "unable to parse quantity's suffix"],
    ["x", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ])("the quantity %j is refused", (cpu, problem) => {
    expect(read("Node", { status: { capacity: { cpu } } }).problem).toContain(problem);
  });

  test("an unknown kind is left unchanged", () => {
    expect(fieldsOfKind("example.com/v1", "Boat")).toBeUndefined();
  });

  test("decoding a decoded object again changes nothing, for any input", () => {
    const anything = fc.record({
      metadata: fc.record({ name: fc.string(), labels: fc.jsonValue() }, { requiredKeys: [] }),
      spec: fc.oneof(
        fc.jsonValue(),
        fc.record({ containers: fc.jsonValue(), replicas: fc.jsonValue() }, { requiredKeys: [] }),
      ),
      status: fc.jsonValue(),
    });
    fc.assert(
      fc.property(anything, (object) => {
        const once = deepCopy(object) as Record<string, unknown>;
        if (read("Pod", once).problem !== undefined) return;
        const twice = deepCopy(once);
        expect(read("Pod", twice)).toEqual({ unknownFields: [], problem: undefined });
        expect(twice).toEqual(once);
      }),
    );
  });
});
