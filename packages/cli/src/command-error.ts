/** A command cannot do what it was asked to; the message is all that a user needs to know. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
