/** What can be asked of a rollout. */
export type RolloutVerb = "pause" | "resume" | "restart" | "undo";
