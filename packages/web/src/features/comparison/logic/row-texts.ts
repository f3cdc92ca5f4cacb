import type { ExampleWithRuns, Feedback } from '@touchstone/sdk'

/** The texts of an example and its runs. */
export interface RowTexts {
  readonly input: string
  readonly reference: string
  /** By run id. */
  readonly runs: ReadonlyMap<string, RunTexts>
}

export interface RunTexts {
  readonly output: string
  readonly error: string
  readonly feedback: readonly Feedback[]
}

/** First characters of each text, enough for a cell. */
export function toRowTexts(example: Pick<ExampleWithRuns, 'inputs' | 'outputs' | 'runs'>): RowTexts {
  return {
    input: toPreview(example.inputs),
    reference: toPreview(example.outputs),
    runs: new Map(
      example.runs.map((run) => [
        run.id,
        {
          output: run.outputs_preview ?? '',
          error: (run.error ?? '').trim(),
          feedback: run.feedbacks,
        },
      ]),
    ),
  }
}

const MAX_CELL_TEXT = 400
const TEXT_KEYS = ['input', 'question', 'query', 'prompt', 'text', 'output', 'answer', 'outputs', 'content', 'result']

/**
 * The beginning of a payload for a cell: its only or best-named text, or its last message, otherwise its JSON. Other keys
 * may be left out.
 */
function toPreview(value: unknown): string {
  const text = findOnlyText(value) ?? findNamedText(value) ?? findLastMessage(value) ?? toReadableText(value)
  return text.length > MAX_CELL_TEXT ? `${text.slice(0, MAX_CELL_TEXT)}…` : text
}

function findNamedText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = new Map(Object.entries(value))
  const named = TEXT_KEYS.map((key) => entries.get(key)).find((one) => typeof one === 'string')
  return typeof named === 'string' && named !== '' ? named : undefined
}

/** The text of the last message of a conversation. */
function findLastMessage(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('messages' in value) || !Array.isArray(value.messages)) return
  const last: unknown = value.messages.at(-1)
  if (typeof last !== 'object' || last === null || !('content' in last)) return
  return typeof last.content === 'string' && last.content !== '' ? last.content : undefined
}

/** A whole payload: its text when it has nothing else, otherwise its JSON; empty for an absent payload. */
export function toReadableText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return findOnlyText(value) ?? JSON.stringify(value)
}

/** The text of a payload that is nothing but one text, under any name. */
export function findOnlyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const [only, ...others] = Object.values(value)
  return typeof only === 'string' && others.length === 0 ? only : undefined
}

/** How many different outputs some runs have; runs without an output count as one more. */
export function countDistinct(texts: readonly (RunTexts | undefined)[]): number {
  return new Set(texts.map((text) => (text === undefined ? undefined : text.error || text.output))).size
}
