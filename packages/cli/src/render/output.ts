/** The forms that a command can print its answer in. */
export const OUTPUT_FORMS = ["json", "yaml", "wide"] as const;

/** One of them; a table unless told. */
export type OutputForm = (typeof OUTPUT_FORMS)[number] | undefined;

/** An answer in the form that was asked for. */
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
