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
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a data Secret", () => {
  test("gives back a token that was written ahead, and nothing else", () => {
    const { next, ...rest } = readStored(PLANNED);
    expect(next?.text.reveal()).toBe(TOKEN.text.reveal());
    expect(next?.expiresMs).toBe(TOKEN.expiresMs);
    expect(rest).toEqual({ value: undefined, token: undefined, authority: undefined });
  });

  test("gives back finished data", () => {
    const secret = newSecret(CONFIG, "c1", finishedFields({ value: "data", token: TOKEN, authority: "PEM" }));
    expect(Object.keys(secret.data ?? {})).toEqual(["value", "format", "join"]);
    const { token, ...rest } = readStored(secret);
    expect(token?.text.reveal()).toBe(TOKEN.text.reveal());
    expect(rest).toEqual({ value: "data", authority: "PEM", next: undefined });
  });

  test("takes the token that was written ahead away when it has arrived", () => {
    expect(finishedFields({ value: "data", token: TOKEN, authority: undefined })).toMatchObject({
      next: null,
    });
  });

  test.each(["{", "[]", "7", '{"token":7}', '{"token":"abcdef.0123456789abcdef","expires":"soon"}', ""])(
    "that somebody has edited to %j is as good as empty",
    (text) => {
      expect(readStored({ ...PLANNED, data: { next: base64(text), join: base64(text) } })).toEqual({
        value: undefined,
        token: undefined,
        authority: undefined,
        next: undefined,
      });
    },
  );

  test("is ours when our config owns it, also with the UID that it had in another cluster", () => {
    expect(foreignProblem(PLANNED, kubeadmConfig({ metadata: { uid: "u2" } }))).toBeUndefined();
    expect(secretPatch(PLANNED, kubeadmConfig({ metadata: { uid: "u2" } }), {})).toMatchObject({
      metadata: { ownerReferences: [{ uid: "u2" }] },
    });
  });

  test.each([
    [{ ...PLANNED, type: "Opaque" }, 'has the type "Opaque" and not "cluster.x-k8s.io/secret"'],
    [{ ...PLANNED, metadata: { name: "pool", namespace: "default" } }, "belongs to somebody else"],
  ])("that is not ours is left alone: %#", (secret, problem) => {
    expect(foreignProblem(secret, CONFIG)).toContain(problem);
  });
});
