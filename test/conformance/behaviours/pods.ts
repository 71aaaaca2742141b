import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal, type KubeBody } from "../body.ts";
import type { Answer, Api } from "../kit.ts";

const READY = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

async function createPod(api: Api, name: string, spec: object = {}): Promise<KubeBody> {
  return api.create(api.inNamespace("pods"), {
    metadata: { name, labels: { app: "boat" } },
    spec: { containers: [{ name: "main", image: "boat:1" }], ...spec },
  });
}

/** A pod that counts as healthy for budgets. */
async function createReadyPod(api: Api, name: string): Promise<void> {
  await createPod(api, name, { nodeName: "somewhere" });
  await api.patch(api.inNamespace(`pods/${name}/status`), "merge", { status: READY });
}

const budgets = (api: Api): string => `/apis/policy/v1/namespaces/${api.namespace}/poddisruptionbudgets`;

/** A budget for all boats, once its controller has counted this many disruptions as allowed. */
async function createBudget(api: Api, minAvailable: number, allowed: number): Promise<void> {
  await api.create(budgets(api), {
    metadata: { name: "budget" },
    spec: { minAvailable, selector: { matchLabels: { app: "boat" } } },
  });
  await api.eventually(async () => {
    const { body } = await api.get(`${budgets(api)}/budget`);
    expect(body.status).toMatchObject({ observedGeneration: 1, disruptionsAllowed: allowed });
  });
}

const evict = (api: Api, name: string, rest: object = {}): Promise<Answer> =>
  api.post(api.inNamespace(`pods/${name}/eviction`), {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
    ...rest,
  });

const SUCCESS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** What is special about pods. */
export const podBehaviours: readonly Behaviour[] = [
  behaviour("a pod is created pending with what a pod needs by default", async (api) => {
    const pod = await createPod(api, "a");
    expect(pod.status).toMatchObject({ phase: "Pending" });
    expect(pod.spec).toMatchObject({
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
    });
  }),

  behaviour("a binding puts a pod on a node", async (api) => {
    await createPod(api, "a");
    const answer = await api.post(api.inNamespace("pods/a/binding"), {
      metadata: { name: "a" },
      target: { kind: "Node", name: "somewhere" },
    });
    expect([answer.status, answer.body]).toEqual([201, SUCCESS]);
    const { body } = await api.get(api.inNamespace("pods/a"));
    expect(body.spec["nodeName"]).toBe("somewhere");
    expect(body.status).toMatchObject({ conditions: [{ type: "PodScheduled", status: "True" }] });
  }),

  behaviour("a pod is bound only once", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere" });
    const answer = await api.post(api.inNamespace("pods/a/binding"), {
      metadata: { name: "a" },
      target: { kind: "Node", name: "elsewhere" },
    });
    expectRefusal(answer, {
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "somewhere"',
      details: { name: "a", kind: "pods/binding" },
    });
  }),

  behaviour("the node of a pod may not change", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere" });
    const answer = await api.patch(api.inNamespace("pods/a"), "merge", { spec: { nodeName: "elsewhere" } });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(
      'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields',
    );
  }),

  behaviour("a pod that no node has is deleted at once", async (api) => {
    await createPod(api, "a");
    const answer = await api.delete(api.inNamespace("pods/a"));
    expect([answer.status, answer.body.kind]).toEqual([200, "Pod"]);
    expect((await api.get(api.inNamespace("pods/a"))).status).toBe(404);
  }),

  behaviour("a pod on a node gets its grace period to end", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere", terminationGracePeriodSeconds: 40 });
    const { body } = await api.delete(api.inNamespace("pods/a"));
    expect(body.metadata.deletionGracePeriodSeconds).toBe(40);
    const due = Date.parse(body.metadata.deletionTimestamp) - Date.parse(body.metadata.creationTimestamp);
    expect(due).toBeGreaterThanOrEqual(40_000);
    expect((await api.get(api.inNamespace("pods/a"))).status).toBe(200);
  }),

  behaviour("a grace period can be given, and later be shortened but not prolonged", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere" });
    const path = api.inNamespace("pods/a");
    const periods = [];
    for (const gracePeriodSeconds of [20, 10, 15]) {
      const { body } = await api.delete(path, { gracePeriodSeconds });
      periods.push(body.metadata.deletionGracePeriodSeconds);
    }
    expect(periods).toEqual([20, 10, 10]);
  }),

  behaviour("a grace period of zero deletes a pod at once", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere" });
    await api.delete(api.inNamespace("pods/a"), { gracePeriodSeconds: 0 });
    expect((await api.get(api.inNamespace("pods/a"))).status).toBe(404);
  }),

  behaviour("a pod that has run to its end is deleted at once", async (api) => {
    await createPod(api, "a", { nodeName: "somewhere" });
    await api.patch(api.inNamespace("pods/a/status"), "merge", { status: { phase: "Succeeded" } });
    await api.delete(api.inNamespace("pods/a"));
    expect((await api.get(api.inNamespace("pods/a"))).status).toBe(404);
  }),

  behaviour("an eviction without a budget deletes the pod", async (api) => {
    await createPod(api, "a");
    const answer = await evict(api, "a");
    expect([answer.status, answer.body]).toEqual([201, SUCCESS]);
    expect((await api.get(api.inNamespace("pods/a"))).status).toBe(404);
  }),

  behaviour("an eviction that a budget forbids is refused with 429 and the budget", async (api) => {
    await createReadyPod(api, "a");
    await createBudget(api, 1, 0);
    const answer = await evict(api, "a");
    expectRefusal(answer, {
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget budget needs 1 healthy pods and has 1 currently",
          },
        ],
      },
    });
    expect((await api.get(api.inNamespace("pods/a"))).body.metadata.deletionTimestamp).toBeUndefined();
  }),

  behaviour("an eviction that a budget allows is counted against it", async (api) => {
    for (const name of ["a", "b"]) await createReadyPod(api, name);
    await createBudget(api, 1, 1);
    expect((await evict(api, "a")).status).toBe(201);
    expect((await evict(api, "b")).status).toBe(429);
  }),

  behaviour("a dry run of an eviction obeys budgets and deletes nothing", async (api) => {
    for (const name of ["a", "b"]) await createReadyPod(api, name);
    await createBudget(api, 1, 1);
    const deleteOptions = { dryRun: ["All"] };
    expect((await evict(api, "a", { deleteOptions })).status).toBe(201);
    expect((await evict(api, "b", { deleteOptions })).status).toBe(201);
    const { body } = await api.get(api.inNamespace("pods/a"));
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect((await api.get(`${budgets(api)}/budget`)).body.status).toMatchObject({ disruptionsAllowed: 1 });
  }),

  behaviour("a pod that never ran may be evicted with any budget", async (api) => {
    await createReadyPod(api, "a");
    await createPod(api, "b");
    await createBudget(api, 1, 0);
    expect((await evict(api, "b")).status).toBe(201);
    expect((await api.get(api.inNamespace("pods/b"))).status).toBe(404);
  }),

  behaviour("a pod of two budgets cannot be evicted", async (api) => {
    for (const name of ["a", "b"]) await createReadyPod(api, name);
    await createBudget(api, 1, 1);
    await api.create(budgets(api), {
      metadata: { name: "second" },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: "boat" } } },
    });
    const answer = await api.eventually(async () => {
      const refused = await evict(api, "a", { deleteOptions: { dryRun: ["All"] } });
      expect(refused.status).toBe(500);
      return refused;
    });
    expect(answer.body.message).toBe(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }),

  behaviour("a budget counts the pods it is about", async (api) => {
    for (const name of ["a", "b", "c"]) await createReadyPod(api, name);
    await createPod(api, "d");
    await createBudget(api, 2, 1);
    // The controller of Kubernetes may see the last pod a moment after the budget.
    await api.eventually(async () => {
      const { body } = await api.get(`${budgets(api)}/budget`);
      expect(body.status).toMatchObject({
        currentHealthy: 3,
        desiredHealthy: 2,
        expectedPods: 4,
        disruptionsAllowed: 1,
        conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
      });
    });
  }),

  behaviour("an eviction of a pod that is not there is refused", async (api) => {
    expectRefusal(await evict(api, "a"), {
      code: 404,
      reason: "NotFound",
      message: 'pods "a" not found',
      details: { name: "a", kind: "pods" },
    });
  }),

  behaviour("an eviction whose name is not the pod's is refused", async (api) => {
    await createPod(api, "a");
    const answer = await evict(api, "a", { metadata: { name: "b" } });
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      400,
      "BadRequest",
      "name in URL does not match name in Eviction object",
    ]);
  }),
];
