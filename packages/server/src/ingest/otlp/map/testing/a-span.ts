import type { OtlpAttributes, OtlpEvent, OtlpSpan, OtlpValue } from '../../span.ts'

/** 2026-11-01T12:00:00Z. */
export const START_NANO = 1_793_534_400_000_000_000n

/** A span of one second; attributes are given as emitters send them. */
export function aSpan(attributes: Record<string, OtlpValue> = {}, more: Partial<OtlpSpan> = {}): OtlpSpan {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    name: 'a span',
    kind: 1,
    startNano: START_NANO,
    endNano: START_NANO + 1_000_000_000n,
    attributes: Object.assign(Object.create(null) as OtlpAttributes, attributes),
    events: [],
    links: [],
    status: { code: 0, message: '' },
    traceState: '',
    droppedAttributes: 0,
    droppedEvents: 0,
    droppedLinks: 0,
    resource: { attributes: {}, schemaUrl: '' },
    scope: { name: '', version: '', attributes: {}, schemaUrl: '' },
    ...more,
  }
}

export function aScope(name: string, version = '1.0.0'): Pick<OtlpSpan, 'scope'> {
  return { scope: { name, version, attributes: {}, schemaUrl: '' } }
}

export function anEvent(name: string, attributes: OtlpAttributes = {}, body?: OtlpValue): OtlpEvent {
  return { name, timeNano: START_NANO + 500_000_000n, attributes, ...(body !== undefined && { body }) }
}

/** The form in which most emitters send objects. */
export const json = (value: unknown): string => JSON.stringify(value)
