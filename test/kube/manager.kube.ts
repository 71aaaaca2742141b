import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureCluster,
  AzureMachinePoolMachine,
  Cluster,
  CustomResourceDefinition,
  KubeadmConfig,
  Lease,
  MachineHealthCheck,
  Namespace,
  Node,
  type PolicyRule,
  Secret,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL } from "@capstan/azure-sim";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { killAll } from "../journeys/capstan.ts";
import { staleOutput, stepsOf } from "../journeys/shown-outputs.ts";
import { runsAll } from "../sample.ts";
import { FLEET, fleetOn, POOL } from "./fleet.ts";
import { startKubelets } from "./kubelets.ts";
import {
  eventually,
  type Management,
  requestsOf,
  type RunningManager,
  startManagement,
} from "./management.ts";

expect.extend(conditionMatchers);

const DEMO = { name: "demo", namespace: "default" };
const LEASE = { name: "capstan", namespace: "capstan-system" };

/** In a soak only: the gate has a smoke of the journey. */
const longTest = test.runIf(runsAll);

let management: Management;
let leader: RunningManager;
let standby: RunningManager;
const logs: string[] = [];

beforeAll(async () => {
  management = await startManagement();
});
afterAll(async () => {
  killAll();
  await management.stop();
});

const CHECK = {
  apiVersion: `cluster.x-k8s.io/v1beta1`,
  kind: "MachineHealthCheck",
  metadata: { name: "pier", namespace: "default" },
  spec: {
    clusterName: "pier",
    selector: { matchLabels: { a: "b" } },
    unhealthyConditions: [{ type: "Ready", status: "Unknown", timeout: "5m0s" }],
  },
};

const PAGE = "docs/how-to/management-cluster.md";

const init = async (...args: string[]): Promise<string[]> => {
  const { code, out, err } = await management.capstan(
    "init",
    "--kubeconfig",
    management.plane.kubeconfig,
    ...args,
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.slice(0, out.indexOf("\n\n")).split("\n");
};

const holder = async (): Promise<string> =>
  (await management.client.find(Lease, LEASE))?.spec?.holderIdentity ?? "";

/** The authorities that kube-apiserver trusts at the webhooks. */
async function trusted(): Promise<readonly string[]> {
  const kinds = "mutatingwebhookconfiguration,validatingwebhookconfiguration";
  return (await management.kubectl("get", kinds, "-o", "yaml")).match(/caBundle: \S+/g) ?? [];
}

/** Where the clusters of the fleet stand. */
async function describeFleet(): Promise<string> {
  const clusters = await management.client.list(Cluster, { namespace: FLEET });
  const place = ["--kubeconfig", management.plane.kubeconfig, "-n", FLEET, "--show-conditions", "all"];
  const trees = clusters.map(({ metadata }) =>
    management.capstan("describe", "cluster", metadata.name, ...place),
  );
  return (await Promise.all(trees)).map(({ out, err }) => out + err).join("\n");
}

/** A manager that is ready to work or to take over. */
async function readyManager(): Promise<RunningManager> {
  const manager = await management.startManager();
  for (const probe of ["readyz", "readyz/controllers"])
    await eventually(async () => expect((await fetch(`${manager.healthUrl}/${probe}`)).status).toBe(200));
  return manager;
}

describe("before the first write, init and manager refuse by name", () => {
  /** A kubeconfig like that of the administrator, with changes. */
  const configWith = (name: string, change: { ca?: string; token?: string }): string => {
    const { url, ca, adminToken } = management.plane;
    const bundle = Buffer.from(change.ca ?? ca).toString("base64");
    const config = {
      clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": bundle } }],
      users: [{ name: "c", user: { token: change.token ?? adminToken } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
      "current-context": "c",
    };
    const path = join(management.folder, `${name}.kubeconfig`);
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  };
  const refusalOf = async (command: string, kubeconfig: string): Promise<string> => {
    const { code, err } = await management.capstan(command, "--kubeconfig", kubeconfig);
    expect(code).toBe(1);
    expect(await management.client.find(Namespace, { name: LEASE.namespace })).toBeUndefined();
    return err;
  };

  test("a server with another authority", async () => {
    const path = configWith("other-authority", { ca: management.azure.ca });
    const [ofInit, ofManager] = await Promise.all([refusalOf("init", path), refusalOf("manager", path)]);
    expect(ofInit).toMatch(/^capstan: the certificate of https:\S+ is not trusted: .*check the CA bundle/);
    expect(ofManager).toBe(ofInit);
  });

  test("the kubeconfig of a workload cluster", async () => {
    const annotations = { "cluster.x-k8s.io/cluster-name": "quay" };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "quay-0", annotations } };
    await management.client.create(Node, node);
    const path = management.plane.kubeconfig;
    const refusals = await Promise.all([refusalOf("init", path), refusalOf("manager", path)]);
    await management.client.delete(Node, node.metadata);
    for (const refusal of refusals) expect(refusal).toMatch(/^capstan: this is workload cluster quay, /);
  });

  test("a user who lacks one right, or may not give the manager its rights", async () => {
    const rules = [
      { apiGroups: [""], resources: ["namespaces", "services", "serviceaccounts"], verbs: ["*"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] },
      { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["*"] },
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["*"] },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list"] },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles", "clusterrolebindings", "roles", "rolebindings"],
        verbs: ["get", "create", "patch"],
      },
    ];
    const webhooks = {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      verbs: ["get", "create", "patch"],
    };
    const access = (some: object[]): string =>
      [
        { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "jo", namespace: "default" } },
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRole",
          metadata: { name: "jo" },
          rules: some,
        },
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: "jo" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "jo" },
          subjects: [{ kind: "ServiceAccount", name: "jo", namespace: "default" }],
        },
      ]
        .map((object) => `---\n${JSON.stringify(object)}\n`)
        .join("");
    await management.apply(access([...rules, { ...webhooks, verbs: ["get", "create"] }]));
    const path = configWith("jo", { token: (await management.kubectl("create", "token", "jo")).trim() });
    await eventually(async () =>
      expect(await refusalOf("init", path)).toContain(
        "this user may not patch mutatingwebhookconfigurations of admissionregistration.k8s.io, patch validatingwebhookconfigurations of admissionregistration.k8s.io; nothing has been changed",
      ),
    );
    await management.apply(access([...rules, webhooks]));
    await eventually(async () =>
      expect(await refusalOf("init", path)).toContain(
        "this user may not grant the manager rights that it does not have itself, such as {APIGroups:",
      ),
    );
    await management.kubectl("delete", "clusterrole,clusterrolebinding,serviceaccount", "jo");
  });
});

describe("capstan init", () => {
  test("installs everything, the manager before the definitions, and says so in a line for each kind", async () => {
    const shown = stepsOf(PAGE).flatMap((step) => step.shown ?? [])[0];
    const installed = (await init()).join("\n");
    if (!shown) throw new Error(`${PAGE} shows no output`);
    expect(staleOutput(PAGE, shown, installed)).toBeUndefined();
    expect(installed).toContain(
      "CRDs: 21 (21 new, 0 updated, 0 unchanged)\nMutatingWebhookConfiguration: capstan (new)\n",
    );
    const written = requestsOf(management.plane, "admin")
      .filter(({ verb, userAgent }) => /^(create|patch)$/.test(verb) && userAgent?.startsWith("capstan"))
      .map(({ objectRef }) => objectRef?.resource === "customresourcedefinitions");
    // Two webhook configurations follow the definitions, because they name their kinds.
    expect(written.lastIndexOf(true)).toBe(written.length - 3);
    expect(written.slice(written.indexOf(true), -2)).toEqual(Array.from({ length: 21 }, () => true));
  });

  test("finds nothing to do the second time, and brings back what somebody has changed", async () => {
    expect((await init()).join("\n")).not.toMatch(/\((new|updated)\)|[1-9]\d* (new|updated)/);
    await management.kubectl("-n", "capstan-system", "scale", "deployment/capstan-manager", "--replicas=0");
    const changed = (await init()).filter((line) => /\((new|updated)\)|[1-9]\d* (new|updated)/.test(line));
    expect(changed).toEqual(["Deployment: capstan-manager (updated)"]);
  });

  test("installs what kustomize makes of config/", async () => {
    const { out } = await management.capstan("init", "--dry-run");
    const kustomized = await management.kubectl("kustomize", "config/default");
    expect(byName(kustomized)).toEqual(byName(out));
  });

  test("lets its pods ask for no privilege: the namespace refuses any that does", async () => {
    const admit = async (change: object): Promise<string> => {
      const { out } = await management.capstan("init", "--dry-run");
      const deployment = byName(out).get("Deployment/capstan-manager") as {
        spec: { template: { spec: object } };
      };
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "trial", namespace: "capstan-system" },
        spec: { ...deployment.spec.template.spec, ...change },
      };
      return management.kubectl("create", "--dry-run=server", "-f", manifestFile("pod", pod));
    };
    expect(await admit({})).toBe("pod/trial created (server dry run)\n");
    await expect(admit({ hostNetwork: true })).rejects.toThrow(
      'violates PodSecurity "restricted:latest": host namespaces',
    );
  });
});

describe("two managers on a real kube-apiserver and a simulated Azure", () => {
  test("become ready, and one of them leads", async () => {
    leader = await readyManager();
    await eventually(async () => expect(await holder()).toMatch(/^capstan_/));
    const first = await holder();
    standby = await readyManager();
    expect(await holder()).toBe(first);
    await eventually(async () => expect(await trusted()).toHaveLength(2));
  });

  test("convert objects, restore the trust that another client has overwritten, and migrate", async () => {
    const { client, kubectl } = management;
    const name = "machinehealthchecks.cluster.x-k8s.io";
    const other = MachineHealthCheck.converted[0]?.version ?? "";
    const read = (version: string): Promise<string> =>
      kubectl(
        "get",
        `machinehealthchecks.${version}.cluster.x-k8s.io/pier`,
        "-o",
        "jsonpath={.spec.clusterName}",
      );
    await eventually(async () => void (await kubectl("apply", "-f", manifestFile("check", CHECK))));
    await eventually(async () => expect(await read(other)).toBe("pier"));
    const { spec } = await client.get(CustomResourceDefinition, { name });
    // As cert-manager's cainjector does, and as another release installs the definition.
    const patch = [
      { op: "replace", path: "/spec/conversion/webhook/clientConfig/caBundle", value: "" },
      ...spec.versions.map((version, index) => ({
        op: "replace",
        path: `/spec/versions/${index}/storage`,
        value: version.name === other,
      })),
    ];
    await client.patch(CustomResourceDefinition, { name }, { type: "json", body: patch });
    await eventually(async () => {
      const { status } = await client.get(CustomResourceDefinition, { name });
      expect(status?.storedVersions).toEqual([other]);
    });
    for (const { name: version } of spec.versions) expect(await read(version)).toBe("pier");
    await kubectl("delete", "machinehealthcheck", "pier");
    const metrics = await (await fetch(`${leader.healthUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /^capstan_stored_objects_rewritten_total\{definition="machinehealthchecks.*stored"\} 1$/m,
    );
    await init();
  });

  test("refuse a wrong object by their webhooks, in a sentence", async () => {
    const wrong = {
      apiVersion: AzureCluster.apiVersion,
      kind: "AzureCluster",
      metadata: { name: "wrong", namespace: "default" },
      spec: {
        location: "westeurope",
        networkSpec: { vnet: { name: "wrong", cidrBlocks: ["10.0.0.0/33"] } },
        identityRef: { kind: "AzureClusterIdentity", name: "demo-identity" },
      },
    };
    const applying = management.kubectl("apply", "-f", manifestFile("wrong", wrong));
    await expect(applying).rejects.toThrow(/spec\.networkSpec\.vnet\.cidrBlocks.*10\.0\.0\.0\/33/);
  });

  test("finish what a killed leader has begun", async () => {
    const { client, kubectl } = management;
    await kubectl("apply", "-f", "examples/cluster/");
    await eventually(async () => {
      const { status } = await client.get(AzureCluster, DEMO);
      expect(status?.longRunningOperationStates?.length).toBeGreaterThan(0);
    });
    leader.child.kill("SIGKILL");
    const dead = await leader.ended;
    logs.push(dead.err);
    expect((await client.get(AzureCluster, DEMO)).status?.ready ?? false).toBe(false);
    await eventually(async () => {
      const cluster = await client.get(Cluster, DEMO);
      expect(cluster).toHaveCondition("InfrastructureReady", "True");
      // Nobody runs a control plane here, and that is what it says.
      expect(cluster).toHaveCondition("ControlPlaneReady", "False", "WaitingForKubeconfig");
    });
    expect(management.azure.resources()).toContainEqual(expect.stringContaining("/loadBalancers/"));
    const metrics = await (await fetch(`${standby.healthUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /^capstan_azure_calls_total\{.*controller="azurecluster".*outcome="ok".*\} \d+$/m,
    );
    leader = standby;
    standby = await readyManager();
  });

  test("leave nothing in Azure when the cluster is deleted", async () => {
    await management.kubectl("delete", "cluster", "demo", "--timeout=100s");
    expect(management.azure.resources()).toEqual([]);
    expect(await management.client.find(AzureCluster, DEMO)).toBeUndefined();
  });

  longTest(
    "do all of their work on clusters of each sort",
    async () => {
      const { client, plane, kubectl } = management;
      await kubectl(
        "create",
        "-f",
        manifestFile("fleet", { apiVersion: "v1", kind: "List", items: fleetOn(plane) }),
      );
      await eventually(async () => {
        for (const name of ["reachable", "kubeadm"]) {
          const cluster = await client.get(Cluster, { name, namespace: FLEET });
          expect(cluster).toHaveCondition("InfrastructureReady", "True");
        }
        const config = await client.get(KubeadmConfig, POOL);
        expect(config).toHaveCondition("DataSecretAvailable", "True");
      });
      const kubelets = startKubelets(client, management.azure);
      await eventually(async () => {
        const [machine] = await client.list(AzureMachinePoolMachine, { namespace: FLEET });
        expect(machine?.status?.ready).toBe(true);
      });
      await kubelets.stop();
      await kubectl("delete", "cluster", "--all", "-n", FLEET, "--timeout=100s").catch(
        async (error: Error) => {
          const running = [leader, standby].filter(({ child }) => child.exitCode === null).length;
          throw new Error(`${error.message}\n${running} managers run\n${await describeFleet()}`);
        },
      );
      expect(management.azure.resources()).toEqual([]);
      // Longer than each of its waits, which say what they wait for.
    },
    400_000,
  );

  test("keep the promises of docs/how-to/management-cluster.md", async () => {
    await management.page("Make the image");
    const before = await trusted();
    expect(await management.page("Install it")).toContain("CRDs: 21 (0 new, 0 updated, 21 unchanged)");
    expect(await trusted()).toEqual(before);
    expect(await management.page("See what it may do")).toMatch(/^no$/m);
    expect(await management.page("Bring it up to date")).toContain("Deployment: capstan-manager (unchanged)");
  });

  longTest("make the cluster of that page, and delete it", async () => {
    expect(await management.page("Create a cluster")).toMatch(
      /Cluster\/demo .*Secret default\/demo-kubeconfig does not exist yet/,
    );
  });

  test("let go of identities that no cluster uses", async () => {
    await management.kubectl("delete", "azureclusteridentities", "--all", "-A", "--timeout=60s");
  });

  test("stop within 10 s of SIGTERM and give the Lease back", async () => {
    for (const manager of [standby, leader]) {
      const beganMs = performance.now();
      manager.child.kill("SIGTERM");
      const { code, err } = await manager.ended;
      logs.push(err);
      expect(code).toBe(0);
      expect(performance.now() - beganMs).toBeLessThan(10_000);
    }
    expect(await holder()).toBe("");
  });
});

describe("what the managers have left behind", () => {
  test("shows no secret in logs, events and objects", async () => {
    const { plane, client, kubectl } = management;
    const certificate = await client.get(Secret, { ...LEASE, name: "capstan-webhook-certificate" });
    const canaries = [
      DEFAULT_PRINCIPAL.clientSecret ?? "",
      plane.adminToken,
      Buffer.from(certificate.data?.["tls.key"] ?? "", "base64")
        .toString()
        .split("\n")[1] ?? "",
    ];
    const events = await kubectl("get", "events", "-A", "-o", "yaml");
    for (const text of [...logs, events]) {
      expect(text.length).toBeGreaterThan(100);
      expect(canaries.filter((canary) => canary === "" || text.includes(canary))).toEqual([]);
    }
  });

  test("needs no right that the roles do not grant", async () => {
    const requests = requestsOf(management.plane, "system:serviceaccount:capstan-system:capstan-manager");
    expect(requests.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
    const used = new Set(
      requests.flatMap(({ verb, objectRef }) => {
        // Everybody may ask a server for its version.
        if (!objectRef) return [];
        const { apiGroup = "", resource, subresource = "" } = objectRef;
        return `${verb} ${apiGroup}/${[resource, subresource].filter((part) => part !== "").join("/")}`;
      }),
    );
    // Kubernetes lets every user ask who they are (the role system:basic-user).
    used.delete("create authentication.k8s.io/selfsubjectreviews");
    const granted = new Set(
      [
        ...(await rulesOf("clusterrole", "capstan-manager")),
        ...(await rulesOf("role", "capstan-manager", "-n", "capstan-system")),
      ].flatMap(({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
        ),
      ),
    );
    // test/world/fleet/rbac.test.ts proves the other direction: every right that is granted is used.
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
  });

  test("goes as the page says", async () => {
    await management.page("Remove it");
    expect(await management.kubectl("get", "crds,clusterroles,mutatingwebhookconfigurations")).not.toMatch(
      /capstan|x-k8s\.io\/cluster/,
    );
  });
});

async function rulesOf(...what: string[]): Promise<readonly PolicyRule[]> {
  const text = await management.kubectl("get", ...what, "-o", "json");
  return (JSON.parse(text) as { rules: PolicyRule[] }).rules;
}

function manifestFile(name: string, manifest: object): string {
  const path = join(management.folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(manifest));
  return path;
}

/** The objects of a text of YAML, by kind and name. */
function byName(text: string): Map<string, object> {
  const objects = parseAllDocuments(text).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string } },
  );
  return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}
