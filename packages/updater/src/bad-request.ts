/** A request that is not as the API says. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
