import { expect, test } from "vitest";
import { withoutLegacyWatch } from "./legacy-watch.ts";

test.each([
  ["/api/v1/watch/pods", "/api/v1/pods?watch=true"],
  [
    "/api/v1/watch/namespaces/a/pods?resourceVersion=5",
    "/api/v1/namespaces/a/pods?resourceVersion=5&watch=true",
  ],
  [
    "/api/v1/watch/namespaces/a/pods/b",
    "/api/v1/namespaces/a/pods?watch=true&fieldSelector=metadata.name%3Db",
  ],
  ["/api/v1/watch/namespaces/a", "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Da"],
  ["/apis/apps/v1/watch/deployments", "/apis/apps/v1/deployments?watch=true"],
  ["/api/v1/namespaces/watch/pods", "/api/v1/namespaces/watch/pods"],
  ["/api/v1/pods?x=/watch/", "/api/v1/pods?x=/watch/"],
])("%s means %s", (old, path) => {
  expect(withoutLegacyWatch("GET", old)).toBe(path);
});
