import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { sshPublicKeyErrors } from "./ssh-key.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A key blob as SSH encodes it: the algorithm with its length, then bytes. */
function keyLine(algorithm: string, claimedLength = algorithm.length): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(claimedLength);
  const blob = Buffer.concat([length, Buffer.from(algorithm), Buffer.alloc(36, 7)]);
  return `${algorithm} ${blob.toString("base64")}`;
}

const RSA = keyLine("ssh-rsa");
const ED25519 = keyLine("ssh-ed25519");

describe("validateSSHPublicKey", () => {
  test.each([
    undefined,
    "",
    base64(RSA),
    base64(`${ED25519} me@example.com\n`),
    base64(`no-pty ${RSA} me`),
    `${base64(RSA)}\n`,
  ])("accepts %j", (key) => {
    expect(sshPublicKeyErrors("key", key)).toEqual([]);
  });

  test.each([
    RSA,
    "not base64!",
    base64("ssh-rsa"),
    base64("hello world"),
    base64("ssh-rsa AAAA"),
    base64(keyLine("ssh-rsa", 9)),
    base64(RSA.replace("ssh-rsa", "ssh-dss")),
  ])("rejects %j", (key) => {
    expect(sshPublicKeyErrors("key", key).map(formatFieldError)).toEqual([
      expect.stringMatching(/^key: Invalid value: ".*": must be the base64 of an authorized_keys line/),
    ]);
  });
});
