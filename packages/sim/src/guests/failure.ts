/** Why a guest did not become a node, in the words of the program that failed. */
export interface GuestFailure {
  /** One word for programs, such as `TokenExpired`. */
  readonly reason: string;
  readonly message: string;
}

/** Aborts the parsing of custom data; the entry point of the parser turns it into a GuestFailure. */
export class GuestFault extends Error {
  override readonly name = "GuestFault";
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
