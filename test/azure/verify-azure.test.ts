/** `capstan verify azure` against the simulated Azure: it finds nothing, and each assumption that is falsified. */
import type { JsonObject } from "@capstan/api";
import { Azure, cloudNamed } from "@capstan/azure";
import {
  type Azure as SimulatedAzure,
  createAzure,
  DEFAULT_PRINCIPAL,
  DEFAULT_SUBSCRIPTION,
} from "@capstan/azure-sim";
import {
  AdjustableClock,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  Scheduler,
  VirtualProcess,
} from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { expect, test } from "vitest";
import { ASSUMPTIONS } from "../../packages/cli/src/verify/assumptions.ts";
import type { Checked } from "../../packages/cli/src/verify/run-checks.ts";
import { cleanUp, verifyAzure } from "../../packages/cli/src/verify/verify-azure.ts";

const SUBSCRIPTION = `/subscriptions/${DEFAULT_SUBSCRIPTION}`;
const PLACE = {
  group: `${SUBSCRIPTION}/resourceGroups/capstan-verify-1`,
  location: "westus",
  size: "Standard_D2s_v3",
  otherSize: "Standard_D4s_v3",
  password: "Aa1!simulated",
};

/** What an Azure does that is not as assumed: it changes requests or answers. */
type Falsehood = (request: HttpRequest, pass: Handler) => Promise<HttpResponse>;

/** A simulated Azure, our client of it, and one virtual time. */
class Scene {
  readonly scheduler = new Scheduler({ seed: "verify" });
  readonly process = new VirtualProcess(this.scheduler, "capstan");
  readonly sim: SimulatedAzure;
  readonly stop = new AbortController();
  #headers: Readonly<Record<string, string>> = {};
  readonly #falsehood: Falsehood;

  constructor(falsehood: Falsehood = (request, pass) => pass(request)) {
    const env = new VirtualProcess(this.scheduler, "azure");
    this.sim = createAzure({ env, clock: new AdjustableClock(env.clock), seed: "verify" });
    this.sim.core.onCommand(() => ({ exitCode: 0, output: `${"0123456789abcdef".repeat(2)}\n`, error: "" }));
    this.#falsehood = falsehood;
  }

  ports() {
    const transport = this.process.connect(async (request) => {
      const response = await this.#falsehood(request, this.sim.handle);
      this.#headers = response.headers;
      return response;
    }, {});
    const azure = new Azure({
      env: this.process,
      cloud: cloudNamed(),
      connect: () => transport,
      readSecret: () => Promise.resolve(undefined),
      readFile: () => Promise.reject(new Error("there are no files")),
      namespaceLabels: () => Promise.resolve({}),
    });
    const tokens = {
      principal: DEFAULT_PRINCIPAL.clientId,
      token: () => Promise.resolve(new Sensitive(this.sim.issueToken().token)),
      forget: () => undefined,
    };
    return {
      arm: azure.armWith(tokens, "verify"),
      clock: this.process.clock,
      headers: () => this.#headers,
      signal: this.stop.signal,
    };
  }

  async run<T>(promise: Promise<T>): Promise<T> {
    const progress = { isSettled: false };
    const settle = (): void => void (progress.isSettled = true);
    promise.then(settle, settle);
    while (!progress.isSettled) await this.scheduler.run({ until: () => progress.isSettled });
    return await promise;
  }

  verify(begins: (id: string) => void = () => undefined): Promise<readonly Checked[]> {
    const verification = {
      place: PLACE,
      assumptions: ASSUMPTIONS,
      begins: ({ id }: { readonly id: string }) => begins(id),
      ended: () => undefined,
    };
    return this.run(verifyAzure(this.ports(), verification));
  }

  left(): readonly string[] {
    return this.sim.control.state().resources.map(({ id }) => id);
  }
}

const verdicts = (all: readonly Checked[], verdict: string): readonly string[] =>
  all.filter((one) => one.verdict === verdict).map(({ assumption }) => assumption.id);

test("the simulated Azure does what is assumed, and nothing is left behind", async () => {
  const scene = new Scene();
  const all = await scene.verify();
  expect(
    all.filter(({ verdict }) => verdict !== "holds").map(({ assumption, saw }) => [assumption.id, saw]),
  ).toEqual([]);
  expect(all.map(({ assumption }) => assumption.id)).toEqual(ASSUMPTIONS.map(({ id }) => id));
  expect(scene.left()).toEqual([]);
});

/** Changes the body of answers to requests whose method and path match. */
function answering(pattern: RegExp, change: (body: JsonObject) => JsonObject): Falsehood {
  return async (request, pass) => {
    const response = await pass(request);
    if (!pattern.test(`${request.method} ${request.path.split("?")[0]}`) || response.status >= 300)
      return response;
    const body = change(JSON.parse(await response.text()) as JsonObject);
    return {
      ...response,
      text: () => Promise.resolve(JSON.stringify(body)),
      json: () => Promise.resolve(body),
    };
  };
}

/** Changes the requests whose method and path match. */
function asking(pattern: RegExp, change: (request: HttpRequest) => HttpRequest): Falsehood {
  return (request, pass) =>
    pass(pattern.test(`${request.method} ${request.path.split("?")[0]}`) ? change(request) : request);
}

/** Refuses the requests whose method and path match. */
function refusing(pattern: RegExp): Falsehood {
  const body = { error: { code: "OperationNotAllowed", message: "not here" } };
  return (request, pass) =>
    pattern.test(`${request.method} ${request.path.split("?")[0]}`)
      ? Promise.resolve({
          status: 409,
          headers: {},
          text: () => Promise.resolve(JSON.stringify(body)),
          json: () => Promise.resolve(body),
          async *lines() {
            yield body;
          },
        })
      : pass(request);
}

function bodyOf(request: HttpRequest): Record<string, unknown> {
  return JSON.parse(String(request.body)) as Record<string, unknown>;
}

const SET = "virtualMachineScaleSets/capstan";

const FALSEHOODS: Readonly<Record<string, Falsehood>> = {
  "scale-set": asking(new RegExp(`^PUT .*${SET}$`), (request) => {
    const body = bodyOf(request);
    return {
      ...request,
      body: JSON.stringify({ ...body, sku: { ...(body["sku"] as object), capacity: 3 } }),
    };
  }),
  "if-match": asking(
    new RegExp(`^PUT .*${SET}$`),
    ({ headers: { "if-match": _, ...headers }, ...request }) => ({
      ...request,
      headers,
    }),
  ),
  "list-cost": async (request, pass) => {
    const response = await pass(request);
    const { "x-ms-ratelimit-remaining-resource": left, ...headers } = response.headers;
    return left === undefined ? response : { ...response, headers };
  },
  "update-instances": answering(new RegExp(`^GET .*${SET}/virtualMachines/\\d+$`), (body) => ({
    ...body,
    properties: { ...(body["properties"] as object), latestModelApplied: true },
  })),
  "run-command": answering(/^GET .*\/runCommands\/capstan$/, (body) => ({ ...body, properties: {} })),
  "power-off-start": refusing(/^POST .*\/poweroff$/i),
  "snapshot-of-instance": refusing(/^PUT .*\/snapshots\/capstan$/),
  "version-from-snapshot": refusing(/^PUT .*\/versions\/1\.0\.0$/),
  "machine-from-version": refusing(/^PUT .*\/virtualMachines\/capstan$/),
  resize: refusing(/^PATCH .*\/virtualMachines\/capstan$/),
  "set-by-definition": refusing(/^PUT .*capstan-definition$/),
  "exclude-from-latest": asking(/^PUT .*\/versions\/1\.0\.1$/, (request) => ({
    ...request,
    body: String(request.body).replace('"excludeFromLatest":true', '"excludeFromLatest":false'),
  })),
  "delete-instance": answering(new RegExp(`^GET .*${SET}$`), (body) => ({
    ...body,
    sku: { ...(body["sku"] as object), capacity: 2 },
  })),
};

test.each(ASSUMPTIONS.map(({ id }) => id))("an Azure that does otherwise about %s is found", async (id) => {
  const scene = new Scene(FALSEHOODS[id]);
  const all = await scene.verify();
  expect(verdicts(all, "differs")).toEqual([id]);
  const dependent = verdicts(all, "not checked");
  for (const one of ASSUMPTIONS) {
    const needsIt = one.needs.some((need) => need === id || dependent.includes(need));
    expect([one.id, dependent.includes(one.id)]).toEqual([one.id, needsIt]);
  }
  expect(scene.left()).toEqual([]);
});

test("Ctrl-C in the middle of a check deletes what was created", async () => {
  const scene = new Scene();
  const verified = scene.verify((id) => {
    if (id === "version-from-snapshot") scene.stop.abort(new Error("stopped"));
  });
  await expect(verified).rejects.toThrow("stopped");
  expect(scene.left()).toEqual([]);
});

test("a group that exists is neither used nor deleted, and clean-up deletes only groups of verifications", async () => {
  const scene = new Scene();
  const { arm } = scene.ports();
  await scene.run(arm.put(PLACE.group, { location: PLACE.location }));
  await expect(scene.verify()).rejects.toThrow("capstan-verify-1 exists");
  const left = `${SUBSCRIPTION}/resourceGroups/capstan-verify-2`;
  await scene.run(arm.put(left, { location: PLACE.location, tags: { "capstan-verify": "true" } }));
  expect(await scene.run(cleanUp(scene.ports(), SUBSCRIPTION))).toEqual(["capstan-verify-2"]);
  expect(await scene.run(arm.head(PLACE.group))).toBe(true);
});
