import { asRecord } from '@touchstone/formats/guards'
import { readConversation, writeOpenaiChat } from '@touchstone/formats/messages'

/** How a run becomes an example: all of it, some of its keys, or its conversation as plain messages. */
export type Mapping =
  | { kind: 'whole' }
  | { kind: 'keys'; inputs: readonly string[]; outputs: readonly string[] }
  | { kind: 'messages' }

export interface RunPayload {
  inputs: unknown
  outputs: unknown
}

export interface MappedExample {
  inputs: Record<string, unknown>
  outputs: Record<string, unknown> | null
}

/** @returns undefined if the run has no messages to map */
export function mapRun(payload: RunPayload, mapping: Mapping): MappedExample | undefined {
  const [inputs, outputs] = [asRecord(payload.inputs) ?? {}, asRecord(payload.outputs)]
  switch (mapping.kind) {
    case 'whole':
      return { inputs, outputs: outputs ?? null }
    case 'keys':
      return { inputs: pick(inputs, mapping.inputs), outputs: outputs ? pick(outputs, mapping.outputs) : null }
    case 'messages': {
      const said = readConversation(payload.inputs, payload.outputs)
      if (!said || said.input.length === 0) return undefined
      const answer = said.output.flatMap((message) => writeOpenaiChat(message))
      return {
        inputs: { messages: said.input.flatMap((message) => writeOpenaiChat(message)) },
        outputs: answer.length > 0 ? { messages: answer } : null,
      }
    }
  }
}

/** Top-level keys of inputs or outputs, in their order. */
export function getTopLevelKeys(value: unknown): string[] {
  return Object.keys(asRecord(value) ?? {})
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]))
}

/** An example as JSON text while it is edited; empty outputs mean none. */
export interface ExampleDraft {
  inputs: string
  outputs: string
}

/** Parses an edited example, or returns which side is invalid and why. */
export function parseExampleDraft({ inputs, outputs }: ExampleDraft): MappedExample | { problem: string } {
  const [given, made] = [parseSide('Inputs', inputs), outputs.trim() === '' ? null : parseSide('Outputs', outputs)]
  if (typeof given === 'string') return { problem: given }
  if (typeof made === 'string') return { problem: made }
  return { inputs: given, outputs: made }
}

function parseSide(side: string, text: string): Record<string, unknown> | string {
  try {
    return asRecord(JSON.parse(text)) ?? `${side} must be a JSON object, for example {"key": "value"}.`
  } catch (cause) {
    return `${side} is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}
