import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64ErrorIndex } from "./base64.ts";

describe("base64", () => {
  test("encoded text is decoded without an error, also over several lines", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), (bytes, at) => {
        const text = Buffer.from(bytes).toString("base64");
        const cut = at % (text.length + 1);
        expect(base64ErrorIndex(text)).toBeUndefined();
        expect(base64ErrorIndex(`${text.slice(0, cut)}\r\n${text.slice(cut)}`)).toBeUndefined();
      }),
    );
  });

  // The positions are those that Go reports.
  test.each([
    ["not base64!", 3],
    ["M", 0],
    ["MQ", 0],
    ["MQ=", 3],
    ["MQ=x", 2],
    ["MQ==x", 4],
    ["=", 0],
    ["M=", 1],
    ["MTI=MTI=", 4],
  ])("%j is not base64, from byte %d on", (text, at) => {
    expect(base64ErrorIndex(text)).toBe(at);
  });
});
