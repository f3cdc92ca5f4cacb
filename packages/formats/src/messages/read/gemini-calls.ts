import { asList, asRecord, isRecord, type JsonRecord } from '../../json/guards.ts'

/**
 * Parts of Gemini with each call in one part. When arguments are streamed, a call has several: the first with its name, the
 * others with pieces of its arguments. https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
 */
export function joinGeminiCalls(parts: readonly unknown[]): readonly unknown[] {
  if (!parts.some(isPartial)) return parts
  const joined: unknown[] = []
  let open: OpenCall | undefined
  for (const part of parts) {
    const call = asRecord(asRecord(part)?.functionCall)
    if (open !== undefined && isAnother(call, open.call)) {
      joined[open.at] = close(open)
      open = undefined
    }
    if (call === undefined || !isRecord(part) || (open === undefined && !isPartial(part))) {
      joined.push(part)
      continue
    }
    const { partialArgs, willContinue, args, ...about } = call
    open ??= { at: joined.push(part) - 1, part: {}, call: {}, args: new StreamedArguments() }
    open.args.addAll(asRecord(args) ?? {})
    for (const piece of asList(partialArgs) ?? []) open.args.addPiece(piece)
    Object.assign(open.part, part)
    Object.assign(open.call, about)
    if (willContinue === true) continue
    joined[open.at] = close(open)
    open = undefined
  }
  if (open !== undefined) joined[open.at] = close(open)
  return joined
}

/** A call may begin although the one before never ended; pieces of arguments name no call, or the same. */
function isAnother(call: JsonRecord | undefined, open: JsonRecord): boolean {
  return ['id', 'name'].some((key) => call?.[key] != null && open[key] != null && call[key] !== open[key])
}

function close({ part, call, args }: OpenCall): JsonRecord {
  return { ...part, functionCall: { ...call, args: args.value } }
}

interface OpenCall {
  /** Position of its part. */
  readonly at: number
  readonly part: Record<string, unknown>
  readonly call: Record<string, unknown>
  readonly args: StreamedArguments
}

function isPartial(part: unknown): boolean {
  const call = asRecord(asRecord(part)?.functionCall)
  return call?.willContinue === true || asList(call?.partialArgs) !== undefined
}

/** Members of pieces of arguments that have a value. */
const VALUES = ['stringValue', 'numberValue', 'boolValue']

type Container = Record<string, unknown> | unknown[]

/** Arguments that arrive in pieces. What was recorded is not changed. */
class StreamedArguments {
  readonly value: Record<string, unknown> = {}
  /** Objects and lists that were made here. */
  readonly #own = new Set<unknown>([this.value])

  addAll(args: JsonRecord): void {
    for (const [name, value] of Object.entries(args)) put(this.value, name, value)
  }

  addPiece(piece: unknown): void {
    const path = isRecord(piece) && typeof piece.jsonPath === 'string' ? readPath(piece.jsonPath) : undefined
    const last = path?.at(-1)
    if (!isRecord(piece) || path === undefined || last === undefined) return
    let target: Container = this.value
    for (const [at, step] of path.slice(0, -1).entries())
      target = this.#open(target, step, typeof path[at + 1] === 'number')
    const name = VALUES.find((one) => piece[one] !== undefined)
    const value = name === undefined ? null : piece[name]
    const before = take(target, last)
    put(target, last, typeof before === 'string' && typeof value === 'string' ? before + value : value)
  }

  #open(target: Container, step: Step, isList: boolean): Container {
    const before = take(target, step)
    if (this.#own.has(before) && Array.isArray(before) === isList) return before as Container
    const opened: Container = isList ? [...(asList(before) ?? [])] : { ...asRecord(before) }
    this.#own.add(opened)
    put(target, step, opened)
    return opened
  }
}

type Step = string | number

function take(target: Container, step: Step): unknown {
  return Object.hasOwn(target, step) ? (target as Record<Step, unknown>)[step] : undefined
}

/** A position after the end of a list is its end: pieces arrive in order, and no list has gaps. */
function put(target: Container, step: Step, value: unknown): void {
  const key = Array.isArray(target) ? Math.min(Number(step) || 0, target.length) : step
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Longer paths are none of arguments. */
const MAX_STEPS = 50

/** `$.a.b[0]` and `$['a b']`. */
function readPath(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$') || path.length > 1000) return undefined
  const steps = [...path.matchAll(/\.([^.[\]]+)|\[(\d{1,9})\]|\['([^']*)'\]/g)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  )
  return steps.length === 0 || steps.length > MAX_STEPS ? undefined : steps
}
