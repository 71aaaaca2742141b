import { expect, test } from "vitest";
import { withPackage } from "./sim-install.ts";

const KUBELET = "Package: kubelet\nStatus: install ok installed\nVersion: 1.33.5-1.1\n";

test("a package that is installed is in the database once, with its last version", () => {
  const once = withPackage(KUBELET, "openssl", "3.0.13-0ubuntu3.4");
  const twice = withPackage(once, "openssl", "3.0.13-0ubuntu3.5");
  expect(twice).toBe(
    `${KUBELET}\nPackage: openssl\nStatus: install ok installed\nVersion: 3.0.13-0ubuntu3.5\n`,
  );
  expect(withPackage(twice, "openssl", "3.0.13-0ubuntu3.5")).toBe(twice);
});
