import { asList, asRecord, isRecord, type JsonRecord } from '../../json/guards.ts'

/**
 * Parts of Gemini with each call in one part. When arguments are streamed, a call has several: the first with its name, the
 * others with pieces of its arguments. https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export function joinGeminiCalls(parts: readonly unknown[]): readonly unknown[] {
  if (!parts.some(isPartial)) return parts
  const joined: unknown[] = []
  let open: { readonly at: number; readonly part: JsonRecord; readonly call: JsonRecord } | undefined
  for (const part of parts) {
    const call = asRecord(asRecord(part)?.functionCall)
    const { partialArgs, willContinue, ...about } = call ?? {}
    if (call === undefined || !isRecord(part) || (open === undefined && !isPartial(part))) joined.push(part)
    else {
      const before: typeof open = open ?? { at: joined.push(part) - 1, part, call: {} }
      const args = addPieces(asRecord(before.call.args) ?? {}, asList(partialArgs) ?? [])
      const whole = { ...before.part, ...part }
      const next = { ...before.call, ...about, args }
      joined[before.at] = { ...whole, functionCall: next }
      open = willContinue === true ? { at: before.at, part: whole, call: next } : undefined
    }
  }
  return joined
}

function isPartial(part: unknown): boolean {
  const call = asRecord(asRecord(part)?.functionCall)
  return call?.willContinue === true || asList(call?.partialArgs) !== undefined
}

/** Members of pieces of arguments that have a value. */
const VALUES = ['stringValue', 'numberValue', 'boolValue']

function addPieces(args: JsonRecord, pieces: readonly unknown[]): JsonRecord {
  let whole: unknown = args
  for (const piece of pieces) {
    const path = isRecord(piece) && typeof piece.jsonPath === 'string' ? readPath(piece.jsonPath) : undefined
    if (!isRecord(piece) || path === undefined) continue
    const name = VALUES.find((one) => piece[one] !== undefined)
    whole = setAt(whole, path, name === undefined ? null : piece[name])
  }
  return asRecord(whole) ?? args
}

/** Longer paths, and larger positions, are none of arguments. */
const MAX_STEPS = 50
const MAX_INDEX = 10_000

/** `$.a.b[0]` and `$['a b']`. */
function readPath(path: string): readonly (string | number)[] | undefined {
  const steps = [...path.slice(0, 1000).matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/g)].map(
    ([, name, index, quoted]) => (index === undefined ? (name ?? quoted ?? '') : Number(index)),
  )
  const isTooLong = steps.length > MAX_STEPS || steps.some((step) => typeof step === 'number' && step > MAX_INDEX)
  return !path.startsWith('$') || steps.length === 0 || isTooLong ? undefined : steps
}

/** A copy with a value; a text goes on where there is one. */
function setAt(target: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return typeof target === 'string' && typeof value === 'string' ? target + value : value
  if (typeof step === 'number') {
    const list = [...(asList(target) ?? [])]
    while (list.length < step) list.push(null)
    list[step] = setAt(list[step], rest, value)
    return list
  }
  const fields = new Map(Object.entries(asRecord(target) ?? {}))
  fields.set(step, setAt(fields.get(step), rest, value))
  return Object.fromEntries(fields)
}
