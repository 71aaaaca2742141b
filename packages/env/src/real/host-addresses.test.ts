import { describe, expect, test } from "vitest";
import { TransportError } from "../transport.ts";
import { isHostAddress, type Resolve } from "./host-addresses.ts";
import { createHttpTransport } from "./http-transport.ts";

test.each([
  "169.254.169.254",
  "169.254.0.1",
  "168.63.129.16",
  "fe80::1",
  "[fe80::1]",
  "febf::1",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::ffff:168.63.129.16",
  "64:ff9b::a9fe:a9fe",
])("%s belongs to the machine or its cloud", (address) => {
  expect(isHostAddress(address)).toBe(true);
});

test.each(["127.0.0.1", "10.0.0.4", "169.253.255.255", "168.63.129.17", "fec0::1", "::1", "example.com", ""])(
  "%s may be connected to",
  (address) => {
    expect(isHostAddress(address)).toBe(false);
  },
);

describe("a transport that refuses such addresses", () => {
  const resolvingTo =
    (...addresses: readonly string[]): Resolve =>
    (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );

  async function refusal(baseUrl: string, resolve: Resolve): Promise<TransportError> {
    const transport = createHttpTransport({ baseUrl, hostAddresses: "refuse", resolve });
    try {
      return (await transport.request({ method: "GET", path: "/", headers: {} }).then(
        () => new Error("was answered"),
        (error: unknown) => error,
      )) as TransportError;
    } finally {
      await transport.close();
    }
  }

  test.each([
    ["http://metadata.example", ["169.254.169.254"]],
    ["https://metadata.example", ["168.63.129.16"]],
    ["http://both.example", ["127.0.0.1", "fe80::1"]],
    ["http://mapped.example", ["::ffff:169.254.169.254"]],
  ])("does not connect to %s, which has %j", async (baseUrl, addresses) => {
    const error = await refusal(baseUrl, resolvingTo(...addresses));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.failure).toBe("forbidden");
    expect(error.message).toContain("a link-local or metadata address");
  });

  test.each(["http://169.254.169.254", "https://[fe80::1]:8443", "http://[::ffff:168.63.129.16]"])(
    "does not connect to %s",
    async (baseUrl) => {
      expect((await refusal(baseUrl, resolvingTo("127.0.0.1"))).failure).toBe("forbidden");
    },
  );
});
