/** Serves 30,000 Machines of about 3 KB over HTTP; `POST /_bench/touch?events=N` changes N of them as fast as it can. */
import { Machine, Namespace } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler, serveHttp } from "@capstan/env";

const MACHINES = 30_000;

const env = createRealEnv();
const { handle } = createApiServer({ env, kinds: [Namespace, Machine] });
const collection = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/machines";

function machine(index: number): object {
  const condition = (type: string): object => ({
    type,
    status: "True",
    reason: "Reconciled",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    message: `Machine ${index} is as wanted; this sentence is about as long as real ones are`,
  });
  return {
    apiVersion: Machine.apiVersion,
    kind: Machine.kind,
    metadata: {
      name: `machine-${String(index).padStart(5, "0")}`,
      labels: {
        "cluster.x-k8s.io/cluster-name": `cluster-${index % 100}`,
        "cluster.x-k8s.io/set-name": `set-${index % 1000}`,
      },
      annotations: { "example.com/notes": "x".repeat(400) },
      finalizers: ["machine.cluster.x-k8s.io"],
    },
    spec: {
      clusterName: `cluster-${index % 100}`,
      version: "v1.33.2",
      bootstrap: { dataSecretName: `bootstrap-${index}` },
      infrastructureRef: {
        apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
        kind: "AzureMachine",
        name: `machine-${index}`,
      },
      providerID: `azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/fleet/providers/Microsoft.Compute/virtualMachines/machine-${index}`,
    },
    status: {
      phase: "Running",
      nodeRef: { kind: "Node", name: `node-${index}`, apiVersion: "v1" },
      addresses: Array.from({ length: 4 }, (_, part) => ({
        type: "InternalIP",
        address: `10.0.${index % 250}.${part}`,
      })),
      conditions: [
        "Ready",
        "BootstrapReady",
        "InfrastructureReady",
        "NodeHealthy",
        "HealthCheckSucceeded",
      ].map(condition),
    },
  };
}

const json = { "content-type": "application/json" };
for (let index = 0; index < MACHINES; index++) {
  const body = machine(index) as { metadata: { name: string }; status: object };
  await handle({ method: "POST", path: collection, headers: json, body });
  await handle({
    method: "PATCH",
    path: `${collection}/${body.metadata.name}/status`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { status: body.status },
  });
}

async function touch(events: number): Promise<void> {
  for (let event = 0; event < events; event++) {
    const name = `machine-${String(event % MACHINES).padStart(5, "0")}`;
    await handle({
      method: "PATCH",
      path: `${collection}/${name}`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { annotations: { "example.com/touched": `${event}-${env.uuid()}` } } },
    });
    // Watchers get their turn: a loop that never yields would only measure how long their buffers are.
    if (event % 50 === 0) await env.clock.sleep(0);
  }
}

const withTouch: Handler = async (request) => {
  const touched = /^\/_bench\/touch\?events=(\d+)$/.exec(request.path);
  if (touched) {
    await touch(Number(touched[1]));
    return {
      status: 200,
      headers: {},
      text: () => Promise.resolve("{}"),
      json: () => Promise.resolve({}),
      lines: () => [] as never,
    };
  }
  return handle(request);
};

const server = await serveHttp(withTouch);
console.log(`http://127.0.0.1:${server.port}`);
