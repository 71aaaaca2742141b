/** What clients of two versions should not send: a clear answer, nothing stored, nothing lost without a word. */
import { describe, expect, test } from "vitest";
import { DATA, type Fields, GROUPS, newServer, path } from "./door-server.ts";

/** A kind, as a path and a manifest name it. */
interface Target {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
}

const INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io";
const CLUSTER: Target = { kind: "Cluster", plural: "clusters", group: GROUPS.core };
const MACHINE: Target = { kind: "Machine", plural: "machines", group: GROUPS.core };
const MACHINE_SET: Target = { kind: "MachineSet", plural: "machinesets", group: GROUPS.core };
const DEPLOYMENT: Target = { kind: "MachineDeployment", plural: "machinedeployments", group: GROUPS.core };
const HEALTH_CHECK: Target = {
  kind: "MachineHealthCheck",
  plural: "machinehealthchecks",
  group: GROUPS.core,
};
const DRAIN_RULE: Target = { kind: "MachineDrainRule", plural: "machinedrainrules", group: GROUPS.core };
const CONFIG: Target = { kind: "KubeadmConfig", plural: "kubeadmconfigs", group: GROUPS.bootstrap };
const CONTROL_PLANE: Target = {
  kind: "KubeadmControlPlane",
  plural: "kubeadmcontrolplanes",
  group: "controlplane.cluster.x-k8s.io",
};

const infrastructureRef = { apiGroup: INFRASTRUCTURE, kind: "AzureMachineTemplate", name: "a" };
const bootstrap = { dataSecretName: "a" };

const machines = (spec: object, template: object = {}): object => ({
  clusterName: "pier",
  selector: { matchLabels: {} },
  template: { spec: { clusterName: "pier", bootstrap, infrastructureRef, ...template } },
  ...spec,
});
const check = (spec: object): object => ({
  clusterName: "pier",
  selector: { matchLabels: { a: "b" } },
  ...spec,
});
const controlPlane = (spec: object): object => ({
  version: "v1.34.0",
  machineTemplate: { spec: { infrastructureRef } },
  ...spec,
});
const rule = (spec: object): object => ({ drain: { behavior: "Drain" }, ...spec });

function manifest({ kind, group }: Target, version: string, spec: object, annotations?: Fields): object {
  const metadata = { name: "a", ...(annotations && { annotations }) };
  return { apiVersion: `${group}/${version}`, kind, metadata, spec };
}

/** A target, a spec, and what is said about it. */
type Row<T> = readonly [Target, object, T];

function named<T>(rows: readonly Row<T>[]) {
  return rows.map(([target, spec, said]) => ({ kind: target.kind, target, spec, said }));
}

/** What a server says about an object, and whether it is stored then. */
async function answerTo(target: Target, version: string, object: object) {
  const server = newServer();
  const collection = path(version, target.plural, target.group);
  const { status, warning = "", body } = await server.create(collection, object);
  const stored = await server.get(`${path("v1beta2", target.plural, target.group)}/a`);
  return { status, warning, message: String(body["message"]), stored };
}

describe("a value that v1beta2 forbids to be empty is refused with its path, and nothing is stored", () => {
  test.each(
    named<string>([
      [CLUSTER, {}, "spec:"],
      [CLUSTER, { infrastructureRef: {} }, "spec.infrastructureRef.name: Required"],
      [CLUSTER, { infrastructureRef: { ...infrastructureRef, name: "" } }, "spec.infrastructureRef.name:"],
      [CLUSTER, { infrastructureRef, clusterNetwork: {} }, "spec.clusterNetwork:"],
      [
        CLUSTER,
        { infrastructureRef, clusterNetwork: { pods: { cidrBlocks: [] } } },
        "spec.clusterNetwork.pods.cidrBlocks:",
      ],
      [
        CLUSTER,
        { infrastructureRef, clusterNetwork: { apiServerPort: 0 } },
        "spec.clusterNetwork.apiServerPort:",
      ],
      [
        CLUSTER,
        { infrastructureRef, controlPlaneEndpoint: { host: "a", port: 0 } },
        "spec.controlPlaneEndpoint.port:",
      ],
      [DEPLOYMENT, machines({ deletion: { order: "" } }), "spec.deletion.order:"],
      [DEPLOYMENT, machines({ machineNaming: { template: "" } }), "spec.machineNaming.template:"],
      [DEPLOYMENT, machines({}, { version: "" }), "spec.template.spec.version:"],
      [DEPLOYMENT, machines({}, { readinessGates: [] }), "spec.template.spec.readinessGates:"],
      [HEALTH_CHECK, check({ remediation: { triggerIf: {} } }), "spec.remediation.triggerIf:"],
      [
        HEALTH_CHECK,
        check({ checks: { unhealthyNodeConditions: [] } }),
        "spec.checks.unhealthyNodeConditions:",
      ],
      [CONFIG, { clusterConfiguration: {} }, "spec.clusterConfiguration:"],
      [CONFIG, { mounts: [[]] }, "spec.mounts[0]:"],
      [CONFIG, { files: [{ path: "/a", content: "" }] }, "spec.files[0].content:"],
      [
        CONFIG,
        { initConfiguration: { nodeRegistration: { kubeletExtraArgs: [] } } },
        "spec.initConfiguration.nodeRegistration.kubeletExtraArgs:",
      ],
      [
        CONTROL_PLANE,
        controlPlane({ rollout: { before: { certificatesExpiryDays: 0 } } }),
        "spec.rollout.before.certificatesExpiryDays:",
      ],
      [CONTROL_PLANE, controlPlane({ remediation: {} }), "spec.remediation:"],
      [DRAIN_RULE, rule({ machines: [{}] }), "spec.machines[0]:"],
    ]),
  )("of a $kind: $said", async ({ target, spec, said }) => {
    const { status, message, stored } = await answerTo(target, "v1beta2", manifest(target, "v1beta2", spec));
    expect([status, stored.status]).toEqual([422, 404]);
    expect(message).toContain(said);
  });
});

describe("a value beyond Cluster API's limits of v1beta2 is refused with its path, and nothing is stored", () => {
  const mount = Array.from({ length: 101 }, () => "a");
  const twice = [{ selector: { matchLabels: { a: "b" } } }, { selector: { matchLabels: { a: "b" } } }];
  test.each(
    named<string>([
      [CONFIG, { mounts: [mount] }, "spec.mounts[0]: Too many: 101: must have at most 100 items"],
      [DRAIN_RULE, rule({ machines: twice }), "entries in machines must be unique"],
      [DRAIN_RULE, rule({ pods: twice }), "entries in pods must be unique"],
    ]),
  )("of a $kind: $said", async ({ target, spec, said }) => {
    const { status, message, stored } = await answerTo(target, "v1beta2", manifest(target, "v1beta2", spec));
    expect([status, stored.status, message]).toEqual([422, 404, expect.stringContaining(said)]);
  });
});

describe("a version that is not served", () => {
  test("is not found, and names no object", async () => {
    const server = newServer();
    for (const version of ["v1alpha4", "v1beta3"]) {
      const object = manifest(CLUSTER, version, { infrastructureRef });
      expect(await server.status("POST", path(version, "clusters"), object)).toBe(404);
    }
  });

  test("is refused at the path of another one, and nothing is stored", async () => {
    const object = manifest(CLUSTER, "v1alpha4", { infrastructureRef });
    const { status, message, stored } = await answerTo(CLUSTER, "v1beta2", object);
    expect([status, stored.status]).toEqual([400, 404]);
    expect(message).toContain(
      "the API version in the data (cluster.x-k8s.io/v1alpha4) does not match the expected API version (cluster.x-k8s.io/v1beta2)",
    );
  });
});

describe("an object of v1beta1 that loses something is stored, and the loss is a warning with its path", () => {
  test.each(
    named<readonly string[]>([
      [
        CONFIG,
        {
          clusterConfiguration: {
            kubernetesVersion: "v1.34.0",
            clusterName: "a",
            networking: { podSubnet: "10.0.0.0/8" },
            certificatesDir: "/a",
          },
          useExperimentalRetryJoin: true,
        },
        [
          "spec.clusterConfiguration.kubernetesVersion",
          "spec.clusterConfiguration.clusterName",
          "spec.clusterConfiguration.networking",
          "spec.useExperimentalRetryJoin",
        ],
      ],
      [
        DEPLOYMENT,
        {
          ...machines({ progressDeadlineSeconds: 60 }),
          template: {
            spec: {
              clusterName: "pier",
              bootstrap,
              nodeDrainTimeout: "1.5s",
              infrastructureRef: {
                apiVersion: `${INFRASTRUCTURE}/v1beta1`,
                kind: "AzureMachineTemplate",
                name: "a",
                namespace: "other",
              },
            },
          },
        },
        [
          "spec.progressDeadlineSeconds",
          "spec.template.spec.nodeDrainTimeout",
          "spec.template.spec.infrastructureRef.namespace",
        ],
      ],
    ]),
  )("of a $kind", async ({ target, spec, said }) => {
    const { status, warning, stored } = await answerTo(target, "v1beta1", manifest(target, "v1beta1", spec));
    expect([status, stored.status]).toEqual([201, 200]);
    for (const one of said) expect(warning).toContain(`${one}: `);
  });
});

describe("a restore annotation that no conversion wrote", () => {
  const older = { ...infrastructureRef, apiVersion: `${INFRASTRUCTURE}/v1beta1`, apiGroup: undefined };
  const machine = { clusterName: "pier", bootstrap, infrastructureRef: older };
  const TOO_MUCH = 2 ** 31;
  const timeouts = {
    bogus: 5,
    kubeletHealthCheckSeconds: "a",
    etcdAPICallSeconds: TOO_MUCH,
    discoverySeconds: -1,
    kubernetesAPICallSeconds: 7,
  };
  const at = (name: string): string =>
    `spec.initConfiguration.timeouts.${name}: the restored value is not valid and was ignored`;
  const NOT_READ = `metadata.annotations[${DATA}]: is not the JSON of an object, or too long, and was ignored`;
  const SECONDS = "spec.minReadySeconds: the restored value is not valid and was ignored";

  test.each<readonly [string, Target, object, unknown, readonly string[], object]>([
    ["is not JSON", MACHINE, machine, "{", [NOT_READ], {}],
    ["is not an object", MACHINE, machine, [1], [NOT_READ], {}],
    ["is nested too deep", MACHINE, machine, "[".repeat(200_000), [NOT_READ], {}],
    ["is too long", MACHINE, machine, `{"a":"${"b".repeat(300_000)}"}`, [NOT_READ], {}],
    ["has a negative number", MACHINE, machine, { spec: { minReadySeconds: -1 } }, [SECONDS], {}],
    [
      "has a number that is too large",
      MACHINE,
      machine,
      { spec: { minReadySeconds: TOO_MUCH } },
      [SECONDS],
      {},
    ],
    [
      "has timeouts that kubeadm does not have, or not so",
      CONFIG,
      { verbosity: 1 },
      { spec: { initConfiguration: { timeouts } } },
      ["bogus", "kubeletHealthCheckSeconds", "etcdAPICallSeconds", "discoverySeconds"].map(at),
      { initConfiguration: { timeouts: { kubernetesAPICallSeconds: 7 } } },
    ],
  ])("and %s is ignored with a warning", async (_, target, spec, data, warnings, restored) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const object = manifest(target, "v1beta1", spec, { [DATA]: text });
    const { status, warning, stored } = await answerTo(target, "v1beta1", object);
    expect(status).toBe(201);
    for (const one of warnings) expect(warning).toContain(one);
    expect(stored.body.metadata.annotations).toBeUndefined();
    expect(stored.body.spec).toMatchObject(restored);
    expect(stored.body.spec).not.toHaveProperty("minReadySeconds");
    // What is stored fits the schema: it can be written again as it is.
    const server = newServer();
    const { metadata: _metadata, status: _status, ...rest } = stored.body;
    const again = await server.create(path("v1beta2", target.plural, target.group), {
      ...rest,
      metadata: { name: "a" },
    });
    expect([again.status, again.body["message"]]).toEqual([201, undefined]);
  });

  test("of a MachineSet cannot say more than that 0 seconds are meant", async () => {
    const spec = machines({ minReadySeconds: 0 }, { infrastructureRef: older });
    const secondsOf = async (annotations?: Fields): Promise<unknown> => {
      const { stored } = await answerTo(
        MACHINE_SET,
        "v1beta1",
        manifest(MACHINE_SET, "v1beta1", spec, annotations),
      );
      const { template } = stored.body.spec as { template: { spec: Fields } };
      return template.spec["minReadySeconds"];
    };
    expect(await secondsOf()).toBeUndefined();
    const carried = (value: unknown): Fields => ({
      [DATA]: JSON.stringify({ spec: { template: { spec: { minReadySeconds: value } } } }),
    });
    expect(await secondsOf(carried(0))).toBe(0);
    expect(await secondsOf(carried(30))).toBeUndefined();
  });
});
