/** A position in a text, counted from 1 as in editors. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A problem of a scenario, and how to fix it. */
export interface Problem {
  readonly at: Position;
  /** The path to the field, such as `steps[2].resize.to`; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

/** `file:line:column: field: message`, which editors and terminals turn into a link. */
export function formatProblem({ at, field, message }: Problem): string {
  const place = `${at.file}:${at.line}:${at.column}`;
  return field === "" ? `${place}: ${message}` : `${place}: ${field}: ${message}`;
}
