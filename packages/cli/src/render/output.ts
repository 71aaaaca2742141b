/** The formats in which commands print their answer. */
export const OUTPUT_FORMS = ["json", "yaml", "wide"] as const;

/** One of them; a table by default. */
export type OutputForm = (typeof OUTPUT_FORMS)[number] | undefined;

/** An answer in the chosen format. */
export async function printed(
  answer: object,
  form: OutputForm,
  asTable: (isWide: boolean) => string,
): Promise<string> {
  if (form === "json") return `${JSON.stringify(answer, undefined, 2)}\n`;
  if (form !== "yaml") return asTable(form === "wide");
  const { stringify } = await import("yaml");
  return stringify(answer);
}
