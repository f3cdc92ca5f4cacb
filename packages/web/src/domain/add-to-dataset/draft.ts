import { asObject } from '#domain/chat-view/conversation.ts'
import type { MappedExample } from './mapping.ts'

/** An example as somebody types it: JSON text, the outputs empty for none. */
export interface Draft {
  inputs: string
  outputs: string
}

/** Reads what was typed, or says which side is wrong and why. */
export function readDraft({ inputs, outputs }: Draft): MappedExample | { problem: string } {
  const [given, made] = [readObject('Inputs', inputs), outputs.trim() === '' ? null : readObject('Outputs', outputs)]
  if (typeof given === 'string') return { problem: given }
  if (typeof made === 'string') return { problem: made }
  return { inputs: given, outputs: made }
}

function readObject(side: string, text: string): Record<string, unknown> | string {
  try {
    return asObject(JSON.parse(text)) ?? `${side}: an object is expected, { … }.`
  } catch (cause) {
    return `${side}: ${cause instanceof Error ? cause.message : 'no JSON'}`
  }
}
