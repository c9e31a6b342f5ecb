"""The style sheet of the page of ``heddle trace``."""

STYLE = """
:root {
  color-scheme: light dark;
  --page: #fff; --text: #222; --faint: #6b6b6b; --line: #ccc; --panel: #f5f5f5;
  --active: #1f77c9; --waiting: #e8a01c; --idle: #d9dde2; --ended: #f3f3f3;
  --bad: #c62828; --good: #2b8a3e; --now: #cfe4fb; --other: #eef4fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #1b1b1b; --text: #ddd; --faint: #a0a0a0; --line: #444; --panel: #262626;
    --active: #5aa9ee; --waiting: #e0a030; --idle: #4a4f57; --ended: #252525;
    --bad: #ff7b72; --good: #6cc58a; --now: #24476b; --other: #22303e;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-bottom: 150px; }
body {
  font: 14px/1.4 sans-serif; margin: 0; min-height: 100vh; display: flex; flex-direction: column;
  color: var(--text); background: var(--page);
}
header { padding: 10px 14px 0; }
h1 { font: bold 16px monospace; margin: 0; overflow-wrap: anywhere; }
header p { margin: 2px 0 8px; color: var(--faint); }
header strong { color: var(--bad); }
h2 { font-size: 13px; margin: 0 0 6px; }
main {
  display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); gap: 12px; padding: 0 14px 10px;
  align-items: start; align-content: start; flex: 1 0 auto;
}
#source {
  border: 1px solid var(--line); overflow: auto; max-height: calc(100vh - 230px); min-height: 200px; position: relative;
}
#source h2 { position: sticky; top: 0; left: 0; background: var(--panel); margin: 0; padding: 3px 8px; z-index: 1; }
.code {
  display: grid; grid-template-columns: 1fr max-content; font: 12px/1.5 monospace; width: max-content;
  min-width: 100%;
}
.code p { margin: 0; padding: 0 8px 0 0; white-space: pre; border-left: 4px solid transparent; }
.code .number {
  display: inline-block; width: 3.2em; padding-right: 1em; text-align: right; color: var(--faint);
  user-select: none;
}
.code .cost {
  color: var(--faint); font-family: sans-serif; font-size: 11px; line-height: 18px; position: sticky; right: 0;
  background: var(--page); padding: 0 8px;
}
.code .cost b { color: var(--bad); font-weight: bold; }
.code .never { color: var(--faint); }
.code .other { background: var(--other); }
.code .now { background: var(--now); border-left-color: var(--active); }
.code .warps { color: var(--active); font-size: 11px; margin-left: 1em; }
#state section { border: 1px solid var(--line); padding: 8px 10px; margin-bottom: 12px; }
.legend { font-weight: normal; color: var(--faint); margin-left: 8px; }
.legend i { display: inline-block; width: 10px; height: 10px; margin: 0 4px 0 8px; border-radius: 2px; }
i.active, .lane.active { background: var(--active); }
i.idle, .lane.idle { background: var(--idle); }
i.waiting, .lane.waiting { background: var(--waiting); }
i.ended, .lane.ended { background: var(--ended); box-shadow: inset 0 0 0 1px var(--idle); }
.row {
  display: grid; grid-template-columns: 4em 1fr 4.6em; gap: 6px; align-items: center; cursor: pointer;
  padding: 1px 2px;
}
.row.chosen { background: var(--now); }
.row > span { font: 11px monospace; color: var(--faint); white-space: nowrap; overflow: hidden; }
.row.chosen > span { color: var(--text); }
.cells { display: grid; grid-template-columns: repeat(32, minmax(0, 1fr)); gap: 1px; height: 14px; }
#lanes.many .cells { height: 8px; }
#lanes.many .row > span { line-height: 9px; font-size: 9px; }
.lane { border-radius: 2px; }
#now { margin: 0 0 8px; min-height: 1.4em; }
#requests { min-height: 150px; }
.request { margin-bottom: 12px; }
.request p { margin: 0 0 4px; }
.none { color: var(--faint); }
.bad { color: var(--bad); }
.good { color: var(--good); }
.sectors { display: grid; grid-template-columns: repeat(auto-fill, minmax(56px, 1fr)); gap: 3px; }
.sector { display: grid; grid-template-columns: repeat(8, 1fr); border: 1px solid var(--faint); height: 14px; }
.sector span { border-right: 1px solid var(--line); }
.sector span:last-child { border: 0; }
.sector .used { background: var(--active); }
.banks { display: grid; grid-template-columns: repeat(32, minmax(0, 1fr)); gap: 1px; align-items: start; }
.bank { display: grid; gap: 1px; }
.bank b { font: 8px/12px sans-serif; color: var(--faint); text-align: center; overflow: hidden; }
.bank span {
  background: var(--active); border-radius: 2px; height: 12px; color: var(--page); font: 8px/12px sans-serif;
  text-align: center; overflow: hidden;
}
.bank span.more { background: var(--bad); }
.banks.high span { height: 5px; font-size: 0; }
footer {
  position: sticky; bottom: 0; background: var(--panel); border-top: 1px solid var(--line);
  padding: 6px 14px 8px;
}
#timeline { display: block; width: 100%; cursor: pointer; }
#slider { width: 100%; margin: 2px 0; display: block; accent-color: var(--active); }
#controls { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; }
button, select {
  font: inherit; color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: 4px;
}
button { min-width: 38px; height: 30px; cursor: pointer; }
#play { min-width: 56px; background: var(--active); color: var(--page); }
:focus-visible { outline: 2px solid var(--active); outline-offset: 1px; }
#count { min-width: 8em; font-variant-numeric: tabular-nums; }
label, .keys { color: var(--faint); font-size: 12px; }
.keys { margin-left: auto; }
@media (max-width: 800px) {
  main { grid-template-columns: minmax(0, 1fr); padding: 0 8px 8px; gap: 8px; }
  header { padding: 8px 8px 0; }
  footer { padding: 4px 8px 6px; }
  #source { max-height: 34vh; min-height: 150px; }
  .code { grid-template-columns: 1fr; }
  .code .cost, .keys { display: none; }
  .legend { font-size: 11px; margin-left: 0; }
  .legend i { margin: 0 3px 0 5px; }
  .row { grid-template-columns: 3em 1fr 3.4em; gap: 4px; }
  .bank span, .bank b { font-size: 0; }
  .bank span { height: 8px; }
  #state section { padding: 6px; margin-bottom: 8px; }
}
"""
