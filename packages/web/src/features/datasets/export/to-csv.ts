import { csvLine } from '@touchstone/contract/csv-line'
import { printJson } from '@touchstone/formats/exact-json'
import { type JsonRecord, member } from '@touchstone/formats/guards'
import type { ExportedRow } from './export-rows.ts'

type Side = 'inputs' | 'outputs'

/** What is known about the values of one key after all rows were seen. */
interface KeyFacts {
  /** Rows that have the key. */
  present: number
  hasEmptyText: boolean
  isText: boolean
}

interface Column {
  readonly title: string
  readonly print: (row: ExportedRow) => string
}

/** More keys than this become one column with the whole object. */
const MAX_KEYS = 200

/**
 * Columns of a CSV file that imports as the same dataset. The title tells how to read the cells: `inputs.question` has
 * text in each row, `inputs.note?` text or nothing, `inputs.score:json` JSON or nothing. A side whose keys cannot be
 * titles is one column with whole objects.
 */
export class CsvColumns {
  private rows = 0
  private readonly facts: Record<Side, Map<string, KeyFacts>> = { inputs: new Map(), outputs: new Map() }
  private readonly hasEmptyObject: Record<Side, boolean> = { inputs: false, outputs: false }

  /** Every row must be added before the columns are known. */
  add(row: ExportedRow): void {
    this.rows += 1
    for (const side of ['inputs', 'outputs'] as const) {
      const object = row[side]
      if (object === null) continue
      const entries = Object.entries(object)
      if (entries.length === 0) this.hasEmptyObject[side] = true
      for (const [key, value] of entries) this.addValue(side, key, value)
    }
  }

  list(): Column[] {
    return [...this.listSide('inputs'), ...this.listSide('outputs'), METADATA]
  }

  private addValue(side: Side, key: string, value: unknown): void {
    const known = this.facts[side].get(key) ?? { present: 0, hasEmptyText: false, isText: true }
    known.present += 1
    known.hasEmptyText ||= value === ''
    known.isText &&= typeof value === 'string'
    this.facts[side].set(key, known)
  }

  private listSide(side: Side): Column[] {
    const facts = [...this.facts[side]]
    if (facts.length === 0 && !this.hasEmptyObject[side]) return []
    if (this.hasEmptyObject[side] || facts.length > MAX_KEYS || !facts.every(([key]) => isTitle(key))) {
      return [{ title: side, print: (row) => (row[side] === null ? '' : printJson(row[side])) }]
    }
    return facts.map(([key, { present, hasEmptyText, isText }]) => {
      const isInEach = present === this.rows
      if (isText && (isInEach || !hasEmptyText)) {
        return {
          title: `${side}.${key}${isInEach ? '' : '?'}`,
          print: (row) => String(readValue(row[side], key) ?? ''),
        }
      }
      return { title: `${side}.${key}:json`, print: (row) => printCell(readValue(row[side], key)) }
    })
  }
}

const METADATA: Column = { title: 'metadata', print: ({ metadata }) => printJson(metadata) }

function readValue(object: JsonRecord | null, key: string): unknown {
  return object === null ? undefined : member(object, key)
}

function printCell(value: unknown): string {
  return value === undefined ? '' : printJson(value)
}

/** Whether a title with the key is read back as this key, and as nothing else. */
function isTitle(key: string): boolean {
  return key !== '' && key.trim() === key && !/[.\\?\n\r]|:json$/.test(key)
}

export function printRow(columns: readonly Column[], row: ExportedRow): string {
  return csvLine(columns.map(({ print }) => print(row)))
}
