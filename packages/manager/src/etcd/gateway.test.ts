import { createRealEnv, type HttpRequest, type HttpResponse } from "@capstan/env";
import { Failure } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { etcdGateway } from "./gateway.ts";
import type { Etcd } from "./port.ts";

/** A member of etcd that answers every request with one body, and what it was asked. */
function member(body: object, status = 200): { readonly etcd: Etcd; readonly asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  const response: HttpResponse = {
    status,
    headers: {},
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    lines: async function* () {
      yield await Promise.resolve(body);
    },
  };
  const request = (one: HttpRequest): Promise<HttpResponse> => {
    asked.push(one);
    return Promise.resolve(response);
  };
  return { etcd: etcdGateway({ request, close: () => Promise.resolve() }, createRealEnv()), asked };
}

const listed = (ID: unknown) => ({ ID, name: "m" });

describe("the members of etcd", () => {
  test("are those that a quorum agrees on, not those that one member remembers", async () => {
    const { etcd, asked } = member({ members: [listed("1")] });
    await etcd.members();
    expect(asked.map(({ path, body }) => [path, body])).toEqual([
      ["/v3/cluster/member/list", { linearizable: true }],
    ]);
  });

  test("are voters or learners, and have no name before they have started", async () => {
    const members = [
      { ID: "18446744073709551615", name: "node-0" },
      { ID: "2", name: "node-1", isLearner: true },
      { ID: "3", isLearner: true },
    ];
    expect(await member({ members }).etcd.members()).toEqual([
      { id: "18446744073709551615", name: "node-0", isLearner: false },
      { id: "2", name: "node-1", isLearner: true },
      { id: "3", name: "", isLearner: true },
    ]);
  });

  test.each<[string, unknown]>([
    ["without members", {}],
    ["with an empty list", { members: [] }],
    ["with a member that is not an object", { members: [listed("1"), "x"] }],
    ["with a member without an id", { members: [listed("1"), listed(undefined)] }],
    ["with an id that is not a uint64", { members: [listed("1"), listed("-2")] }],
    ["with an id as a number", { members: [listed("1"), listed(2)] }],
    ["with one id twice", { members: [listed("1"), listed("1")] }],
    [
      "with more members than an etcd has",
      { members: Array.from({ length: 65 }, (_, id) => listed(`${id + 1}`)) },
    ],
    ["that is a list", [listed("1")]],
  ])("is not used from an answer %s: the quorum would be counted without the others", async (_, body) => {
    await expect(member(body as object).etcd.members()).rejects.toMatchObject({
      reason: "EtcdAnswerInvalid",
    });
  });

  test("have alarms by their ids", async () => {
    const alarms = [{ memberID: "2", alarm: "NOSPACE" }, { alarm: "CORRUPT" }];
    expect(await member({ alarms }).etcd.alarms()).toEqual(new Set(["2"]));
  });
});

test("the status has no leader while there is none", async () => {
  const header = { member_id: "1" };
  expect(await member({ header, leader: "2" }).etcd.status()).toEqual({ memberId: "1", leader: "2" });
  expect(await member({ header }).etcd.status()).toEqual({ memberId: "1", leader: undefined });
});

test("a member that is gone already counts as removed, and every other refusal is a failure", async () => {
  const { etcd, asked } = member({ code: 5, message: "etcdserver: member not found" }, 404);
  await etcd.removeMember("9");
  expect(asked.map(({ body }) => body)).toEqual([{ ID: "9" }]);
  const refusal = await member({ code: 9, message: "unhealthy cluster" }, 400)
    .etcd.removeMember("9")
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Failure);
  expect(refusal).toMatchObject({
    failure: "Transient",
    message: "etcd refuses the request: unhealthy cluster",
  });
});
