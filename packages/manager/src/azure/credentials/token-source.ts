import type { Sensitive } from "@capstan/runtime";

/** Gives out tokens for the resource manager. */
export interface TokenSource {
  /** Whose tokens they are; says nothing secret. */
  readonly principal: string;
  /** A token that is good for a while yet. Throws an AzureError of class Auth or Transient. */
  token(): Promise<Sensitive>;
  /** Azure did not take the last one; the next is a new one. */
  forget(): void;
}
