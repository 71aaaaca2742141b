import type { Client } from "../client/client.ts";
import type { Logger } from "./logger.ts";

const EVICTION = "eviction";

/** The same client, which logs each delete and each eviction right before it is sent. */
export function logDisruptions(client: Client, log: Logger): Client {
  return {
    ...client,
    create: (kind, object, options) => {
      if (options?.subresource === EVICTION) {
        const { name, namespace } = object.metadata;
        log.info("Evicting pod", { pod: `${namespace}/${name}` });
      }
      return client.create(kind, object, options);
    },
    delete: (kind, name, options) => {
      log.info("Deleting object", { kind: kind.kind, name: name.name, namespace: name.namespace });
      return client.delete(kind, name, options);
    },
  };
}
