import { parseExactJson } from '@touchstone/formats/exact-json'
import { asRecord, type JsonRecord, member } from '@touchstone/formats/guards'

/** A line of the JSONL export of the server. */
export interface ExportedRow {
  readonly id: string
  readonly inputs: JsonRecord
  readonly outputs: JsonRecord | null
  /** With the splits, as `dataset_split`. */
  readonly metadata: JsonRecord
  /** As the server printed it. */
  readonly line: string
}

export function readRow(line: string): ExportedRow {
  const row = parseExactJson(line)
  const part = (key: string) => asRecord(member(row, key))
  return {
    id: String(member(row, 'id')),
    inputs: part('inputs') ?? {},
    outputs: part('outputs') ?? null,
    metadata: part('metadata') ?? {},
    line,
  }
}

export function isInSplit({ metadata }: ExportedRow, split: string | undefined): boolean {
  if (split === undefined) return true
  const splits = member(metadata, 'dataset_split')
  return Array.isArray(splits) && splits.includes(split)
}

/** Lines of a stream of bytes, in groups as they arrive. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      yield lines.filter((line) => line !== '')
      if (done) return
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
