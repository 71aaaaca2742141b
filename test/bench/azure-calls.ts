/** One read of a scale set in three ways: bare, through the official SDK and through our client. */
import { ComputeManagementClient } from "@azure/arm-compute";
import { createHttpHeaders, type HttpClient } from "@azure/core-rest-pipeline";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { createRealEnv, type Env, type Handler } from "@capstan/env";
import { Azure, cloudNamed } from "@capstan/azure";
import { Sensitive } from "@capstan/runtime";
import { type Cloud, GROUP, startCloud, withScaleSet } from "../azure/cloud.ts";

/** The ways to read it from one server; each reads it once. */
export type Ways = Readonly<Record<"bare" | "sdk" | "client", () => Promise<unknown>>>;

/** A server, and how to get into it. */
interface Server {
  readonly env: Env;
  readonly handler: Handler;
  /** A token for the next request. */
  readonly token: () => string;
}

const PATH = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const QUERY = "?api-version=2024-11-01";
const START_MS = Date.UTC(2026, 0, 1);
// A scale set may be read 12 times a minute; so much time passes before each read, and nothing is ever refused.
const BETWEEN_READS_MS = 5500;
// A token lives for an hour.
const READS_PER_TOKEN = 500;

/** Ways into the simulator, and into a handler that knows one answer: what the ways themselves cost. */
export async function waysToRead(): Promise<{ readonly simulator: Ways; readonly bound: Ways }> {
  const simulator = await startSimulator();
  const answer = await simulator.handler({
    method: "GET",
    path: PATH + QUERY,
    headers: { authorization: `Bearer ${simulator.token()}` },
  });
  const [status, headers, body, text] = [200, answer.headers, await answer.json(), await answer.text()];
  const known = {
    status,
    headers,
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(text),
    lines: () => {
      throw new TypeError("this answer is no stream");
    },
  };
  const bound: Server = { env: simulator.env, handler: () => Promise.resolve(known), token: simulator.token };
  return { simulator: waysTo(simulator), bound: waysTo(bound) };
}

/** A simulator with everything switched on and a scale set of three in it. Taking a token advances its time. */
async function startSimulator(): Promise<Server> {
  let movedMs = 0;
  let cloud: Cloud | undefined = undefined as Cloud | undefined;
  const monotonic = (): number => movedMs + (cloud?.scheduler.monotonicMs ?? 0);
  const clock = {
    now: () => START_MS + monotonic(),
    monotonic,
    // Due events happen at the next request, so no timer is needed.
    timer: () => ({ cancel: () => undefined }),
    sleep: () => Promise.reject(new Error("the benchmark must not wait")),
  };
  const env = { ...createRealEnv(), clock };
  cloud = startCloud({ env });
  await withScaleSet(cloud, 3);
  const { azure } = cloud;
  let [reads, token] = [0, ""];
  return {
    env,
    handler: azure.handle,
    token: () => {
      movedMs += BETWEEN_READS_MS;
      if (reads++ % READS_PER_TOKEN === 0) ({ token } = azure.issueToken());
      return token;
    },
  };
}

function waysTo(server: Server): Ways {
  const compute = new ComputeManagementClient(
    { getToken: () => Promise.resolve({ token: "none", expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) },
    DEFAULT_SUBSCRIPTION,
    { httpClient: httpClientOf(server), retryOptions: { maxRetries: 0 } },
  );
  const unused = (): Promise<never> => Promise.reject(new Error("no identity is looked up here"));
  const arm = new Azure({
    cloud: cloudNamed(),
    env: server.env,
    connect: () => ({ request: server.handler, close: () => Promise.resolve() }),
    readSecret: unused,
    readFile: unused,
    namespaceLabels: unused,
  }).armWith(
    {
      principal: "bench",
      token: () => Promise.resolve(new Sensitive(server.token())),
      forget: () => undefined,
    },
    "bench",
  );
  return {
    bare: async () => {
      const headers = { authorization: `Bearer ${server.token()}` };
      const answer = await server.handler({ method: "GET", path: PATH + QUERY, headers });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return answer.json();
    },
    sdk: () => compute.virtualMachineScaleSets.get(GROUP, "pool"),
    client: () => arm.get(PATH),
  };
}

/** Azure's own pipeline, with a server in the place of the network. */
function httpClientOf(server: Server): HttpClient {
  return {
    sendRequest: async (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = { ...request.headers.toJSON(), authorization: `Bearer ${server.token()}` };
      const answer = await server.handler({ method: request.method, path: pathname + search, headers });
      const bodyAsText = await answer.text();
      return { request, status: answer.status, headers: createHttpHeaders(answer.headers), bodyAsText };
    },
  };
}
