/** What a reason says to a user who meets it in a condition or an event. */
export interface ReasonText {
  /** What is the case, in one sentence. */
  readonly meaning: string;
  /** What the user does about it, in one sentence. */
  readonly cure: string;
}
