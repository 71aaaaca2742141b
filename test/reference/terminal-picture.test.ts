import { expect, test } from "vitest";
import { terminalPicture, tourOf } from "../../tools/terminal-picture.ts";
import { readPage } from "../journeys/shown-commands.ts";

test("a picture of a terminal has its lines, its colours and its special characters", () => {
  const picture = terminalPicture("$ a < b && c\r\nAvailable: \u001B[32mTrue\u001B[39m now\r\n\r\n", {
    columns: 20,
  });
  expect(picture).toContain(">$ a &lt; b &amp;&amp; c</text>");
  expect(picture).toContain('>Available: <tspan class="good">True</tspan> now</text>');
  expect(picture.match(/<text /g)).toHaveLength(2);
});

test("the picture of README shows its commands", () => {
  const commands = tourOf(readPage("README.md"));
  expect(commands.length).toBeGreaterThan(3);
  const shown = readPage("docs/terminal.svg")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&amp;", "&");
  expect(commands.filter((command) => !shown.includes(command))).toEqual([]);
});
