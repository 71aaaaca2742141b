import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesField, message } from "../openapi/protobuf.ts";
import { decodeKubernetesProtobuf } from "./decode.ts";
import { KUBECTL } from "./kubectl.fixture.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** An object of the kind with the raw bytes in Kubernetes' envelope. */
function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = message(bytesField(1, apiVersion), bytesField(2, kind));
  return Buffer.concat([Buffer.from("k8s\0"), bytesField(1, typeMeta), bytesField(2, raw)]);
}

const decode = (apiVersion: string, kind: string, raw: Uint8Array): unknown =>
  decodeKubernetesProtobuf(envelope(apiVersion, kind, raw));

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

/** A field with a varint. */
function numberField(number: number, value: bigint): Uint8Array {
  const written: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) written.push(Number(rest & 0x7fn) | 0x80);
  return bytes(number << 3, ...written, Number(rest));
}

describe("what kubectl sends", () => {
  test.each(KUBECTL)("$command", ({ base64, object }) => {
    expect(decodeKubernetesProtobuf(Buffer.from(base64, "base64"))).toStrictEqual(object);
  });
});

describe("a number", () => {
  const lease = (...fields: readonly Uint8Array[]): unknown =>
    decode("coordination.k8s.io/v1", "Lease", bytesField(2, message(...fields)));

  test.each([0n, 1n, 127n, 128n, 300n, 2_147_483_647n, -1n, -2_147_483_648n])("of 32 bits is %s", (value) => {
    expect(lease(numberField(2, value))).toMatchObject({ spec: { leaseDurationSeconds: Number(value) } });
  });

  test("of 64 bits is exact, as in our JSON", () => {
    const pod = (value: bigint): unknown => decode("v1", "Pod", bytesField(2, numberField(5, value)));
    for (const value of [2n ** 53n - 1n, -(2n ** 53n) + 1n])
      expect(pod(value)).toMatchObject({ spec: { activeDeadlineSeconds: Number(value) } });
    for (const value of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)])
      expect(pod(value)).toMatchObject({ spec: { activeDeadlineSeconds: value } });
  });

  test("in a list is single or packed", () => {
    const context = message(numberField(4, 1n), bytesField(4, bytes(2, 0xac, 0x02)), numberField(4, 0n));
    expect(decode("v1", "Pod", bytesField(2, bytesField(14, context)))).toMatchObject({
      spec: { securityContext: { supplementalGroups: [1, 2, 300, 0] } },
    });
  });

  test("is the last one when there are several", () => {
    expect(lease(numberField(2, 1n), numberField(2, 2n))).toMatchObject({
      spec: { leaseDurationSeconds: 2 },
    });
  });
});

describe("a zero value", () => {
  test("is omitted where JSON omits it", () => {
    const meta = message(bytesField(1, ""), numberField(7, 0n), bytesField(8, ""));
    expect(decode("v1", "ConfigMap", bytesField(1, meta))).toStrictEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {},
    });
  });

  test("stays where zero means zero", () => {
    const strategy = bytesField(2, bytesField(1, message(numberField(1, 0n), numberField(2, 0n))));
    const spec = message(numberField(1, 0n), bytesField(4, strategy));
    expect(decode("apps/v1", "Deployment", bytesField(2, spec))).toMatchObject({
      spec: { replicas: 0, strategy: { rollingUpdate: { maxUnavailable: 0 } } },
    });
  });

  test("is zero as the value of a map", () => {
    expect(decode("v1", "ConfigMap", bytesField(2, bytesField(1, "k")))).toMatchObject({ data: { k: "" } });
    expect(decode("v1", "ResourceQuota", bytesField(2, bytesField(1, bytesField(1, "cpu"))))).toMatchObject({
      spec: { hard: { cpu: "0" } },
    });
  });
});

describe("a time", () => {
  const created = (seconds: bigint): unknown =>
    decode(
      "v1",
      "ConfigMap",
      bytesField(1, bytesField(8, message(numberField(1, seconds), numberField(2, 999_999_999n)))),
    );

  test("has seconds", () => {
    expect(created(0n)).toMatchObject({ metadata: { creationTimestamp: "1970-01-01T00:00:00Z" } });
    expect(created(-1n)).toMatchObject({ metadata: { creationTimestamp: "1969-12-31T23:59:59Z" } });
  });

  test("of a lease has microseconds", () => {
    const renewTime = message(numberField(1, 1_767_323_045n), numberField(2, 6789n));
    expect(decode("coordination.k8s.io/v1", "Lease", bytesField(2, bytesField(4, renewTime)))).toMatchObject({
      spec: { renewTime: "2026-01-02T03:04:05.000006Z" },
    });
  });

  test("outside of the calendar is refused", () => {
    expect(() => created(2n ** 50n)).toThrow("metadata.creationTimestamp is 1125899906842624 s");
    expect(() => created(-62_135_596_801n)).toThrow("it must be in the years 1 to 9999");
  });
});

test("options of a delete are decoded for any group", () => {
  const options = message(
    numberField(1, 0n),
    bytesField(2, bytesField(1, "u")),
    bytesField(4, "Foreground"),
    bytesField(5, "All"),
  );
  expect(decode("apps/v1", "DeleteOptions", options)).toStrictEqual({
    apiVersion: "apps/v1",
    kind: "DeleteOptions",
    gracePeriodSeconds: 0,
    preconditions: { uid: "u" },
    propagationPolicy: "Foreground",
    dryRun: ["All"],
  });
});

test("an eviction carries the options of the delete", () => {
  const eviction = message(bytesField(1, bytesField(1, "p")), bytesField(2, numberField(1, 7n)));
  expect(decode("policy/v1", "Eviction", eviction)).toMatchObject({
    metadata: { name: "p" },
    deleteOptions: { gracePeriodSeconds: 7 },
  });
});

test("a message in several parts is merged", () => {
  const first = bytesField(
    1,
    message(bytesField(1, "a"), bytesField(11, message(bytesField(1, "x"), bytesField(2, "1")))),
  );
  const second = bytesField(1, bytesField(3, "n"));
  expect(decode("v1", "ConfigMap", message(first, second))).toMatchObject({
    metadata: { name: "a", namespace: "n", labels: { x: "1" } },
  });
});

test("unknown fields of any wire type are skipped", () => {
  const unknown = message(
    numberField(15, 3n),
    bytesField(15, "x"),
    bytes((15 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8),
    bytes((15 << 3) | 5, 1, 2, 3, 4),
  );
  expect(decode("v1", "ConfigMap", message(unknown, bytesField(1, bytesField(1, "a"))))).toStrictEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
  });
});

test("a key such as __proto__ is data like any other", () => {
  const entry = message(bytesField(1, "__proto__"), bytesField(2, "x"));
  const { data } = decode("v1", "ConfigMap", bytesField(2, entry)) as { data: object };
  expect(Object.entries(data)).toEqual([["__proto__", "x"]]);
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
});

describe("invalid bytes are refused with a message", () => {
  test.each<[string, () => unknown, string]>([
    [
      "no magic",
      () => decodeKubernetesProtobuf(Buffer.from("{}")),
      'the body does not begin with "k8s" and a zero',
    ],
    ["nothing", () => decodeKubernetesProtobuf(bytes()), 'the body does not begin with "k8s"'],
    [
      "an unknown kind",
      () => decode("v1", "Endpoints", bytes()),
      'the kind "Endpoints" of "v1" is not known in protobuf here; send it as application/json',
    ],
    [
      "a truncated number",
      () => decode("v1", "ConfigMap", bytes(0x80)),
      "the object ends in the middle of a number",
    ],
    [
      "an endless number",
      () => decode("v1", "ConfigMap", bytes(...Array<number>(11).fill(0xff))),
      "the object has a number of more than 10 bytes",
    ],
    [
      "a length beyond the end",
      () => decode("v1", "ConfigMap", bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)),
      "the object has a field of 4294967295 bytes where only 0 are left",
    ],
    [
      "a group",
      () => decode("v1", "ConfigMap", bytes(0x0b)),
      "the object has field 1 with the wire type 3; Kubernetes uses 0 for numbers and 2 for everything else",
    ],
    [
      "the number 0",
      () => decode("v1", "ConfigMap", bytes(0x02, 0x00)),
      "the object has a field with the number 0",
    ],
    [
      "a number beyond 29 bits",
      () => decode("v1", "ConfigMap", bytes(0x80, 0x80, 0x80, 0x80, 0x10, 0x00)),
      "the object has a field with the number 536870912; numbers go from 1 to 536870911",
    ],
    [
      "a number for a message",
      () => decode("v1", "ConfigMap", numberField(1, 5n)),
      "metadata is the number 5; it must be a text or a message",
    ],
    [
      "a text for a number",
      () => decode("apps/v1", "Deployment", bytesField(2, bytesField(1, "three"))),
      "spec.replicas has 5 bytes; it must be a number",
    ],
    [
      "a text that is not UTF-8",
      () => decode("v1", "ConfigMap", bytesField(1, bytesField(1, bytes(0xff)))),
      "metadata.name is not a text in UTF-8",
    ],
    [
      "managed fields that are not JSON",
      () => decode("v1", "ConfigMap", bytesField(1, bytesField(17, bytesField(7, bytesField(1, "{"))))),
      "metadata.managedFields[0].fieldsV1 is not JSON",
    ],
    [
      "an encoding",
      () =>
        decodeKubernetesProtobuf(
          Buffer.concat([envelope("v1", "ConfigMap", bytes()), bytesField(3, "gzip")]),
        ),
      "the body is encoded as gzip; it must not be encoded",
    ],
  ])("%s", (_, attempt, sentence) => {
    expect(attempt).toThrow(ProtobufError);
    expect(attempt).toThrow(sentence);
  });

  test("and never with another error, for any truncation or change", () => {
    const recorded = fc.constantFrom(...KUBECTL.map(({ base64 }) => Buffer.from(base64, "base64")));
    const change = fc.record({ at: fc.nat(300), to: fc.nat(255) });
    fc.assert(
      fc.property(recorded, fc.array(change, { maxLength: 4 }), fc.nat(300), (body, changes, length) => {
        const broken = Buffer.from(body.subarray(0, length));
        for (const { at, to } of changes) if (at >= 4 && at < broken.length) broken[at] = to;
        try {
          decodeKubernetesProtobuf(broken);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
    );
  });
});
