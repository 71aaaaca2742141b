/** The body of an error, as ARM and its providers write it. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ErrorBody[];
}

/** A refused request: status, code and message as the real service returns them. */
export class ArmError extends Error {
  override readonly name = "ArmError";
  readonly status: number;
  readonly error: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  /** Compute's throttling returns the error without the envelope `{"error": …}`. */
  readonly isUnwrapped: boolean;

  constructor(
    status: number,
    error: ErrorBody,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly isUnwrapped?: boolean } = {},
  ) {
    super(`${error.code}: ${error.message}`);
    this.status = status;
    this.error = error;
    this.headers = options.headers ?? {};
    this.isUnwrapped = options.isUnwrapped ?? false;
  }

  get body(): unknown {
    return this.isUnwrapped ? this.error : { error: this.error };
  }
}

/** The error for an invalid field. */
export function invalidParameter(target: string, message: string): ArmError {
  return new ArmError(400, { code: "InvalidParameter", message, target });
}

/** The error for a resource that does not exist, in ARM's words. */
export function resourceNotFound(typeAndName: string, group: string): ArmError {
  return new ArmError(404, {
    code: "ResourceNotFound",
    message: `The Resource '${typeAndName}' under resource group '${group}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  });
}

/** The error for a resource group that does not exist. */
export function groupNotFound(group: string): ArmError {
  return new ArmError(404, {
    code: "ResourceGroupNotFound",
    message: `Resource group '${group}' could not be found.`,
  });
}

/** The error for a child whose parent does not exist. */
export function parentNotFound(typeAndName: string, parent: string): ArmError {
  return new ArmError(404, {
    code: "ParentResourceNotFound",
    message: `Failed to perform 'write' on resource(s) of type '${typeAndName}', because the parent resource '${parent}' could not be found.`,
  });
}

/** Compute's 404 for what lives inside one of its resources, such as an instance. */
export function entityNotFound(): ArmError {
  return new ArmError(404, {
    code: "NotFound",
    message: "The entity was not found in this Azure location.",
  });
}

/** The error for a request that conflicts with one in progress. */
export function concurrentRequest(): ArmError {
  return new ArmError(409, {
    code: "Conflict",
    message:
      "The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.",
  });
}

/** The error for a request on a resource that is being deleted. */
export function beingDeleted(id: string): ArmError {
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message: `Operation is not allowed on '${id}' since it is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).`,
  });
}
