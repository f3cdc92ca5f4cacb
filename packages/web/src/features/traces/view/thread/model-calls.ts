import { toMessageKey } from '@touchstone/formats/messages'
import type { ChatMessage } from '#features/payloads/chat/conversation.ts'
import { floatAt, intAt } from '#lib/columns.ts'
import { listAncestors, type Trace, typeAt } from '../../model/trace.ts'
import { drawnTypeAt, MATCH, type Matches } from '../../model/visible-rows.ts'

/** The messages of a model call, without those of earlier calls of the trace. */
export interface NewMessages<Call> {
  call: Call
  input: ChatMessage[]
  output: ChatMessage[]
  /** Input messages that occurred in earlier calls. */
  repeated: ChatMessage[]
}

/**
 * Selects the new messages of each model call, because every call repeats the conversation so far. The last message of an
 * input always counts as new: a user may say "yes" twice.
 */
export function selectNewMessages<Call>(
  calls: readonly { call: Call; input: readonly ChatMessage[]; output: readonly ChatMessage[] }[],
): NewMessages<Call>[] {
  const seen = new Set<string>()
  return calls.map(({ call, input, output }) => {
    const keys = input.map(toMessageKey)
    const isRepeated = keys.map((key, index) => index < input.length - 1 && seen.has(key))
    for (const key of [...keys, ...output.map(toMessageKey)]) seen.add(key)
    return {
      call,
      input: input.filter((_, index) => !isRepeated[index]),
      output: [...output],
      repeated: input.filter((_, index) => isRepeated[index]),
    }
  })
}

/**
 * The rows of all model calls, oldest first, without calls that wrap another call. A trace without model calls returns its
 * root.
 */
export function findModelCalls(trace: Trace, matches: Matches | undefined): number[] {
  const holdsCall = new Uint8Array(trace.size)
  const calls: number[] = []
  for (let row = trace.size - 1; row >= 0; row--) {
    const above = intAt(trace.parent, row)
    const isCall = typeAt(trace, row) === 'llm'
    if (isCall && !holdsCall[row]) calls.push(row)
    if (above !== -1 && (isCall || holdsCall[row])) holdsCall[above] = 1
  }
  const rows = calls.length > 0 ? calls : [0]
  return rows
    .filter((row) => matches === undefined || matches.state[row] === MATCH)
    .sort((a, b) => floatAt(trace.start, a) - floatAt(trace.start, b) || a - b)
}

/** The agents above a run, nearest first, without the outermost agent. Empty for runs of the main agent. */
export function findSubAgents(trace: Trace, row: number): number[] {
  const agents = listAncestors(trace, row).filter((above) => drawnTypeAt(trace, above) === 'agent')
  return agents.slice(0, -1)
}
