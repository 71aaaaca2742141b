/** The forms of a plan. */
export const PLAN_FORMS = ["text", "json", "markdown"] as const;

/** One of them. */
export type PlanForm = (typeof PLAN_FORMS)[number];
