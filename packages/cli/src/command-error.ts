/** A command cannot do what the user asked; the message tells the user everything they need. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
