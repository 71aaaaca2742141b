/** Small changes of source code that a test should notice. All pure: `tools/mutate.ts` applies them and runs tests. */
import { createRng } from "@capstan/env";
import { type Expression, type Node, parseSync, Visitor, type VisitorObject } from "oxc-parser";

/** How a mutation changes the code. */
export type MutationKind =
  | "negated condition"
  | "dropped statement"
  | "changed constant"
  | "swapped branches";

/** One change of one place. */
export interface Mutation {
  /** The path of the file from the root of the repository. */
  readonly path: string;
  readonly line: number;
  readonly kind: MutationKind;
  /** The replaced part of the text, from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A text to mutate. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

type Range = Pick<Node, "start" | "end">;

// Larger numbers are mostly times and limits of size: one more or less is equivalent.
const LARGEST_CONSTANT = 100;
const COMPARISONS: ReadonlySet<string> = new Set(["===", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);
/** Expressions that are conditions where a condition is expected. Comparisons are conditions everywhere. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "Identifier",
  "MemberExpression",
  "CallExpression",
  "UnaryExpression",
]);
/** The results of a comparison for a sort: only their signs count. */
const ORDER = /^-?1 : -?1$/;
/** Names of what people read: texts are not behaviour. */
const TEXT_NAME = /^(why|what|message|reason|text|said|note|heading)$|(Text|Message|Why)$/;
/** Calls that only report. */
const REPORT = /(^|\.)(context\.event|log(\.\w+)?)$/;

/** Every mutation of a file, in the order of the text. */
export function mutationsIn({ path, text }: SourceText): readonly Mutation[] {
  const { program } = parseSync(path, text);
  const found: Mutation[] = [];
  const texts: Range[] = [];
  const orders: Range[] = [];
  const codeOf = ({ start, end }: Range): string => text.slice(start, end);
  const add = (kind: MutationKind, { start, end }: Range, replacement: string): void => {
    const line = text.slice(0, start).split("\n").length;
    found.push({ path, line, kind, start, end, replacement });
  };
  const isReport = (node: Expression): boolean =>
    node.type === "CallExpression" && REPORT.test(codeOf(node.callee));
  const negate = (node: Range): void => add("negated condition", node, `!(${codeOf(node)})`);
  // A swap of the branches is the negation of their condition.
  const swapped = new Set<Range>();
  new Visitor({
    ...textVisitor(codeOf, (range) => void texts.push(range)),
    IfStatement({ test, consequent, alternate }) {
      if (alternate) {
        swapped.add(test);
        const range = { start: consequent.start, end: alternate.end };
        add("swapped branches", range, `{ ${codeOf(alternate)} } else ${codeOf(consequent)}`);
      } else if (CONDITIONS.has(test.type)) negate(test);
    },
    ConditionalExpression({ test, consequent, alternate }) {
      swapped.add(test);
      const range = { start: consequent.start, end: alternate.end };
      add("swapped branches", range, `${codeOf(alternate)} : ${codeOf(consequent)}`);
      if (ORDER.test(codeOf(range))) orders.push(range);
    },
    LogicalExpression({ operator, left, right }) {
      if (operator === "??") return;
      for (const operand of [left, right]) if (CONDITIONS.has(operand.type)) negate(operand);
    },
    BinaryExpression(node) {
      if (COMPARISONS.has(node.operator) && !swapped.has(node)) negate(node);
    },
    ExpressionStatement(node) {
      if (isEffect(node.expression) && !isReport(node.expression)) add("dropped statement", node, ";");
    },
    Literal(node) {
      if (typeof node.value !== "number" || node.value > LARGEST_CONSTANT) return;
      if (orders.some((one) => isWithin(node, one))) return;
      add("changed constant", node, String(node.value + 1));
      if (node.value > 0) add("changed constant", node, String(node.value - 1));
    },
  }).visit(program);
  return found
    .filter((one) => !texts.some((range) => isWithin(one, range)))
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function isWithin(part: Range, whole: Range): boolean {
  return whole.start <= part.start && part.end <= whole.end;
}

/** Whether a statement writes or calls: an assignment, or a call with or without `await`. */
function isEffect(expression: Expression): boolean {
  const inner = expression.type === "AwaitExpression" ? expression.argument : expression;
  return inner.type === "CallExpression" || inner.type === "AssignmentExpression";
}

/** Finds the parts that make texts, reports or types: a change there is not a change of behaviour. */
function textVisitor(codeOf: (range: Range) => string, report: (range: Range) => void): VisitorObject {
  return {
    TemplateLiteral: report,
    ThrowStatement: report,
    TSLiteralType: report,
    Property(node) {
      if (TEXT_NAME.test(codeOf(node.key))) report(node);
    },
    VariableDeclarator(node) {
      if (TEXT_NAME.test(codeOf(node.id))) report(node);
    },
    FunctionDeclaration(node) {
      if (TEXT_NAME.test(node.id?.name ?? "")) report(node);
    },
    CallExpression(node) {
      if (REPORT.test(codeOf(node.callee))) report(node);
    },
  };
}

/** Draws mutations: the same seed and the same code give the same ones, in the order of their places. */
export function drawMutations(
  mutations: readonly Mutation[],
  { seed, count }: { readonly seed: string; readonly count: number },
): readonly Mutation[] {
  const ordered = mutations.toSorted(
    (a, b) =>
      compare(a.path, b.path) || a.start - b.start || a.end - b.end || compare(a.replacement, b.replacement),
  );
  const drawn = new Set(createRng(seed, "mutations").shuffle(ordered).slice(0, count));
  return ordered.filter((one) => drawn.has(one));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The text with one mutation. */
export function mutated(text: string, { start, end, replacement }: Mutation): string {
  return `${text.slice(0, start)}${replacement}${text.slice(end)}`;
}

/** The tests to run on a mutated file: filters of vitest, the nearest first. */
export function nearTests(path: string): readonly string[] {
  const [, owner = ""] = /^(packages\/[^/]+\/)/.exec(path) ?? [];
  const world = WORLDS.find(([part]) => path.includes(part))?.[1];
  return [owner, ...(world === undefined ? [] : [`test/world/${world}/`])];
}

/** Where a part of the code is tested end to end, by folder of `test/world`. */
const WORLDS: readonly (readonly [part: string, world: string])[] = [
  ["plan/src/rollout/control-plane/", "kubeadmcontrolplane"],
  ["plan/src/rollout/machine-", "machinedeployment"],
  ["plan/src/rollout/", "azuremachinepool"],
  ["plan/src/images/", "nodeprototype"],
  ["plan/src/aks/", "azuremanagedcontrolplane"],
  ["plan/src/service-operator/", "azuremanagedcontrolplane"],
  ["plan/src/in-place/", "machinedeployment"],
  ["plan/src/conditions/", "machinedeployment"],
  ["azure/src/operations/", "azurecluster"],
  ["workload/drain/", "azuremachinepoolmachine"],
  ["reconcilers/machinehealthcheck/", "machinehealthcheck"],
  ["manager/src/machines/", "machinedeployment"],
  ["reconcilers/machine", "machinedeployment"],
];
