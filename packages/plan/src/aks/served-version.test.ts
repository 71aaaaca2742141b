import { expect, test } from "vitest";
import { newestServed } from "./served-version.ts";

const versions = (...names: string[]) => names.map((name) => ({ name, served: true }));
const OFFERED = versions(
  "v1api20231001",
  "v1api20250801",
  "v1api20240901",
  "v20251002preview",
  "v1api20250801storage",
);

test.each([
  ["the newest stable one", OFFERED, false, "v1api20250801"],
  ["with previews the newest preview", OFFERED, true, "v20251002preview"],
  [
    "with previews the newest stable one if there is no preview",
    versions("v1api20231001"),
    true,
    "v1api20231001",
  ],
  [
    "never one that is not served",
    [{ name: "v20260101", served: false }, ...OFFERED],
    false,
    "v1api20250801",
  ],
  [
    "a version of a later year that this release has never heard of",
    [...OFFERED, ...versions("v20270301")],
    false,
    "v20270301",
  ],
  ["none of none", [], false, undefined],
])("submits %s", (_, offered, preview, expected) => {
  expect(newestServed(offered, { preview })).toBe(expected);
});
