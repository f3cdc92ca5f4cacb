import { Digits } from '@touchstone/formats/exact-json'
import type { OtlpAttributes, OtlpValue } from '../span.ts'
import { OtlpProblem } from './wire-reader.ts'

/** Spans or log records of one request; batch processors send 512 by default. */
export const MAX_ITEMS = 100_000
/** Spans of one trace in one request: the place of each depends on the others. */
const MAX_TRACE_SPANS = 10_000
/** Attributes of one span, its events and links together, without the members of their values. */
const MAX_ATTRIBUTES = 20_000
/** Levels of lists and objects in the value of an attribute. */
export const MAX_DEPTH = 100
/** Values of the attributes of one span, its events and links together. */
const MAX_VALUES = 200_000
/** Stands for a value below the deepest level. */
export const TOO_DEEP = '[nested too deeply]'

/** Counts the values of one span, so that a few megabytes cannot become gigabytes of objects. */
export class ValueBudget {
  private left = MAX_VALUES

  /** @throws OtlpProblem */
  take(): void {
    if (this.left-- > 0) return
    throw new OtlpProblem(`it has more than ${MAX_VALUES} values`)
  }
}

/** The attributes of one span are counted before they are read. */
export class AttributeBudget {
  private left = MAX_ATTRIBUTES

  /** @throws OtlpProblem */
  take(count: number): void {
    this.left -= count
    if (this.left < 0) throw new OtlpProblem(`it has more than ${MAX_ATTRIBUTES} attributes`)
  }
}

/** The spans of each trace of one request. */
export class TraceBudget {
  private readonly taken = new Map<string, number>()

  /** @throws OtlpProblem for a span of a trace that has too many */
  take(traceId: string): void {
    const count = (this.taken.get(traceId) ?? 0) + 1
    if (count > MAX_TRACE_SPANS) {
      throw new OtlpProblem(
        `its request has more than ${MAX_TRACE_SPANS} spans of one trace; send smaller batches (maxExportBatchSize)`,
      )
    }
    this.taken.set(traceId, count)
  }
}

/**
 * Refuses the JSON of a span that certainly has too many values, before it is parsed: each attribute has a key.
 *
 * @throws OtlpProblem
 */
export function assertFewKeys(json: Buffer): void {
  let keys = 0
  for (let at = json.indexOf(KEY); at !== -1; at = json.indexOf(KEY, at + KEY.length)) {
    if (++keys > MAX_VALUES) throw new OtlpProblem(`it has more than ${MAX_VALUES} values`)
  }
}

const KEY = '"key"'

/** An object for keys from outside: without a prototype, `__proto__` is an ordinary key. */
export const createAttributes = () => Object.create(null) as Record<string, OtlpValue>

export const NO_ATTRIBUTES: OtlpAttributes = Object.freeze(createAttributes())

/** An integer as a number, or with its digits when a number cannot hold all of them. */
export function toInteger(value: bigint): number | Digits {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : new Digits(String(value))
}

/** A double as a number; NaN and infinities, which JSON does not have, as text. */
export const toDouble = (value: number): number | string => (Number.isFinite(value) ? value : String(value))

/** `undefined` for no id: an empty one, or one of zeros, which OpenTelemetry calls invalid. */
export function toHexId(id: Buffer, bytes: 8 | 16, name: string): string | undefined {
  if (id.length === 0) return undefined
  if (id.length !== bytes) throw new OtlpProblem(`its ${name} has ${id.length} bytes, not ${bytes}`)
  const hex = id.toString('hex')
  return /^0+$/.test(hex) ? undefined : hex
}

/** @throws OtlpProblem for a span without ids */
export function assertIds<Item extends { traceId?: string | undefined; spanId?: string | undefined }>(
  item: Item,
): asserts item is Item & { traceId: string; spanId: string } {
  if (item.traceId !== undefined && item.spanId !== undefined) return
  const missing = item.traceId === undefined ? 'trace id' : 'span id'
  throw new MissingIds(`it has no ${missing}`)
}

/** Every log record that was sent to the path of traces is a span without ids. */
export class MissingIds extends OtlpProblem {}
