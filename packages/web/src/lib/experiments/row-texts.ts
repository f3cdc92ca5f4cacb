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
export function toRowTexts(example: ExampleWithRuns): RowTexts {
  return {
    input: shorten(toReadableText(example.inputs)),
    reference: shorten(toReadableText(example.outputs)),
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

function shorten(text: string): string {
  return text.length > MAX_CELL_TEXT ? `${text.slice(0, MAX_CELL_TEXT)}…` : text
}

const TEXT_KEYS = ['input', 'question', 'query', 'prompt', 'text', 'output', 'answer', 'outputs', 'content', 'result']

/** The text of a payload with one well-named or only text, otherwise its JSON; empty for an absent payload. */
export function toReadableText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return findOnlyText(value) ?? JSON.stringify(value)
}

/** The text of a payload that is one text under any name. */
export function findOnlyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1]
  const named = TEXT_KEYS.map((key) => entries.find(([name]) => name === key)?.[1]).find(
    (one) => typeof one === 'string',
  )
  return typeof named === 'string' && named !== '' ? named : undefined
}

/** How many different outputs some runs have; runs without an output count as one more. */
export function countDistinct(texts: readonly (RunTexts | undefined)[]): number {
  return new Set(texts.map((text) => (text === undefined ? undefined : text.error || text.output))).size
}
