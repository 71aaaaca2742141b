/** Why a guest did not become a node, in the words of the program that gave up. */
export interface GuestFailure {
  /** One word for machines, such as `TokenExpired`. */
  readonly reason: string;
  readonly message: string;
}

/** Ends the reading of custom data from deep inside; whoever starts the reading turns it into a GuestFailure. */
export class GuestFault extends Error {
  override readonly name = "GuestFault";
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
