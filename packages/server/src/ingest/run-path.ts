import { parseUuid } from '@touchstone/contract'

/**
 * The sortable path of a run: segments `YYYYMMDDTHHMMSSffffffZ{uuid}` joined by dots, root first, the run itself last.
 *
 * @see contract/tracing.md §1.5
 */
export interface RunPath {
  readonly ids: readonly string[]
  /** Time of the last segment in the contract's printed form; old clients give it three fractional digits. */
  readonly startTime: string | undefined
}

const SEGMENT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{0,6})Z([0-9a-fA-F-]{32,36})$/

/** `undefined` when the text is no dotted order. */
export function parseDottedOrder(text: string): RunPath | undefined {
  const ids: string[] = []
  let startTime: string | undefined
  for (const segment of text.split('.')) {
    const match = SEGMENT.exec(segment)
    const id = match === null ? undefined : parseUuid(match[8])
    if (match === null || id === undefined) return undefined
    ids.push(id)
    const [, year, month, day, hour, minute, second, fraction] = match
    startTime = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction!.padEnd(6, '0')}Z`
  }
  return { ids, startTime }
}

/** One segment for a run that came without a dotted order. */
export function toPathSegment(startTime: string, id: string): string {
  return `${startTime.replace(/[-:.]/g, '').slice(0, 21)}Z${id}`
}
