import { formatTimestamp } from "@capstan/api";
import { BOOTSTRAP_EXPIRES, FRESH_BOOTSTRAP_ANSWER, openRequest } from "../../bootstrap/fresh-bootstrap.ts";
import type { JoinToken } from "../../bootstrap/join-token.ts";
import { DATA_SECRET_AVAILABLE, type Scope } from "./scope.ts";

/** The result of a pass for the status. */
export interface News {
  /** The token in the data; undefined when the user sets one. */
  readonly token: JoinToken | undefined;
  /** Why the data was written; undefined when it was not. */
  readonly why: string | undefined;
}

/** The data is in its Secret: publishes its name and expiry, and answers the request. */
export function publish({ context, config }: Scope, { token, why }: News): void {
  const { name, generation } = config.metadata;
  answer({ config }, token);
  config.status = {
    ...config.status,
    initialization: { dataSecretCreated: true },
    dataSecretName: name,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  context.setCondition({ type: DATA_SECRET_AVAILABLE, status: "True", reason: "DataSecretAvailable" });
  if (why !== undefined) {
    context.event({
      type: "Normal",
      reason: "BootstrapDataWritten",
      message: `Wrote the bootstrap data: ${why}`,
    });
  }
}

function answer({ config }: Pick<Scope, "config">, token: JoinToken | undefined): void {
  const { annotations = {} } = config.metadata;
  const request = openRequest(config);
  const { [BOOTSTRAP_EXPIRES]: _, ...others } = annotations;
  const desired = {
    ...others,
    ...(token && { [BOOTSTRAP_EXPIRES]: formatTimestamp(token.expiresMs) }),
    ...(request !== undefined && { [FRESH_BOOTSTRAP_ANSWER]: request }),
  };
  if (Object.keys(desired).length > 0 || config.metadata.annotations) config.metadata.annotations = desired;
}
