import type { ChatMessage } from '#domain/chat-view/conversation.ts'

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
