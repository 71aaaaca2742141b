import { expect, test } from "vitest";
import { isReadableJson, readableText } from "./readable-text.ts";

test("a JSON is readable exactly when none of its texts has a character that is made visible", () => {
  for (let code = 0; code < 0x2100; code++) {
    const text = `a${String.fromCharCode(code)}x`;
    expect(isReadableJson(JSON.stringify({ text })), String(code)).toBe(readableText(text) === text);
  }
});
