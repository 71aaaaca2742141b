/** The fields of an ExtensionConfig that its versions share. */
import { LabelSelector } from "../kubernetes/label-selector.ts";
import {
  described,
  integer,
  listMap,
  mapOf,
  object,
  type ObjectOptions,
  oneOf,
  optional,
  string,
} from "../schema/schema.ts";

const Service = object("A service in the cluster.", {
  namespace: string("The namespace of the service.", { minLength: 1, maxLength: 63 }),
  name: string("The name of the service.", { minLength: 1, maxLength: 63 }),
  path: optional(string("The prefix of the path of requests.", { minLength: 1, maxLength: 512 })),
  port: optional(integer("The port; default 443.")),
});

/** The fields of a spec; with options for the address of the extension. */
export function extensionFields(options: ObjectOptions = {}) {
  return {
    clientConfig: object(
      "The address of the extension.",
      {
        url: optional(
          string("The address, such as https://example.com/hooks.", { minLength: 1, maxLength: 512 }),
        ),
        service: optional(Service),
        caBundle: optional(
          string("The certificate authority to trust, as PEM in base64.", {
            format: "byte",
            minLength: 1,
            maxLength: 51200,
          }),
        ),
      },
      {
        ...options,
        rules: [
          {
            rule: "has(self.url) != has(self.service)",
            message: "exactly one of url and service must be set",
          },
        ],
      },
    ),
    namespaceSelector: optional(
      described(
        "Selects the namespaces for whose objects the extension is called; default: all.",
        LabelSelector,
      ),
    ),
    settings: optional(mapOf("Settings that are sent with each request.", string("The value of a setting."))),
  };
}

/** The handlers in a status. */
export function handlers(timeoutSeconds: ReturnType<typeof integer>) {
  return optional(
    listMap(
      "The handlers of the extension.",
      object("A handler of the extension.", {
        name: string("Its name, followed by that of the ExtensionConfig.", { minLength: 1, maxLength: 512 }),
        requestHook: object("The hook that it implements.", {
          apiVersion: string("The API version of the hook.", { minLength: 1, maxLength: 512 }),
          hook: string("The name of the hook.", { minLength: 1, maxLength: 256 }),
        }),
        timeoutSeconds: optional(timeoutSeconds),
        failurePolicy: optional(oneOf("What happens when it does not answer.", ["Ignore", "Fail"])),
      }),
      { keys: ["name"], maxItems: 512 },
    ),
  );
}
