import { floatAt, intAt } from '#lib/columns.ts'
import { shownEndAt, type Trace, typeAt } from './trace.ts'

/** Rows of the tool runs around a run with messages. */
export interface ToolRows {
  /** Tool runs that this run may have caused, in order of start. */
  after: number[]
  /** Earlier tool runs, the latest first. */
  before: number[]
}

/** Maximum number of tool runs on each side. */
const MOST = 100

/** Microseconds: two clocks of one machine may differ by this through rounding. */
const TOLERANCE = 1_000

/**
 * Finds the tool runs around a model call. The caller of a tool is the model call that ended last before it, in the
 * smallest subtree that contains both; runs inside another tool belong to that tool. For a run that is not a model
 * call: the tools below it, and the earlier ones.
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
          .filter((tool) => outermost(trace, findCaller(trace, models, tool) ?? call) === outermost(trace, call))
      : tools.filter((tool) => holds(trace, call, tool)).slice(0, MOST)
  const before = tools
    .filter((tool) => floatAt(trace.start, tool) < floatAt(trace.start, call) && !after.includes(tool))
    .slice(-MOST)
  return { after, before: before.reverse() }
}

/** The nearest ancestor of each run that is a tool run, or -1. */
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

function findCaller(trace: Trace, models: readonly number[], tool: number): number | undefined {
  let best: { row: number; depth: number; end: number } | undefined
  for (const row of models) {
    if (!isAfter(trace, row, tool)) continue
    const depth = sharedDepth(trace, row, tool)
    const end = shownEndAt(trace, row)
    if (!best || depth > best.depth || (depth === best.depth && end > best.end)) best = { row, depth, end }
  }
  return best?.row
}

/** Depth of the nearest common ancestor; -1 without one. */
function sharedDepth(trace: Trace, one: number, other: number): number {
  let row = one
  while (row !== -1 && !holds(trace, row, other)) row = intAt(trace.parent, row)
  return row === -1 ? -1 : intAt(trace.depth, row)
}

/** A model call that wraps another one is the same call. */
function outermost(trace: Trace, row: number): number {
  let top = row
  while (intAt(trace.parent, top) !== -1 && typeAt(trace, intAt(trace.parent, top)) === 'llm')
    top = intAt(trace.parent, top)
  return top
}

function holds(trace: Trace, above: number, row: number): boolean {
  return row >= above && row < intAt(trace.subtreeEnd, above)
}
