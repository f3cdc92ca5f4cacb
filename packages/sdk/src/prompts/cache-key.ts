import type { Transport } from '../transport/transport.ts'

/**
 * Cache key of a pulled prompt: server, digest of the credentials, request. It must not contain the credentials,
 * because caches can be dumped to files.
 */
export async function toPromptCacheKey(
  transport: Transport,
  identifier: string,
  includeModel: boolean | undefined,
): Promise<string> {
  const credentials = await digestCredentials(transport)
  return `${transport.connection.apiUrl}#${credentials}${includeModel ? '+model' : ''} ${identifier}`
}

/** Returns a test for keys of a prompt name on the transport's server, with any credentials and any commit. */
export function matchesPrompt(transport: Transport, name: string): (key: string) => boolean {
  const server = `${transport.connection.apiUrl}#`
  return (key) => {
    if (!key.startsWith(server)) return false
    const identifier = key.slice(key.indexOf(' ', server.length) + 1)
    return /^(?:[^/:]+\/)?([^/:]+)/.exec(identifier)?.[1] === name
  }
}

const digests = new WeakMap<Transport, { text: string; digest: Promise<string> }>()

function digestCredentials(transport: Transport): Promise<string> {
  const { apiKey, workspaceId, headers, fetchOptions } = transport.connection
  const text = JSON.stringify([apiKey, workspaceId, headers, [...new Headers(fetchOptions.headers)]])
  const cached = digests.get(transport)
  // A client's headers may be replaced, and with them its identity.
  if (cached?.text === text) return cached.digest
  const digest = digestText(text)
  digests.set(transport, { text, digest })
  return digest
}

const fallbackIds = new Map<string, string>()

/**
 * 64 bits of the SHA-256 in hex. Pages without TLS have no `crypto.subtle`, so they use a number that is unique in this
 * process.
 */
async function digestText(text: string): Promise<string> {
  const { subtle } = globalThis.crypto
  if (!subtle) {
    const number = fallbackIds.get(text) ?? `client-${fallbackIds.size + 1}`
    fallbackIds.set(text, number)
    return number
  }
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
