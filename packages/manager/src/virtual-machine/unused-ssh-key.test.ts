import { AzureMachinePool, validateObject } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { UNUSED_SSH_KEY } from "./unused-ssh-key.ts";

test("the unused key is valid in a spec, and never changes", () => {
  const sshPublicKey = Buffer.from(UNUSED_SSH_KEY).toString("base64");
  const object = azureMachinePool({ spec: { template: { sshPublicKey } } });
  expect(validateObject(AzureMachinePool, { object }).errors).toEqual([]);
  expect(UNUSED_SSH_KEY).toBe(
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFl2bnZHWU+q9RxOuZ8YUYUk8qOgPpohbPrAXOvUMhGC nobody",
  );
});

// The curve of ed25519: -x² + y² = 1 + dx²y² modulo this prime.
const PRIME = 2n ** 255n - 19n;

function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power(base, exponent / 2n);
  const square = (half * half) % PRIME;
  return exponent % 2n === 0n ? square : (square * base) % PRIME;
}

const inverse = (value: bigint): bigint => power(value, PRIME - 2n);

test("the unused key is a point of the curve, so that sshd accepts it as a key", () => {
  const [, blob = ""] = UNUSED_SSH_KEY.split(" ");
  const bytes = Buffer.from(Buffer.from(blob, "base64").subarray(-32).toReversed());
  // The highest bit is the sign of x.
  const y = BigInt(`0x${bytes.toString("hex")}`) % 2n ** 255n;
  const d = (PRIME - 121_665n) * inverse(121_666n);
  const xSquared = ((y * y - 1n + PRIME) * inverse((d * y * y + 1n) % PRIME)) % PRIME;
  expect(y < PRIME).toBe(true);
  expect(power(xSquared, (PRIME - 1n) / 2n)).toBe(1n);
});
