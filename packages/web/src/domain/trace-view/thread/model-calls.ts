import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import { drawnTypeAt, MATCH, type Matches } from '#lib/trace-model/filter-runs.ts'
import { ancestorsOf, type Trace, typeAt } from '#lib/trace-model/trace.ts'

/**
 * The runs whose messages tell what was said: calls of models, oldest first, wrappers of another call left out. A trace
 * without any is told by its root.
 */
export function modelCalls(trace: Trace, matches: Matches | undefined): number[] {
  const holdsCall = new Uint8Array(trace.size)
  const calls: number[] = []
  for (let row = trace.size - 1; row >= 0; row--) {
    const above = intAt(trace.parent, row)
    const isCall = typeAt(trace, row) === 'llm'
    if (isCall && !holdsCall[row]) calls.push(row)
    if (above !== -1 && (isCall || holdsCall[row])) holdsCall[above] = 1
  }
  const told = calls.length > 0 ? calls : [0]
  return told
    .filter((row) => matches === undefined || matches.state[row] === MATCH)
    .sort((a, b) => floatAt(trace.start, a) - floatAt(trace.start, b) || a - b)
}

/** The agents that a run works for below the outermost one, the nearest first: none for the main line of a trace. */
export function subAgentsOf(trace: Trace, row: number): number[] {
  const agents = ancestorsOf(trace, row).filter((above) => drawnTypeAt(trace, above) === 'agent')
  return agents.slice(0, -1)
}
