/**
 * Kubernetes' rules for names, with its messages.
 *
 * Each function returns all problems of a text; an empty list means that it is valid.
 */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const LONGEST_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;

interface Form {
  readonly pattern: string;
  readonly longest: number;
  /** The unit of Kubernetes' limit, which is not always the same. */
  readonly unit?: "bytes";
  readonly says: string;
  readonly examples: readonly string[];
}

const DNS_1123_LABEL_FORM: Form = {
  pattern: LABEL,
  longest: LONGEST_LABEL,
  says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ["my-name", "123-abc"],
};
const DNS_1123_SUBDOMAIN_FORM: Form = {
  pattern: SUBDOMAIN,
  longest: LONGEST_SUBDOMAIN,
  says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
};
const DNS_1035_LABEL_FORM: Form = {
  pattern: DNS_1035_LABEL,
  longest: LONGEST_LABEL,
  says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
};
const LABEL_VALUE_FORM: Form = {
  pattern: LABEL_VALUE,
  longest: LONGEST_LABEL,
  unit: "bytes",
  says: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyValue", "my_value", "12345"],
};
const QUALIFIED_NAME_FORM: Form = {
  pattern: QUALIFIED_NAME,
  longest: LONGEST_LABEL,
  unit: "bytes",
  says: "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyName", "my.name", "123-abc"],
};

/** Validates a name such as a namespace or a service. */
export function dns1123LabelProblems(text: string): string[] {
  return problems(text, DNS_1123_LABEL_FORM);
}

/** Validates a name such as that of most objects. */
export function dns1123SubdomainProblems(text: string): string[] {
  return problems(text, DNS_1123_SUBDOMAIN_FORM);
}

/** Validates a name that must begin with a letter. */
export function dns1035LabelProblems(text: string): string[] {
  return problems(text, DNS_1035_LABEL_FORM);
}

/** Validates the value of a label. */
export function labelValueProblems(text: string): string[] {
  return problems(text, LABEL_VALUE_FORM);
}

/** Validates the key of a label, an annotation or a taint: a name, with an optional domain before a slash. */
export function labelKeyProblems(text: string): string[] {
  const slash = text.indexOf("/");
  const prefix = slash < 0 ? undefined : text.slice(0, slash);
  const name = text.slice(slash + 1);
  if (name.includes("/")) {
    return [
      `a qualified name ${described(QUALIFIED_NAME_FORM).replace("name part ", "")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const ofPrefix = prefix === "" ? ["prefix part must be non-empty"] : prefixProblems(prefix);
  const ofName = name === "" ? ["name part must be non-empty"] : namePartProblems(name);
  return [...ofPrefix, ...ofName];
}

/**
 * A label value for a name of any length: the name itself, or a short hash if it does not fit. The hash is Cluster
 * API's, so that objects it labelled are found.
 */
export function labelValueFor(name: string): string {
  if (labelValueProblems(name).length === 0) return name;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(fnv1a(name));
  return `hash_${bytes.toString("base64url")}_z`;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function prefixProblems(prefix: string | undefined): string[] {
  if (prefix === undefined) return [];
  return dns1123SubdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): string[] {
  return problems(name, QUALIFIED_NAME_FORM).map((problem) =>
    problem.startsWith("must be no more") ? `name part ${problem}` : problem,
  );
}

const expressions = new Map<Form, RegExp>();

function expressionOf(form: Form): RegExp {
  const known = expressions.get(form) ?? new RegExp(`^${form.pattern}$`);
  expressions.set(form, known);
  return known;
}

function problems(text: string, form: Form): string[] {
  // The patterns are unambiguous, so a failed match takes linear time.
  const matches = expressionOf(form).test(text) && !text.endsWith("\n");
  return [
    ...(text.length > form.longest
      ? [`must be no more than ${form.longest} ${form.unit ?? "characters"}`]
      : []),
    ...(matches ? [] : [described(form)]),
  ];
}

function described(form: Form): string {
  const examples = form.examples.map((example) => `'${example}'`).join(",  or ");
  return `${form.says} (e.g. ${examples}, regex used for validation is '${form.pattern}')`;
}
