/** Colours for light and dark, and for paper. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --faint: #5d6b7c; --paper: #ffffff; --panel: #f4f6f9; --line: #d5dbe3; --up: #2f7d4f; --down: #e3b7a8; --budget: #b3261e; --good: #1f6b40; --bad: #a11d16; --warn: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --faint: #9aa8b8; --paper: #14181e; --panel: #1d232b; --line: #36404c; --up: #58b37d; --down: #6b3f34; --budget: #ff8a80; --good: #7fd3a0; --bad: #ff9a90; --warn: #f0c060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 0 0 .5rem; } h3 { font-size: 1rem; margin: 0 0 .25rem; } h4 { margin: 1rem 0 .25rem; } h2, h3 { overflow-wrap: anywhere; }
main.beside { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.5rem; } main.alone { max-width: 52rem; }
@media (max-width: 60rem) { main.beside { grid-template-columns: minmax(0, 1fr); } }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; margin: 1rem 0; break-inside: avoid; overflow-wrap: anywhere; }
p, ul { margin: .35rem 0; } ul { padding-left: 1.2rem; } li { overflow-wrap: anywhere; }
.verdict { border-left: 4px solid currentColor; padding: .25rem .75rem; overflow-wrap: anywhere; } .good { color: var(--good); } .bad, .problem { color: var(--bad); } .warn { color: var(--warn); }
.faint { color: var(--faint); font-weight: normal; font-size: .875em; }
table { border-collapse: collapse; } th { text-align: left; font-weight: 600; padding: .1rem 1rem .1rem 0; vertical-align: top; white-space: nowrap; } td { padding: .1rem 0; }
.chart { overflow-x: auto; } svg { display: block; width: 100%; min-width: 30rem; height: auto; margin-top: .5rem; font: 10px system-ui, sans-serif; }
svg text { fill: var(--faint); } svg .grid { stroke: var(--line); stroke-width: 1; } svg .available { fill: none; stroke: var(--up); stroke-width: 2; } svg .budget { stroke: var(--budget); stroke-width: 1.5; stroke-dasharray: 5 3; }
svg .up { fill: var(--up); } svg .down { fill: var(--down); } svg .new { opacity: .55; }
@media (max-width: 40rem) { body { padding: .75rem; } section { padding: .5rem .75rem; } th { white-space: normal; } }
@media print { :root { color-scheme: light; --ink: #000; --faint: #444; --paper: #fff; --panel: #fff; --line: #bbb; --up: #2f7d4f; --down: #ddd; --budget: #b3261e; --good: #1f6b40; --bad: #a11d16; --warn: #7a5200; } body { padding: 0; max-width: none; font-size: 11px; } svg { min-width: 0; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
