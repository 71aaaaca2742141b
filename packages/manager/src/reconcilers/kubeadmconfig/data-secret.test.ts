import { kubeadmConfig } from "@capstan/runtime/testing/builders";
import { Sensitive } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import {
  finishedFields,
  foreignProblem,
  newSecret,
  plannedFields,
  readStored,
  secretPatch,
} from "./data-secret.ts";

const CONFIG = kubeadmConfig({ metadata: { uid: "u1" } });
const TOKEN = {
  text: new Sensitive("abcdef.0123456789abcdef"),
  expiresMs: Date.parse("2026-01-01T02:00:00Z"),
};
const PLANNED = newSecret(CONFIG, "c1", plannedFields(TOKEN));
const NOTHING = {
  value: undefined,
  token: undefined,
  model: undefined,
  earlier: new Map(),
  authority: undefined,
};
const FINISHED = { ...NOTHING, value: "data", token: TOKEN };
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a data Secret", () => {
  test("returns a token that was written ahead, and nothing else", () => {
    const { next, ...rest } = readStored(PLANNED);
    expect(next?.text.reveal()).toBe(TOKEN.text.reveal());
    expect(next?.expiresMs).toBe(TOKEN.expiresMs);
    expect(rest).toEqual(NOTHING);
  });

  test("returns finished data", () => {
    const secret = newSecret(CONFIG, "c1", finishedFields({ ...FINISHED, authority: "PEM" }));
    expect(Object.keys(secret.data ?? {})).toEqual(["value", "format", "join"]);
    const { token, ...rest } = readStored(secret);
    expect(token?.text.reveal()).toBe(TOKEN.text.reveal());
    expect({ ...rest, token: undefined }).toEqual({
      ...NOTHING,
      value: "data",
      authority: "PEM",
      next: undefined,
    });
  });

  test("returns the last ten tokens of other models", () => {
    const earlier = new Map(Array.from({ length: 12 }, (_, index) => [`m${index}`, TOKEN]));
    const secret = newSecret(CONFIG, "c1", finishedFields({ ...FINISHED, model: "now", earlier }));
    const stored = readStored(secret);
    expect(stored.model).toBe("now");
    expect([...stored.earlier.keys()]).toEqual([...earlier.keys()].slice(2));
    expect(stored.earlier.get("m11")?.text.reveal()).toBe(TOKEN.text.reveal());
    expect(finishedFields(FINISHED)).toMatchObject({ earlier: null });
  });

  test("removes the token that was written ahead once the data contains it", () => {
    expect(finishedFields(FINISHED)).toMatchObject({ next: null });
  });

  test.each(["{", "[]", "7", '{"token":7}', '{"token":"abcdef.0123456789abcdef","expires":"soon"}', ""])(
    "that a user has edited to %j counts as empty",
    (text) => {
      const data = { next: base64(text), join: base64(text), earlier: base64(text) };
      expect(readStored({ ...PLANNED, data })).toEqual({ ...NOTHING, next: undefined });
    },
  );

  test("belongs to its config, also with the UID that the config had in another cluster", () => {
    expect(foreignProblem(PLANNED, kubeadmConfig({ metadata: { uid: "u2" } }))).toBeUndefined();
    expect(secretPatch(PLANNED, kubeadmConfig({ metadata: { uid: "u2" } }), {})).toMatchObject({
      metadata: { ownerReferences: [{ uid: "u2" }] },
    });
  });

  test.each([
    [{ ...PLANNED, type: "Opaque" }, 'has the type "Opaque" and not "cluster.x-k8s.io/secret"'],
    [{ ...PLANNED, metadata: { name: "pool", namespace: "default" } }, "has another owner"],
  ])("of another owner is not written: %#", (secret, problem) => {
    expect(foreignProblem(secret, CONFIG)).toContain(problem);
  });
});
