import { asObject } from '#domain/chat-view/conversation.ts'
import type { MappedExample } from './mapping.ts'

/** An example as somebody types it: JSON text, the outputs empty for none. */
export interface ExampleDraft {
  inputs: string
  outputs: string
}

/** Reads what was typed, or says which side is wrong and why. */
export function parseExampleDraft({ inputs, outputs }: ExampleDraft): MappedExample | { problem: string } {
  const [given, made] = [parseSide('Inputs', inputs), outputs.trim() === '' ? null : parseSide('Outputs', outputs)]
  if (typeof given === 'string') return { problem: given }
  if (typeof made === 'string') return { problem: made }
  return { inputs: given, outputs: made }
}

function parseSide(side: string, text: string): Record<string, unknown> | string {
  try {
    return asObject(JSON.parse(text)) ?? `${side}: an object is expected, { … }.`
  } catch (cause) {
    return `${side}: ${cause instanceof Error ? cause.message : 'no JSON'}`
  }
}
