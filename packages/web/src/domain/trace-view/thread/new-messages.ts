import type { ChatMessage } from '#domain/chat-view/conversation.ts'
import { floatAt, intAt } from '#lib/trace-model/columns.ts'
import { drawnTypeAt, MATCH, type Matches } from '#lib/trace-model/filter-runs.ts'
import { listAncestors, type Trace, typeAt } from '#lib/trace-model/trace.ts'

/** One model call, without what earlier calls of the trace had already been told or had answered. */
export interface Told<Call> {
  call: Call
  input: ChatMessage[]
  output: ChatMessage[]
  /** Messages of the input that earlier calls hold. */
  repeated: ChatMessage[]
}

/**
 * Every call of a trace carries the conversation so far; told in order, each message is new once. The last message of
 * an input is never taken for a repetition: somebody may say "yes" twice.
 */
export function tellOnce<Call>(
  calls: readonly { call: Call; input: readonly ChatMessage[]; output: readonly ChatMessage[] }[],
): Told<Call>[] {
  const seen = new Set<string>()
  return calls.map(({ call, input, output }) => {
    const keys = input.map(keyOf)
    const isRepeated = input.map((_, index) => index < input.length - 1 && seen.has(keys[index]!))
    for (const key of [...keys, ...output.map(keyOf)]) seen.add(key)
    return {
      call,
      input: input.filter((_, index) => !isRepeated[index]),
      output: [...output],
      repeated: input.filter((_, index) => isRepeated[index]),
    }
  })
}

function keyOf(message: ChatMessage): string {
  return JSON.stringify(message)
}

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
  const agents = listAncestors(trace, row).filter((above) => drawnTypeAt(trace, above) === 'agent')
  return agents.slice(0, -1)
}
