/** Bytes that are not the object they claim to be. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}
