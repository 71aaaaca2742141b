const LONGEST = 72;
const AREA = /^[a-z][a-z0-9-]*(?:,? [a-z0-9-]+)*: \S/;

/** What is wrong with the subject of a commit; empty when nothing is. */
export function subjectProblems(subject: string): readonly string[] {
  return [
    ...(subject.length > LONGEST ? [`${subject.length} characters, at most ${LONGEST} are allowed`] : []),
    ...(AREA.test(subject) ? [] : ['no area at the start, such as "pools: "']),
    ...(subject.endsWith(".") ? ["a full stop at the end"] : []),
  ];
}
