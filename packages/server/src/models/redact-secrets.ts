/** Stands for a secret in what is shown. */
export const REDACTED = '********'

/** A shorter text is part of too many others to be searched for. */
const MIN_LENGTH = 6

/** Headers whose values are secrets in a request that is shown. */
const SECRET_HEADER = /authorization|cookie|secret|token|password|credential|api-?key|-key$|^key$|signature/i

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name)
}

/** Removes secrets from texts of a provider that repeats them. */
export class SecretRedactor {
  readonly #secrets: readonly string[]

  constructor(secrets: readonly string[]) {
    // Longer ones first: a key may be the beginning of another secret.
    const forms = secrets.flatMap((secret) => [secret, secret.replace(/^[\w-]+ /, '')])
    this.#secrets = [...new Set(forms)]
      .filter((secret) => secret.length >= MIN_LENGTH)
      .sort((a, b) => b.length - a.length)
  }

  redact(text: string): string {
    return this.#secrets.reduce((redacted, secret) => redacted.replaceAll(secret, REDACTED), text)
  }

  /** Redacts a text that comes in pieces, and keeps back the end of a piece that may be the beginning of a secret. */
  stream(): { push(text: string): string; end(): string } {
    let kept = ''
    return {
      push: (text) => {
        const redacted = this.redact(kept + text)
        const length = this.#countHeldBack(redacted)
        kept = redacted.slice(redacted.length - length)
        return redacted.slice(0, redacted.length - length)
      },
      end: () => {
        const rest = kept
        kept = ''
        return rest
      },
    }
  }

  /** Characters at the end of a text that begin a secret. */
  #countHeldBack(text: string): number {
    let most = 0
    for (const secret of this.#secrets) {
      for (let length = Math.min(secret.length - 1, text.length); length > most; length--) {
        if (text.endsWith(secret.slice(0, length))) most = length
      }
    }
    return most
  }
}
