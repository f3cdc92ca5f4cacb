/** One acknowledged write, and how to find it again. */
export interface KeptWrite {
  readonly kind: string
  /** When the server had acknowledged it, in milliseconds since 1970. */
  readonly acknowledgedAt: number
  /** Asks a server whether it still holds the write. @returns what is wrong, or undefined */
  readonly check: (call: CallServer) => Promise<string | undefined>
  /** When somebody began to change or remove it; from then on this entry promises nothing. */
  replacedFrom?: number
  isChecked?: boolean
}

/** Calls one server. @throws Error when the connection breaks */
export type CallServer = (method: string, path: string, body?: unknown, otherKey?: string) => Promise<Answered>

export interface Answered {
  readonly status: number
  /** JSON as it was parsed, anything else as bytes. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any
}

/** Calls below a server's URL with a key; bodies are JSON or a form that was written by hand. */
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

/** Every write that a server acknowledged, kept outside of it; the judge after a crash or a restore. */
export class WriteLedger {
  readonly #writes: KeptWrite[] = []

  get size(): number {
    return this.#writes.length
  }

  /** How many writes of each kind were acknowledged. */
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

  /** To be said before a write is changed or removed: whether that happens is not known until it is acknowledged. */
  replace(write: KeptWrite): void {
    write.replacedFrom = Date.now()
  }

  /**
   * Asks a server for the writes that hold at a moment: acknowledged before it, and not replaced before it.
   *
   * @param at    @default now
   * @param only  `new`: those that no earlier call has asked for
   * @returns a sentence for each broken promise, and how many were asked for
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
