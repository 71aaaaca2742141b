import { FAULT_CATALOGUE, FAULT_IDS, type Rate, STRIKES } from "./fault-catalogue.ts";
import { shortDuration } from "./step-text.ts";

/** The catalogue of faults as docs/scenarios.md shows it. */
export function faultTable(): string {
  const rows = FAULT_IDS.map((id) => {
    const { strikes, rate, text, heals, covers } = FAULT_CATALOGUE[id];
    return `| \`${id}\` | ${text} | ${strikes} | ${rateText(rate)} | ${heals} | ${covers.join(", ")} |\n`;
  });
  return `| fault | what goes wrong | strikes | default | when it is deactivated | covers |\n|---|---|---|---|---|---|\n${rows.join("")}`;
}

/** What faults hit and the words for it, as docs/scenarios.md shows it. */
export function strikeTable(): string {
  const rows = Object.entries(STRIKES)
    .filter(([, words]) => words.length > 0)
    .map(([strikes, words]) => `| ${strikes} | ${words.map((word) => `\`${word}\``).join(" ")} |\n`);
  return `| strikes | words for CALL |\n|---|---|\n${rows.join("")}`;
}

function rateText(rate: Rate): string {
  return "share" in rate ? `${rate.share * 100}%` : `every ${shortDuration(rate.everyMs)}`;
}
