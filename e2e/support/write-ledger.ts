/** One acknowledged write, with a check for it. */
export interface KeptWrite {
  readonly kind: string
  /** When the server acknowledged it, in milliseconds since 1970. */
  readonly acknowledgedAt: number
  /** Checks whether a server still holds the write. @returns the problem, or undefined */
  readonly check: (call: CallServer) => Promise<string | undefined>
  /** When a change or removal of it started; from then on this entry guarantees nothing. */
  replacedFrom?: number
  isChecked?: boolean
}

/** Calls one server. @throws Error when the connection breaks */
export type CallServer = (method: string, path: string, body?: unknown, otherKey?: string) => Promise<Answered>

export interface Answered {
  readonly status: number
  /** Parsed JSON, or bytes for other types. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any
}

/** Calls URLs of a server with a key; bodies are JSON or a form written by hand. */
export function callServer(url: string, key: string): CallServer {
  return async (method, path, body, otherKey) => {
    const isForm = body instanceof Form
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': otherKey ?? key,
        ...(body !== undefined && { 'content-type': isForm ? body.contentType : 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body.bytes : JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, body: isJson ? JSON.parse(bytes.toString('utf8')) : bytes }
  }
}

export class Form {
  constructor(
    readonly contentType: string,
    readonly bytes: Uint8Array<ArrayBuffer>,
  ) {}
}

const CHECKS_AT_ONCE = 8

/** Every write that a server acknowledged, kept outside of the server to verify it after a crash or a restore. */
export class WriteLedger {
  readonly #writes: KeptWrite[] = []

  get size(): number {
    return this.#writes.length
  }

  /** Number of acknowledged writes of each kind. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { kind } of this.#writes) counts[kind] = (counts[kind] ?? 0) + 1
    return counts
  }

  keep(kind: string, check: KeptWrite['check']): KeptWrite {
    const write: KeptWrite = { kind, check, acknowledgedAt: Date.now() }
    this.#writes.push(write)
    return write
  }

  /** Call this before a write is changed or removed: the result is unknown until it is acknowledged. */
  replace(write: KeptWrite): void {
    write.replacedFrom = Date.now()
  }

  /**
   * Checks a server for the writes valid at a moment: acknowledged before it, and not replaced before it.
   *
   * @param at    @default now
   * @param only  `new`: only those that no earlier call has checked
   * @returns a sentence for each lost write, and the number of checked writes
   */
  async findBroken(call: CallServer, { at = Date.now(), only = 'all' }: { at?: number; only?: 'all' | 'new' } = {}) {
    const due = this.#writes.filter(
      ({ acknowledgedAt, replacedFrom = Number.POSITIVE_INFINITY, isChecked }) =>
        acknowledgedAt < at && replacedFrom > at && !(only === 'new' && isChecked),
    )
    const broken: string[] = []
    const queue = due.values()
    const worker = async () => {
      for (const write of queue) {
        const problem = await write.check(call)
        write.isChecked = true
        if (problem !== undefined) broken.push(`${write.kind}: ${problem}`)
      }
    }
    await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, worker))
    return { broken, asked: due.length }
  }
}
