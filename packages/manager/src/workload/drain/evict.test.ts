import { Scheduler, VirtualProcess } from "@capstan/env";
import type { Frozen, Pod } from "@capstan/api";
import { type Client, Failure, transient } from "@capstan/runtime";
import { pod } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { evictPods } from "./evict.ts";
import { Refusals } from "./refusals.ts";
import type { Eviction } from "./kinds.ts";

const podOf = (name: string, app: string, namespace = "default"): Pod =>
  pod({ metadata: { name, namespace, uid: `uid-${name}`, labels: { app } } });

const refusal = (reason: string, retryAfterMs?: number): Failure =>
  transient(reason, `the server said ${reason}`, retryAfterMs === undefined ? {} : { retryAfterMs });

/** A server that answers evictions by the name of the pod, and has some budgets. */
function serverWith(
  answers: Readonly<Record<string, Failure>>,
  budgets: Readonly<Record<string, object>> = {},
) {
  const asked: Frozen<Eviction>[] = [];
  const lists: (string | undefined)[] = [];
  const client = {
    create: (_kind: unknown, object: Frozen<Eviction>) => {
      asked.push(object);
      const failure = answers[object.metadata.name];
      return failure ? Promise.reject(failure) : Promise.resolve(object);
    },
    list: (_kind: unknown, { namespace }: { namespace?: string } = {}) => {
      lists.push(namespace);
      return Promise.resolve(
        Object.entries(budgets).map(([name, selector]) => ({
          metadata: { name, namespace },
          spec: { selector },
        })),
      );
    },
  } as unknown as Pick<Client, "create" | "list">;
  return { client, asked, lists };
}

const { clock } = new VirtualProcess(new Scheduler({ seed: "evict" }), "p");
const refusals = new Refusals(clock);
const REACHABLE = { isUnreachable: false, refusals };
const WEB = { matchLabels: { app: "web" } };

describe("an eviction", () => {
  test("names the pod's UID, and keeps its grace period unless no kubelet can stop it", async () => {
    for (const isUnreachable of [false, true]) {
      const { client, asked } = serverWith({});
      const one = podOf("a", "web");
      expect(await evictPods(client, [one], { isUnreachable, refusals })).toEqual({
        evicted: [one],
        gone: [],
        refused: [],
      });
      expect(asked).toEqual([
        {
          metadata: { name: "a", namespace: "default" },
          deleteOptions: { preconditions: { uid: "uid-a" }, ...(isUnreachable && { gracePeriodSeconds: 1 }) },
        },
      ]);
    }
  });

  test.each(["NotFound", "Conflict"] as const)("that meets %s counts its pod as gone", async (failure) => {
    const { client } = serverWith({ a: new Failure(failure, failure, { message: "x" }) });
    const one = podOf("a", "web");
    expect(await evictPods(client, [one], REACHABLE)).toEqual({ evicted: [], gone: [one], refused: [] });
  });

  test("that a budget refuses names the budget, with one list of the budgets of a namespace", async () => {
    const { client, lists } = serverWith(
      { a: refusal("TooManyRequests"), b: refusal("TooManyRequests", 10_000) },
      {
        web: WEB,
        other: { matchLabels: { app: "other" } },
        none: { matchLabels: {}, matchExpressions: [{ key: "app", operator: "DoesNotExist" }] },
      },
    );
    const { refused, evicted } = await evictPods(
      client,
      [podOf("a", "web"), podOf("b", "web"), podOf("c", "web")],
      REACHABLE,
    );
    expect(refused).toMatchObject([
      { pod: { metadata: { name: "a" } }, why: "PodDisruptionBudget default/web allows no disruption now" },
      { pod: { metadata: { name: "b" } }, retryAfterMs: 10_000 },
    ]);
    expect(evicted.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    expect(lists).toEqual(["default"]);
  });

  // Kubernetes gives no reason with its 500.
  test.each(["InternalError", "HTTP500"])("that two budgets refuse names both: %s", async (reason) => {
    const { client } = serverWith({ a: refusal(reason) }, { one: WEB, two: WEB });
    const { refused } = await evictPods(client, [podOf("a", "web")], REACHABLE);
    expect(refused[0]?.why).toContain("more than one PodDisruptionBudget (default/one, default/two)");
  });

  test("that is forbidden has the message of the server", async () => {
    const { client } = serverWith({ a: refusal("Forbidden") });
    const { refused } = await evictPods(client, [podOf("a", "web")], REACHABLE);
    expect(refused[0]?.why).toBe("the server said Forbidden");
  });

  test.each(["TooManyRequests", "HTTP429", "ServerUnreachable", "ServiceUnavailable"])(
    "that an overloaded or unreachable server answers with %s is a failure",
    async (reason) => {
      const { client } = serverWith({ a: refusal(reason, 1_000) });
      await expect(evictPods(client, [podOf("a", "web")], REACHABLE)).rejects.toMatchObject({ reason });
    },
  );

  test("of more pods than the limit of a pass waits for the next pass", async () => {
    const { client, asked } = serverWith({});
    const pods = Array.from({ length: 300 }, (_, index) => podOf(`p${index}`, "web"));
    const { evicted } = await evictPods(client, pods, REACHABLE);
    expect([asked.length, evicted.length]).toEqual([250, 250]);
  });
});
