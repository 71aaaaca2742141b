import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  builtInKind,
  type CustomKind,
  type KubernetesObject,
  Namespace,
  Secret,
  toCustomResourceDefinition,
} from "@capstan/api";
import { createApiServer, createAuthority, issueCertificate } from "@capstan/apiserver";
import { createHttpTransport, createRealEnv, type HttpRequest, type Transport } from "@capstan/env";
import { CERTIFICATE_SECRET, reviewedKinds, WEBHOOK_CONFIGURATION, WebhookServer } from "@capstan/manager";
import { type Client, createClient, silentLogger } from "@capstan/runtime";
import { azureCluster, azureClusterIdentity, azureMachinePool } from "@capstan/runtime/testing/builders";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { killAll, launch } from "../journeys/capstan.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";
import { freePort } from "./free-port.ts";

const namespace = "capstan-system";
const env = createRealEnv();

interface Configuration extends KubernetesObject {
  webhooks: { clientConfig: { url?: string; caBundle?: string } }[];
}
const configurationKind = (kind: string, plural: string) =>
  builtInKind<Configuration>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind,
    plural,
    namespaced: false,
  });
const configurations = [
  {
    verb: "mutate",
    kind: configurationKind("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  },
  {
    verb: "validate",
    kind: configurationKind("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
  },
];

let plane: ControlPlane;
let transport: Transport;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane();
  transport = plane.connect();
  client = createClient({ transport, env, fieldManager: "test" });
  await client.create(Namespace, { metadata: { name: namespace } });
  await Promise.all(
    reviewedKinds.map((kind) =>
      establish(client, toCustomResourceDefinition(kind) as unknown as CustomResourceDefinition),
    ),
  );
});
afterAll(async () => {
  await transport.close();
  await plane.stop();
});
afterEach(killAll);

/** Has kube-apiserver ask at an address; whom to trust there is left to the manager. */
async function configure(clientConfig: (verb: string) => object): Promise<void> {
  for (const { verb, kind } of configurations) {
    const webhook = {
      name: `${verb}.capstan.cluster.x-k8s.io`,
      admissionReviewVersions: ["v1"],
      clientConfig: clientConfig(verb),
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      sideEffects: "None",
      timeoutSeconds: 10,
      rules: [...Map.groupBy(reviewedKinds, ({ apiVersion }) => apiVersion).values()].map((kinds) => ({
        apiGroups: [kinds[0]?.group],
        apiVersions: [kinds[0]?.version],
        operations: ["CREATE", "UPDATE"],
        resources: kinds.map(({ plural }) => plural),
        scope: "*",
      })),
    };
    await client.create(kind, { metadata: { name: WEBHOOK_CONFIGURATION }, webhooks: [webhook] });
  }
}

async function forget(): Promise<void> {
  for (const { kind } of configurations) await client.delete(kind, { name: WEBHOOK_CONFIGURATION });
  await client.delete(Secret, { namespace, name: CERTIFICATE_SECRET });
}

/** Moves the webhooks to a port; kube-apiserver hears of it a moment later, and of whom to trust as well. */
async function moveTo(port: number): Promise<void> {
  for (const { verb, kind } of configurations) {
    const url = {
      op: "replace",
      path: "/webhooks/0/clientConfig/url",
      value: `https://127.0.0.1:${port}/${verb}`,
    };
    await client.patch(kind, { name: WEBHOOK_CONFIGURATION }, { type: "json", body: [url] });
  }
  await eventually(async () => (await dryRun(AzureCluster, azureCluster())).status === 201);
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await holds()); attempt++) {
    if (attempt === 200) throw new Error("it never came to that");
    await sleep(100);
  }
}

/** An answer, as a client sees it. */
interface Answer {
  readonly status: number;
  readonly warning: string;
  readonly body: KubernetesObject & Record<string, unknown>;
}

async function send(to: Pick<Transport, "request">, request: Omit<HttpRequest, "headers">): Promise<Answer> {
  const { status, headers, ...answer } = await to.request({
    ...request,
    headers: { "content-type": "application/json" },
  });
  const body = (await answer.json()) as Answer["body"];
  return { status, warning: headers["warning"] ?? "", body };
}

function dryRun(
  kind: CustomKind,
  object: object,
  to: Pick<Transport, "request"> = transport,
): Promise<Answer> {
  const { group, version, plural, namespaced } = kind;
  const path = `/apis/${group}/${version}${namespaced ? "/namespaces/default" : ""}/${plural}?dryRun=All`;
  return send(to, { method: "POST", path, body: object });
}

function webhookServer(): WebhookServer {
  return new WebhookServer({
    env,
    log: silentLogger,
    client,
    namespace,
    host: "127.0.0.1",
    port: 0,
    hosts: ["127.0.0.1"],
    issue: async (hosts) => {
      const authority = await createAuthority(env);
      return { ca: authority.cert, ...(await issueCertificate(env, authority, { type: "server", hosts })) };
    },
    assertMayWrite: () => undefined,
  });
}

describe("a real kube-apiserver", () => {
  const embedded = createApiServer({ env, kinds: [Namespace, ...reviewedKinds] });
  const inProcess = { request: embedded.handle };
  let server: WebhookServer;
  beforeAll(async () => {
    // Nobody listens at port 1; the manager finds the configurations when it starts, and so they are trusted at once.
    await configure((verb) => ({ url: `https://127.0.0.1:1/${verb}` }));
    server = webhookServer();
    await server.start();
    await moveTo(server.port ?? 0);
  });
  afterAll(async () => {
    await server.stop();
    embedded.close();
    await forget();
  });

  test("fills in the same defaults as the embedded one", async () => {
    for (const [kind, object] of [
      [AzureCluster, azureCluster()],
      [AzureMachinePool, azureMachinePool()],
    ] as const) {
      const [real, own] = [await dryRun(kind, object), await dryRun(kind, object, inProcess)];
      expect([real.status, own.status]).toEqual([201, 201]);
      expect(real.body["spec"]).toEqual(own.body["spec"]);
      expect(real.body["spec"]).not.toEqual((object as unknown as Answer["body"])["spec"]);
    }
  });

  test("generates names that the defaults are made of", async () => {
    const { name: _, ...metadata } = azureCluster().metadata;
    const { status, body } = await dryRun(AzureCluster, {
      ...azureCluster(),
      metadata: { ...metadata, generateName: "prod-" },
    });
    expect([status, body.metadata.name]).toEqual([201, expect.stringMatching(/^prod-.{5}$/)]);
    expect(body["spec"]).toMatchObject({ resourceGroup: body.metadata.name });
  });

  test.each<[string, CustomKind, object]>([
    [
      "an AzureMachinePool",
      AzureMachinePool,
      azureMachinePool({ spec: { template: { osDisk: { diskSizeGB: -1 } } } }),
    ],
    [
      "an AzureCluster with two faults",
      AzureCluster,
      azureCluster({
        spec: {
          resourceGroup: "not.allowed.",
          networkSpec: { vnet: { name: "v", cidrBlocks: ["10.0.0.0/40"] } },
        },
      }),
    ],
  ])("refuses %s in the words of the embedded one", async (_, kind, object) => {
    const [real, own] = [await dryRun(kind, object), await dryRun(kind, object, inProcess)];
    expect([real.status, own.status]).toEqual([422, 422]);
    const { message, ...rest } = own.body;
    const prefix = 'admission webhook "validate.capstan.cluster.x-k8s.io" denied the request: ';
    expect(real.body["message"]).toBe(`${prefix}${String(message)}`);
    expect(real.body).toMatchObject({ code: rest["code"], reason: rest["reason"], details: rest["details"] });
  });

  test("hands on what is allowed but probably not meant", async () => {
    const identity = azureClusterIdentity({
      spec: { type: "ManualServicePrincipal", clientSecret: { name: "s", namespace: "default" } },
    });
    const [real, own] = [
      await dryRun(AzureClusterIdentity, identity),
      await dryRun(AzureClusterIdentity, identity, inProcess),
    ];
    expect([real.status, own.status, real.warning]).toEqual([201, 201, own.warning]);
    expect(real.warning).not.toBe("");
  });

  test("compares with what is stored, and lets the status and deletions pass", async () => {
    const cluster = await client.create(AzureCluster, azureCluster());
    const change = { spec: { location: "elsewhere" } };
    await expect(
      client.patch(AzureCluster, cluster.metadata, { type: "merge", body: change }),
    ).rejects.toThrow("spec.location");
    const { status } = await client.patch(AzureCluster, cluster.metadata, {
      type: "merge",
      subresource: "status",
      body: { status: { ready: true } },
    });
    expect(status?.ready).toBe(true);
    await client.delete(AzureCluster, cluster.metadata);
  });

  test("refuses everything while nobody can be asked, and goes on when somebody can", async () => {
    await server.stop();
    // A connection that was open is closed by now; a new one is refused.
    const { status, body } = await dryRun(AzureCluster, azureCluster());
    expect(status).toBe(500);
    expect(body["message"]).toContain('failed calling webhook "mutate.capstan.cluster.x-k8s.io"');
    server = webhookServer();
    await server.start();
    await moveTo(server.port ?? 0);
    expect((await dryRun(AzureCluster, azureCluster())).status).toBe(201);
  });
});

describe("capstan manager", () => {
  const managerArgs = (webhookPort: number, healthPort: number): string[] => {
    const flags = `--webhook-port ${webhookPort} --health-addr 127.0.0.1:${healthPort}`;
    return ["manager", "--kubeconfig", plane.kubeconfig, ...flags.split(" ")];
  };

  test("serves webhooks for its Service, and is ready only then", async () => {
    await configure((verb) => ({
      service: { name: "capstan-webhooks", namespace, path: `/${verb}`, port: 443 },
    }));
    const [webhookPort, healthPort] = [await freePort(), await freePort()];
    const running = launch(managerArgs(webhookPort, healthPort));
    const health = createHttpTransport({ baseUrl: `http://127.0.0.1:${healthPort}` });
    await eventually(async () => {
      const answer = await health
        .request({ method: "GET", path: "/readyz", headers: {} })
        .catch(() => undefined);
      await answer?.text();
      return answer?.status === 200;
    });
    const secret = await client.get(Secret, { namespace, name: CERTIFICATE_SECRET });
    const ca = Buffer.from(secret.data?.["ca.crt"] ?? "", "base64").toString();
    for (const serverName of [
      `capstan-webhooks.${namespace}.svc`,
      `capstan-webhooks.${namespace}.svc.cluster.local`,
    ]) {
      const webhooks = createHttpTransport({ baseUrl: `https://127.0.0.1:${webhookPort}`, ca, serverName });
      const answer = await webhooks.request({ method: "POST", path: "/mutate", headers: {}, body: "{}" });
      expect([answer.status, await answer.text()]).toMatchObject([
        400,
        expect.stringContaining("expected an AdmissionReview"),
      ]);
      await webhooks.close();
    }
    await eventually(async () => {
      const found = await Promise.all(
        configurations.map(({ kind }) => client.get(kind, { name: WEBHOOK_CONFIGURATION })),
      );
      return found.every(({ webhooks }) => webhooks[0]?.clientConfig.caBundle === secret.data?.["ca.crt"]);
    });
    running.child.kill("SIGTERM");
    const { code } = await running.ended;
    expect(code).toBe(0);
    await health.close();
    await forget();
  });

  test("says which port is taken", async () => {
    const listener = createServer().listen(0, "0.0.0.0");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const { code, err } = await launch(managerArgs(port, await freePort())).ended;
    listener.close();
    expect(code).toBe(1);
    expect(err).toContain(`port ${port} is in use; choose another with --webhook-port, or 0 for no webhooks`);
    await client.delete(Secret, { namespace, name: CERTIFICATE_SECRET });
  });
});
