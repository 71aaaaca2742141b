import { type HttpResponse, Scheduler, type Transport, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { etcdGateway } from "./gateway.ts";

/** etcd that gives one answer to each request. */
function answering(body: unknown): ReturnType<typeof etcdGateway> {
  const text = JSON.stringify(body);
  const response: HttpResponse = {
    status: 200,
    headers: {},
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(JSON.parse(text) as unknown),
    lines: () => {
      throw new TypeError("etcd answers no stream here");
    },
  };
  const transport: Transport = {
    request: () => Promise.resolve(response),
    close: () => Promise.resolve(),
  };
  return etcdGateway(transport, new VirtualProcess(new Scheduler({ seed: "1" }), "manager"));
}

const member = (ID: unknown, name = "m") => ({ ID, name });

describe("a list of members", () => {
  test("is read with ids as texts, and with what etcd leaves out", async () => {
    const members = [member("18446744073709551615", "a"), { ID: "2", isLearner: true }];
    expect(await answering({ members }).members()).toEqual([
      { id: "18446744073709551615", name: "a", isLearner: false },
      { id: "2", name: "", isLearner: true },
    ]);
  });

  test.each<[string, unknown]>([
    ["without members", {}],
    ["with an empty list", { members: [] }],
    ["with a member that is not an object", { members: [member("1"), "x"] }],
    ["with a member without an id", { members: [member("1"), member(undefined)] }],
    ["with an id that is not a uint64", { members: [member("1"), member("-2")] }],
    ["with an id as a number", { members: [member("1"), member(2)] }],
    ["with one id twice", { members: [member("1"), member("1")] }],
    [
      "with more members than an etcd has",
      { members: Array.from({ length: 65 }, (_, id) => member(`${id + 1}`)) },
    ],
    ["that is a list", [member("1")]],
  ])("is not used from an answer %s: the quorum would be counted without the others", async (_, body) => {
    await expect(answering(body).members()).rejects.toMatchObject({ reason: "EtcdAnswerInvalid" });
  });
});
