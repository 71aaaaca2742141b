import { Machine } from "@capstan/api";
import { silentLogger } from "@capstan/runtime";
import { machine } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { createWebhookHandler, LONGEST_REVIEW_BYTES } from "./handler.ts";

const { group, version, kind } = Machine;
const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u", kind: { group, version, kind }, operation: "CREATE", object: machine() },
};
const handle = createWebhookHandler(silentLogger);
const post = (path: string, body: unknown) => handle({ method: "POST", path, headers: {}, body });

test("a review in a body of JSON gets a review back", async () => {
  const answer = await post("/validate?timeout=10s", JSON.stringify(REVIEW));
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(await answer.json()).toMatchObject({ response: { uid: "u", allowed: true } });
});

test("defaults come from one path and verdicts from the other", async () => {
  const bodies = await Promise.all(
    ["/mutate", "/validate"].map(async (path) => (await post(path, JSON.stringify(REVIEW))).text()),
  );
  expect(bodies.map((body) => body.includes("JSONPatch"))).toEqual([true, false]);
});

test.each([
  ["GET", "/mutate", undefined, 405, "this server accepts only POST"],
  ["POST", "/", "{}", 404, "this server serves /mutate, /validate"],
  ["POST", "/mutate/x", "{}", 404, "this server serves /mutate, /validate"],
  ["POST", "/mutate", undefined, 400, "the body is not an AdmissionReview but another JSON value"],
  ["POST", "/mutate", "", 400, "the body is not JSON"],
  ["POST", "/mutate", "{", 400, "the body is not JSON"],
  ["POST", "/validate", "{}", 400, "expected an AdmissionReview of admission.k8s.io/v1"],
  [
    "POST",
    "/validate",
    `"${"x".repeat(LONGEST_REVIEW_BYTES)}"`,
    413,
    "the review is longer than 8388608 bytes",
  ],
])("%s %s is answered with the reason if it is not a review", async (method, path, body, status, words) => {
  const answer = await handle({ method, path, headers: {}, body });
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(words);
});

test.each(["/mutate", "/validate", "/convert"])(
  "an object without a bottom is refused at %s",
  async (path) => {
    const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const asked = (levels: number): string =>
      JSON.stringify(REVIEW).replace('"spec":{', `"spec":{"x":${deep(levels)},`);
    const answer = await post(path, asked(100_000));
    expect([answer.status, await answer.text()]).toEqual([
      400,
      "the review is nested deeper than 200 levels\n",
    ]);
    expect(await (await post(path, asked(100))).text()).not.toContain("nested deeper");
  },
);

const CONVERSION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: {
    uid: "u",
    desiredAPIVersion: "cluster.x-k8s.io/v1beta2",
    objects: [
      {
        apiVersion: "cluster.x-k8s.io/v1beta1",
        kind: "MachineSet",
        metadata: { name: "a", namespace: "default" },
        spec: { deletePolicy: "Oldest" },
      },
      { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", metadata: { name: "b" } },
    ],
  },
};

test("objects are converted in their order, and those of the desired version stay", async () => {
  const answer = await post("/convert?timeout=30s", JSON.stringify(CONVERSION));
  expect(await answer.json()).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: {
      uid: "u",
      result: { status: "Success" },
      convertedObjects: [
        {
          apiVersion: "cluster.x-k8s.io/v1beta2",
          kind: "MachineSet",
          metadata: { name: "a", namespace: "default" },
          spec: { deletion: { order: "Oldest" } },
        },
        CONVERSION.request.objects[1],
      ],
    },
  });
});

test("a kind or version that is not ours is not converted, with the reason", async () => {
  const request = { ...CONVERSION.request, desiredAPIVersion: "cluster.x-k8s.io/v1" };
  const answer = await post("/convert", JSON.stringify({ ...CONVERSION, request }));
  expect(await answer.json()).toMatchObject({
    response: {
      uid: "u",
      result: {
        status: "Failure",
        message: "capstan does not convert MachineSet of cluster.x-k8s.io/v1beta1 to cluster.x-k8s.io/v1",
      },
    },
  });
});

test.each([
  [{}, "expected a ConversionReview of apiextensions.k8s.io/v1"],
  [{ ...CONVERSION, request: undefined }, "request: expected an object"],
  [{ ...CONVERSION, request: { uid: "u" } }, "request.desiredAPIVersion: expected a string"],
  [
    { ...CONVERSION, request: { ...CONVERSION.request, objects: [1] } },
    "request.objects: expected a list of objects",
  ],
])("a body that is not a conversion review is refused: %#", async (body, words) => {
  const answer = await post("/convert", JSON.stringify(body));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
});
