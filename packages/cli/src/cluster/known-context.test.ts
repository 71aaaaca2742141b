import { expect, test } from "vitest";
import { refuseUnknownContext } from "./known-context.ts";

const PATH = "/home/me/.kube/config";
const refusing = (text: string, context?: string) => () => refuseUnknownContext(text, PATH, context);

test("a context that the kubeconfig does not have is refused with the flag and the contexts that it has", () => {
  const text = "contexts: [{ name: main }, { name: spare }]\n";
  expect(refusing(text, "nope")).toThrow(
    '--context "nope" is not a context of /home/me/.kube/config; it has: main, spare',
  );
  expect(refusing("contexts: []\n", "nope")).toThrow("it has none");
  expect(refusing(text, "spare")).not.toThrow();
  expect(refusing(text)).not.toThrow();
});

test("a text that is not a kubeconfig is left to the code that parses it", () => {
  for (const text of ["", "hello", "a: [", "contexts: 5\n"]) expect(refusing(text, "nope")).not.toThrow();
});
