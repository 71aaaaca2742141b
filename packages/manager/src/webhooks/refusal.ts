import { type FieldError, formatFieldError, type Kind } from "@capstan/api";

/** The Status of a denied review; kube-apiserver passes it on with the name of the webhook before the message. */
export interface AdmissionDenial {
  readonly status: "Failure";
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: {
    readonly name?: string;
    readonly group: string;
    readonly kind: string;
    readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  };
}

/** Denies an object because of its fields, with the wording of kube-apiserver. */
export function invalidObject(
  { group, kind }: Pick<Kind, "group" | "kind">,
  name: string,
  errors: readonly FieldError[],
): AdmissionDenial {
  const texts = [...new Set(errors.map(formatFieldError))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return {
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${list}`,
    details: {
      ...(name !== "" && { name }),
      group,
      kind,
      causes: errors.map(({ type, message, field }) => ({ reason: type, message, field })),
    },
  };
}

/** Denies a request that the webhooks do not serve. */
export function badQuestion(message: string): AdmissionDenial {
  return { status: "Failure", code: 400, reason: "BadRequest", message };
}
