/**
 * A call that was not made, or had no answer. Its message may be shown to whoever gave the URL: it names neither secrets
 * nor the addresses behind a name.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  /** `refused`: our rules forbid it, and will forbid it again; `failed`: the other side may answer next time. */
  readonly kind: 'refused' | 'failed'

  constructor(kind: 'refused' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
