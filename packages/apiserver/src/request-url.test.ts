import { expect, test } from "vitest";
import { attributesOf } from "./security/attributes.ts";
import { asksToWatch, splitUrl } from "./request-url.ts";

const PODS = "/api/v1/namespaces/default/pods";

test.each([
  [`${PODS}?watch=true`, "watch"],
  [`${PODS}?x=?&watch=true`, "watch"],
  [`${PODS}?%77atch=true`, "watch"],
  [`${PODS}?watch=1&watch=0`, "watch"],
  [`${PODS}?watch=0`, "list"],
  [`${PODS}?watch=`, "list"],
  [PODS, "list"],
])("authorization and routing agree that GET %s is a %s", (path, verb) => {
  expect(attributesOf({ method: "GET", path })).toMatchObject({ verb });
  expect(asksToWatch(new URLSearchParams(splitUrl(path).search))).toBe(verb === "watch");
});

test("only the first question mark ends the path", () => {
  expect(splitUrl("/a?b=?&c")).toEqual({ path: "/a", search: "b=?&c" });
  expect(splitUrl("/a")).toEqual({ path: "/a", search: "" });
});
