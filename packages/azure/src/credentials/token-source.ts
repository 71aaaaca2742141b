import type { Sensitive } from "@capstan/runtime";

/** Provides tokens for the resource manager. */
export interface TokenSource {
  /** The owner of the tokens; not secret. */
  readonly principal: string;
  /** A token that is valid for some time. Throws an AzureError of class Auth or Transient. */
  token(): Promise<Sensitive>;
  /** Azure rejected the last token; the next one is new. */
  forget(): void;
}
