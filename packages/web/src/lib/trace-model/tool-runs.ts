import { floatAt, intAt, shownEndAt, type Trace, typeAt } from './trace.ts'

/** Rows of tool runs as a run with messages sees them. */
export interface ToolRows {
  /** What may have run because of it, in order of start. */
  after: number[]
  /** What ran before it, the latest first. */
  before: number[]
}

/** Further tool runs than this are not looked at, on either side. */
const MOST = 100

/** Microseconds: two clocks of one machine may round this far apart. */
const TOLERANCE = 1_000

/**
 * The tool runs around a model call. A tool ran because of the model call that ended last before it, of those in the
 * smallest part of the trace that holds both; what runs inside another tool is that tool's own affair. Around anything
 * but a model call it is the tools that ran below it, and those before.
 */
export function findToolRows(trace: Trace, call: number): ToolRows {
  const scope = toolsAbove(trace)
  const own = typeAt(trace, call) === 'tool' ? call : scope[call]
  const rows = Array.from({ length: trace.size }, (_, row) => row).filter((row) => scope[row] === own)
  const models = rows.filter((row) => typeAt(trace, row) === 'llm')
  const tools = rows
    .filter((row) => typeAt(trace, row) === 'tool')
    .sort((a, b) => floatAt(trace.start, a) - floatAt(trace.start, b) || a - b)

  const after =
    typeAt(trace, call) === 'llm'
      ? tools
          .filter((tool) => isAfter(trace, call, tool))
          .slice(0, MOST)
          .filter((tool) => outermost(trace, callerOf(trace, models, tool) ?? call) === outermost(trace, call))
      : tools.filter((tool) => holds(trace, call, tool)).slice(0, MOST)
  const before = tools
    .filter((tool) => floatAt(trace.start, tool) < floatAt(trace.start, call) && !after.includes(tool))
    .slice(-MOST)
  return { after, before: before.reverse() }
}

/** The nearest tool run that each run stands below, or -1. */
function toolsAbove(trace: Trace): Int32Array {
  const above = new Int32Array(trace.size).fill(-1)
  for (let row = 0; row < trace.size; row++) {
    const parent = intAt(trace.parent, row)
    if (parent !== -1) above[row] = typeAt(trace, parent) === 'tool' ? parent : intAt(above, parent)
  }
  return above
}

function isAfter(trace: Trace, call: number, tool: number): boolean {
  return holds(trace, call, tool) || shownEndAt(trace, call) <= floatAt(trace.start, tool) + TOLERANCE
}

function callerOf(trace: Trace, models: readonly number[], tool: number): number | undefined {
  let best: { row: number; depth: number; end: number } | undefined
  for (const row of models) {
    if (!isAfter(trace, row, tool)) continue
    const depth = sharedDepth(trace, row, tool)
    const end = shownEndAt(trace, row)
    if (!best || depth > best.depth || (depth === best.depth && end > best.end)) best = { row, depth, end }
  }
  return best?.row
}

/** Depth of the nearest run that holds both; -1 when none does. */
function sharedDepth(trace: Trace, one: number, other: number): number {
  let row = one
  while (row !== -1 && !holds(trace, row, other)) row = intAt(trace.parent, row)
  return row === -1 ? -1 : intAt(trace.depth, row)
}

/** A model call that wraps another is the same call. */
function outermost(trace: Trace, row: number): number {
  let top = row
  while (intAt(trace.parent, top) !== -1 && typeAt(trace, intAt(trace.parent, top)) === 'llm')
    top = intAt(trace.parent, top)
  return top
}

function holds(trace: Trace, above: number, row: number): boolean {
  return row >= above && row < intAt(trace.subtreeEnd, above)
}
