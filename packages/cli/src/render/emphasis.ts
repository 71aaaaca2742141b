import type { Shell } from "../shell.ts";
import { type Paint, paintFor } from "./paint.ts";
import { fitted, widthFor } from "./width.ts";

/** How lines that begin in one way are painted; the first rule that matches a line decides. */
export type Emphasis = readonly (readonly [RegExp, Exclude<keyof Paint, "tick">])[];

/** Paints whole lines. Commands print plain text, so that pipes, files and terminals get the same words. */
export function emphasized(text: string, rules: Emphasis, paint: Paint): string {
  return text
    .split("\n")
    .map((line) => {
      const [, style] = rules.find(([pattern]) => pattern.test(line)) ?? [];
      return style === undefined ? line : paint[style](line);
    })
    .join("\n");
}

/** A text as the output of this shell shows it: folded at the width of the window, with colours on a terminal. */
export function forWindow(shell: Shell, text: string, rules: Emphasis = []): string {
  // Folded last, because a rule is for a line and all lines it is folded into.
  return fitted(emphasized(text, rules, paintFor(shell.out, shell.variables)), widthFor(shell));
}
